//go:build unix

package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/ir"
)

// shellPieces are commands with a place for a value, %; some of them run it as code, and have to be refused.
var shellPieces = []string{
	`echo %`, `echo "%"`, `echo 'a%b'`, `printf - %`, `eval echo %`, `eval "%"`, `sh -c "echo %"`, `X=%; echo "$$X"`, `X=%; eval "$$X"`,
	`X=%; Y=$$X; sh -c "$$Y"`, `f() { eval "$1"; }; f %`, `f() { echo "$1"; }; f %`, `for x in %; do echo "$$x"; done`, `for x in %; do eval "$$x"; done`,
	`echo % | sh`, `echo % | cat`, "cat <<E\n%\nE\n", "sh <<E\n%\nE\n", `set -- %; echo "$1"`, `set -- %; eval "$1"`, `echo % | while read x; do eval "$$x"; done`,
	`env X=% sh -c 'echo "$$X"'`, `[ -n % ]`, `case % in x) echo y;; esac`, `echo $(echo %)`, "echo `echo %`", `trap "echo %" EXIT`, `echo x # %`, `timeout 5 sh -c "echo %"`,
	`echo % | xargs -I{} sh -c 'echo {}'`, `find . -maxdepth 0 -exec sh -c "echo %" \;`, `command eval %`, `awk "BEGIN { print \"%\" }"`, `test % = x`, `echo \\%`, `nice sh -c %`,
}

// FuzzShellInjection puts values of shell's own characters into commands made of such pieces. Those that are accepted are
// run: whatever the value says, it never runs.
func FuzzShellInjection(f *testing.F) {
	for i := range shellPieces {
		f.Add([]byte{byte(i)}, `$(touch canary)`)
		f.Add([]byte{byte(i), byte(i + 7)}, `"; touch canary; '; touch canary; #`)
		f.Add([]byte{byte(i)}, "touch canary")
	}
	f.Fuzz(func(t *testing.T, picks []byte, value string) {
		if len(picks) > 4 || strings.ContainsRune(value, 0) || len(value) > 200 {
			return
		}
		// The value only knows one command.
		value = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \n\t;|&$()`'\"\\#{}<*?[]=!touchcanry", r) {
				return r
			}
			return -1
		}, value)
		var parts []string
		for _, p := range picks {
			parts = append(parts, strings.ReplaceAll(shellPieces[int(p)%len(shellPieces)], "%", "${v}"))
		}
		c := newCall(t, map[string]any{"command": strings.Join(parts, "\n"), "timeout": "20s"}, ir.Values{"v": value})
		if _, problems := parseShell(c.Params["command"].(string)); problems != nil {
			return
		}
		runNode(t, "shell", c)
		if _, err := os.Stat(filepath.Join(c.Dir, "canary")); err == nil {
			t.Errorf("%q runs in:\n%s", value, c.Params["command"])
		}
	})
}
