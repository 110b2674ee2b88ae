package nodes

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// selectsCode are the variables that say which code programs run, as patterns: where programs and libraries are looked
// for, what is read before a script, options and commands that a program takes from its environment.
var selectsCode = strings.Fields(`
	PATH BASH_ENV ENV ZDOTDIR FPATH CDPATH SHELL SHELLOPTS BASHOPTS BASH_FUNC_* PS0 PS4 PROMPT_COMMAND IFS
	LD_* DYLD_* GCONV_PATH LOCPATH
	*PAGER *EDITOR *BROWSER VISUAL LESS LESSOPEN LESSCLOSE LESSKEY* MORE
	GIT_SSH* GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND GIT_CONFIG* GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL GIT_DIR
	SSH_ASKPASS* SUDO_ASKPASS HGRCPATH SVN_SSH CVS_RSH RSYNC_RSH RSYNC_CONNECT_PROG RSH
	MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES TAR_OPTIONS TAPE UNZIP ZIPOPT XZ_OPT GZIP
	PERL5* PERLLIB PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONUSERBASE PYTHONBREAKPOINT PYTHONWARNINGS
	NODE_OPTIONS NODE_PATH NPM_CONFIG_* npm_config_* RUBYOPT RUBYLIB GEM_* BUNDLE_* LUA_INIT* LUA_PATH* LUA_CPATH* PHPRC PHP_INI_SCAN_DIR
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS
	GOFLAGS GOROOT GOTOOLDIR RUSTC* RUSTDOC RUSTFLAGS CARGO_* CC CXX AWKPATH AWKLIBPATH GAWK_* FIND_* XDG_CONFIG_*
	DOCKER_HOST DOCKER_CONFIG KUBECONFIG KUBE_EDITOR AWS_CONFIG_FILE OPENSSL_CONF WGETRC CURL_HOME PSQLRC`)

// variable looks at one that a command sets. forOne: it is set for one command, not for the shell.
func (in *inspector) variable(name string, value argument, forOne bool) {
	if name == "IFS" && forOne { // as in IFS= read; a program does not take it from its environment
		return
	}
	if slices.ContainsFunc(selectsCode, func(p string) bool { ok, _ := path.Match(p, name); return ok }) && !showsOnly(name, value) {
		in.because("%s selects code that programs run, so what they do is not known", name)
	}
}

// showsOnly reports whether a variable names a pager or an editor, and a program that only shows, or none.
func showsOnly(name string, value argument) bool {
	return (strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR")) &&
		slices.Contains([]string{"", "cat", "true", ":", "less", "more", "/bin/cat", "/bin/true", "/usr/bin/cat", "/usr/bin/true"}, value.text)
}

// variables looks at all that a command sets.
func (in *inspector) variables(p *placer, n syntax.Node, s scope) {
	assigned := func(list []*syntax.Assign, forOne bool) {
		for _, a := range list {
			if a.Name == nil {
				continue
			}
			value := argument{}
			if a.Value != nil {
				if words := in.arguments(p, []*syntax.Word{a.Value}, s); len(words) == 1 {
					value = words[0]
				}
			}
			if !a.Naked {
				in.variable(a.Name.Value, value, forOne)
			}
		}
	}
	switch n := n.(type) {
	case *syntax.CallExpr:
		assigned(n.Assigns, len(n.Args) > 0)
	case *syntax.DeclClause:
		assigned(n.Args, false)
	case *syntax.WordIter:
		in.variable(n.Name.Value, argument{text: string(unknown)}, false)
	case *syntax.ParamExp:
		if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			in.variable(n.Param.Value, argument{text: string(unknown)}, false)
		}
	}
}

// assignments looks at words NAME=VALUE, with which env, export and their like set variables, and at names that read and its
// like fill.
func (in *inspector) assignments(args []argument, names bool) {
	for _, a := range args {
		name, value, ok := strings.Cut(a.text, "=")
		switch {
		case ok && variableName.MatchString(name):
			in.variable(name, argument{text: value}, false)
		case names && variableName.MatchString(a.text):
			in.variable(a.text, argument{text: string(unknown)}, false)
		}
	}
}
