package gitcli

import (
	"path"
	"slices"
	"strings"
)

// dropped are variables that would point git elsewhere, change what it prints, or run programs: those that git sets for its
// own hooks among them, since a workflow may run in one. As patterns.
var dropped = strings.Fields(`
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH
	GIT_NAMESPACE GIT_PREFIX GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE GIT_INTERNAL_*
	GIT_EXTERNAL_DIFF GIT_DIFF_OPTS GIT_DIFF_PATH_* GIT_TRACE* GIT_CURL_VERBOSE GIT_FLUSH GIT_REFLOG_ACTION
	GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_LITERAL_PATHSPECS
	GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_MERGE_VERBOSITY GIT_PAGER GIT_ASKPASS SSH_ASKPASS SSH_ASKPASS_REQUIRE GPG_TTY
	LANGUAGE LC_* LANG`)

// Environment is what git finds in its environment, made of that of this process: its messages are in English, and nothing
// can ask anybody. Agents, credential helpers and identities stay.
func Environment(env []string) []string {
	out := make([]string, 0, len(env)+16)
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(dropped, func(p string) bool { ok, _ := path.Match(p, name); return ok }) {
			out = append(out, v)
		}
	}
	return append(out,
		"LC_ALL=C", "LANG=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_MERGE_AUTOEDIT=no", "GIT_PAGER=cat",
	)
}

// modeVariables are those that say what a call may do. A git that does not know one is older than what it turns off.
func modeVariables(m mode) []string {
	if m == reading {
		// A repository may name another one that lacking objects are fetched from, by any program: not on a mere read.
		return []string{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}
	}
	// ext:: and other helpers run what an address says.
	return []string{"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}
}

// settings are those of every call, as KEY=VALUE. They win over those of the repository and of the user.
func settings(m mode) []string {
	all := []string{
		"core.quotepath=false", "color.ui=false", "core.pager=cat", "core.fsmonitor=", "core.editor=:",
		"i18n.logOutputEncoding=UTF-8", "log.showSignature=false", "log.follow=false",
		"diff.relative=false", "diff.noprefix=false", "diff.mnemonicPrefix=false", "status.submoduleSummary=false",
		"submodule.recurse=false", "fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "push.followTags=false",
		"merge.autoStash=false", "gc.auto=0", "maintenance.auto=false",
		"advice.detachedHead=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=60",
	}
	if m == reading {
		all = append(all, "core.hooksPath=/dev/null")
	}
	return all
}
