package nodes

import (
	"regexp"
	"slices"
	"strings"
)

// The programs that are known to run what they are given as code. A value among it would be code, however well it is
// quoted, so templates are refused there.
var (
	// All arguments are code, or become part of a command line that another shell reads.
	codeCommands = words("eval trap alias let complete compgen bind fc ssh rsh mosh autossh slogin watch parallel sem tmux screen su runuser script at batch crontab expect")
	shells       = words("sh bash dash ash ksh mksh pdksh lksh zsh yash posh rbash fish csh tcsh")
	// These run a command that is given as further arguments.
	wrappers = words(`env sudo doas pkexec nohup nice ionice chrt taskset timeout time xargs exec command builtin setsid stdbuf unbuffer chroot
		unshare nsenter flock strace ltrace gdb valgrind perf sshpass tini dumb-init busybox toybox fakeroot proot bwrap firejail systemd-run
		caffeinate chronic ts entr docker podman nerdctl kubectl oc lxc npx npm pnpm yarn uv uvx pipx poetry pipenv conda direnv aws-vault op
		find fd xterm start-stop-daemon runcon setpriv numactl prlimit`)
	// Builtins whose operands name variables: bash evaluates the index in a[…].
	naming = words("declare typeset local export readonly unset read getopts mapfile readarray printf wait test [ [[")
	// Options that are followed by code, as single letters and by name; the first operand is a file, the rest its data.
	interpreters = []interpreter{
		{regexp.MustCompile(`^(python|pypy)[0-9.]*w?$`), "c", nil},
		{regexp.MustCompile(`^perl[0-9.]*$`), "eE", nil},
		{regexp.MustCompile(`^(ruby|jruby|lua|luajit|osascript|Rscript|julia|groovy|scala|elixir|erl|ghc|guile|racket)[0-9.]*$`), "e", []string{"--eval", "-eval", "-run", "--expr"}},
		{regexp.MustCompile(`^(node|nodejs|bun|tsx|ts-node|deno)$`), "ep", []string{"--eval", "--print", "eval"}},
		{regexp.MustCompile(`^php[0-9.]*$`), "rBRE", []string{"--run"}},
		{regexp.MustCompile(`^(pwsh|powershell|powershell\.exe|cmd|cmd\.exe)$`), "c", []string{"-Command", "-command", "-EncodedCommand", "/c", "/C", "/k"}},
	}
	// Their first operand is a program.
	filters = words("awk gawk mawk nawk original-awk sed gsed")
)

type interpreter struct {
	name    *regexp.Regexp
	letters string
	options []string
}

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

func interpreterOf(name string) *interpreter {
	i := slices.IndexFunc(interpreters, func(i interpreter) bool { return i.name.MatchString(name) })
	if i < 0 {
		return nil
	}
	return &interpreters[i]
}

func runsCode(name string) bool {
	return codeCommands[name] || shells[name] || wrappers[name] || filters[name] || interpreterOf(name) != nil
}
