//go:build !race

package nodes

import (
	"math"
	"strings"
	"testing"
	"time"

	"pflow/internal/cputime"
	"pflow/ir"
)

// TestParseShell holds what becomes of the templates of a command, or why they are refused.
func TestParseShell(t *testing.T) {
	const (
		advice = `; hand the value over by args ("$1", "$2", … in the command), env or stdin instead`
		code   = `, which runs it as code` + advice
	)
	cases := []struct{ source, want string }{
		{`ls | wc -l; echo $$HOME "$$(date)" $1 "$@" $?`, `ls | wc -l; echo $HOME "$(date)" $1 "$@" $?`},
		{`if then fi`, `if then fi`}, // without templates it is not looked at
		{`rm ${f}`, `rm "$PFLOW_1"`},
		{`rm $f/x.`, `rm "$PFLOW_1"/x.`},
		{`cp ${a.b[0]} dir/${c-d}${e}.txt`, `cp "$PFLOW_1" dir/"$PFLOW_2""$PFLOW_3".txt`},
		{`echo "Hello, ${a}5!"`, `echo "Hello, ${PFLOW_1}5!"`},
		{`echo 'it is ${a}' $$x`, `echo 'it is '"$PFLOW_1"'' $x`},
		{`echo "$(basename ${a})" > ${b} 2>&1`, `echo "$(basename "$PFLOW_1")" > "$PFLOW_2" 2>&1`},
		{`X=${a} Y="${b}" cmd`, `X="$PFLOW_1" Y="${PFLOW_2}" cmd`},
		{`export X=${a}; local y=z${b}`, `export X="$PFLOW_1"; local y=z"$PFLOW_2"`},
		{`for i in ${a} ${b}; do echo $$i; done`, `for i in "$PFLOW_1" "$PFLOW_2"; do echo $i; done`},
		{`case ${a} in ${b}) echo x;; esac`, `case "$PFLOW_1" in "$PFLOW_2") echo x;; esac`},
		{`[ ${a} -gt 3 ] && [ "${b}" = x ]`, `[ "$PFLOW_1" -gt 3 ] && [ "${PFLOW_2}" = x ]`},
		{`[[ ${a} == b ]]`, `[[ "$PFLOW_1" == b ]]`},
		{"cat <<EOF\n${a}\n\"$b\"\nEOF\n", "cat <<EOF\n${PFLOW_1}\n\"${PFLOW_2}\"\nEOF\n"},
		{"cat <<-EOF | tr a b > $c\n\tx ${a}\n\tEOF\n", "cat <<-EOF | tr a b > \"$PFLOW_1\"\n\tx ${PFLOW_2}\n\tEOF\n"},
		{`cat <<< ${a}`, `cat <<< "$PFLOW_1"`},
		{`diff <(sort ${a}) ${b}`, `diff <(sort "$PFLOW_1") "$PFLOW_2"`},
		{"echo x # ${a} and ${b}", "echo x # PFLOW_1 and PFLOW_2"},
		{`${tool} --version`, `"$PFLOW_1" --version`},
		{`${dir}/build.sh ${a}`, `"$PFLOW_1"/build.sh "$PFLOW_2"`},
		{`echo \\${a}`, `echo \\"$PFLOW_1"`},
		{`echo \$$${a} "\$$${b}"`, `echo \$"$PFLOW_1" "\$${PFLOW_2}"`},
		{`echo ${a ?? "x'y;z"}`, `echo "$PFLOW_1"`},
		{`f() { rm "$1"; }; f ${a}`, `f() { rm "$1"; }; f "$PFLOW_1"`},
		{`python3 -c 'import sys; print(sys.argv[1])' ${a}`, `python3 -c 'import sys; print(sys.argv[1])' "$PFLOW_1"`},
		{`python3 tool.py ${a} -c ${b}`, `python3 tool.py "$PFLOW_1" -c "$PFLOW_2"`},
		{`bash ./run.sh -c ${a}`, `bash ./run.sh -c "$PFLOW_1"`},
		{`sh ${a}`, `sh "$PFLOW_1"`},
		{`sh -- ${a} ${b}`, `sh -- "$PFLOW_1" "$PFLOW_2"`},
		{`sh -e -o nounset script ${a}`, `sh -e -o nounset script "$PFLOW_1"`},
		{`sudo -u bob cp ${a} ${b}`, `sudo -u bob cp "$PFLOW_1" "$PFLOW_2"`},
		{`env A=${a} make ${b}`, `env A="$PFLOW_1" make "$PFLOW_2"`},
		{`timeout ${s} curl ${u}`, `timeout "$PFLOW_1" curl "$PFLOW_2"`},
		{`find ${d} -name ${n} -exec rm {} +`, `find "$PFLOW_1" -name "$PFLOW_2" -exec rm {} +`},
		{`echo ${a} | xargs rm`, `echo "$PFLOW_1" | xargs rm`},
		{`echo ${a} | sh script.sh`, `echo "$PFLOW_1" | sh script.sh`},
		{`awk -v x=${a} '{print x}' ${f}`, `awk -v x="$PFLOW_1" '{print x}' "$PFLOW_2"`},
		{`sed -n -e p -- ${f}`, `sed -n -e p -- "$PFLOW_1"`},
		{`grep sh ${f}`, `grep sh "$PFLOW_1"`},
		{`git commit -m "${m}"`, `git commit -m "${PFLOW_1}"`},
		{`jq --arg x ${a} .y ${f}`, `jq --arg x "$PFLOW_1" .y "$PFLOW_2"`},

		{"cat <<'EOF'\n${a}\nEOF\n", `${a} stands in a here-document whose end is quoted, where nothing is filled in; write <<EOF without the quotes, or use stdin`},
		{"cat <<\\EOF\n${a}\nEOF\n", `${a} stands in a here-document whose end is quoted, where nothing is filled in; write <<EOF without the quotes, or use stdin`},
		{"cat <<x${a}\nb\n${b}\n", "the command cannot be read as shell, so that values could be put in: line 1: unclosed here-document `x${a}`"},
		{`echo $((${a} + 1))`, `${a} stands in arithmetic, where a value is read as an expression` + advice},
		{`((x = ${a}))`, `${a} stands in arithmetic, where a value is read as an expression` + advice},
		{`let x=${a}`, `${a} stands in an argument of let` + code},
		{`[[ -n ${a} && 3 -eq ${b} ]]`, `${b} stands in arithmetic, where a value is read as an expression; compare with [ … ] instead`},
		{`x[${a}]=1`, `${a} stands in an index, which is arithmetic` + advice},
		{`echo $${x:-${a}}`, `${a} stands in an expansion of the shell` + advice},
		{`echo $${${a}}`, `${a} stands where a variable's name must stand; a dollar before a template is written \$$, as in \$$${name}`},
		{`echo $$${a}`, `${a} stands where a variable's name must stand; a dollar before a template is written \$$, as in \$$${name}`},
		{"echo `cat ${a}`", "${a} stands in backquotes; write $(…)"},
		{`echo \${a}`, `${a} stands behind a backslash, which would take its quotes away; a dollar that is text is written $$`},
		{`echo "\${a}"`, `${a} stands behind a backslash, which would take its quotes away; a dollar that is text is written $$`},
		{`echo $'${a}'`, `${a} stands in $'…'; write '…'`},
		{`for ${a} in x; do :; done`, `${a} stands where a name must stand` + advice},
		{`${a}() { :; }`, `${a} stands where a name must stand` + advice},
		{`${a}=5`, `${a} stands where a name must stand` + advice},
		{`export ${a}`, `${a} stands where a variable's name must stand` + advice},
		{`read ${a}`, `${a} stands where a variable's name must stand` + advice},
		{`printf -v ${a} x`, `${a} stands where a variable's name must stand` + advice},
		{`eval ${a}`, `${a} stands in an argument of eval` + code},
		{`e'v'"al" x${a}`, `${a} stands in an argument of eval` + code},
		{`command eval "$(echo ${a})"`, `${a} stands in an argument of eval` + code},
		{`trap 'rm ${a}' EXIT`, `${a} stands in an argument of trap` + code},
		{`ssh host ls ${a}`, `${a} stands in an argument of ssh` + code},
		{`sh -c "ls ${a}"`, `${a} stands in an argument of sh -c` + code},
		{`/bin/bash -elc 'ls' x ${a}`, `${a} stands in an argument of bash -c` + code},
		{`sh -x${a}`, `${a} stands in an argument of sh -c` + code},
		{`sh ${a} ${b}`, `sh "$PFLOW_1" "$PFLOW_2"`},
		{`sudo -n env X=1 timeout 5 bash -c ${a}`, `${a} stands in an argument of bash -c` + code},
		{`find . -exec sh -c 'cat ${a}' \;`, `${a} stands in an argument of sh -c` + code},
		{`ls | xargs -I{} sh -c 'cp {} ${a}'`, `${a} stands in an argument of sh -c` + code},
		{`echo ${a} | xargs -I{} sh -c 'echo {}'`, `${a} stands in what is piped into xargs sh` + code},
		{`echo ${a} | sh`, `${a} stands in what is piped into sh` + code},
		{`echo ${a} | tee x | sudo bash -s y`, `${a} stands in what is piped into bash` + code},
		{"bash <<EOF\necho ${a}\nEOF\n", `${a} stands in what bash reads` + code},
		{"ssh host <<EOF\necho ${a}\nEOF\n", `${a} stands in what ssh reads` + code},
		{"python3 - <<EOF\nprint('${a}')\nEOF\n", `${a} stands in what python3 reads` + code},
		{`python3 -c "print('${a}')"`, `${a} stands in an argument of python3 -c` + code},
		{`perl -lne 'print if /${a}/' f`, `${a} stands in an argument of perl -lne` + code},
		{`node --eval=${a}`, `${a} stands in an argument of node --eval` + code},
		{`python3 ${a} ${b}`, `python3 "$PFLOW_1" "$PFLOW_2"`},
		{`awk '/${a}/' f`, `${a} stands in the program of awk` + code},
		{`sed "s/x/${a}/" f`, `${a} stands in the program of sed` + code},
		{`sed -i -e "s/x/${a}/" f`, `${a} stands in the program of sed` + code},
		{`${tool} ${a}`, `${a} stands behind a program whose name comes from a template: it may run it as code; write the program's name out, or hand the value over by args ("$1", "$2", … in the command), env or stdin instead`},
		{`env ${a} ls`, `${a} stands where env takes options and the program's name; write NAME= before it, or the program's name out`},
		{`env -S "ls ${a}"`, `${a} stands in an argument of env -S, which cuts it into a command` + advice},
		{`nohup ${a} ${b}`, `${b} stands behind nohup and another template, which may name the program to run; write the program's name out`},
		{`flock /tmp/l -c "ls ${a}"`, `${a} stands in an argument of flock -c` + code},
		{`flock /tmp/l ls ${a}`, `flock /tmp/l ls "$PFLOW_1"`},
		{`make X=${a}`, `${a} stands in an argument of make` + code},
		{`make -C ${a} all`, `make -C "$PFLOW_1" all`},
		{`git -c core.pager=${a} log`, `${a} stands in an argument of git` + code},
		{`git -c user.name=${a} log`, `git -c user.name="$PFLOW_1" log`},
		{`psql -c "select ${a}"`, `${a} stands in an argument of psql -c` + code},
		{`sqlite3 x.db "select ${a}"`, `${a} stands in the program of sqlite3` + code},
		{`X=${a}; eval "$$X"`, `${a} stands in an argument of eval` + code},
		{`X=${a}; Y="x $$X"; sh -c "$$Y"`, `${a} stands in an argument of sh -c` + code},
		{`X=${a}; echo "$$X"; Z=ls; eval "$$Z"`, `X="$PFLOW_1"; echo "$X"; Z=ls; eval "$Z"`},
		{`f() { eval "$1"; }; f ${a}`, `${a} stands in an argument of eval` + code},
		{`f() { sh -c "$$*"; }; f ${a}`, `${a} stands in an argument of sh -c` + code},
		{`for x in ${a}; do eval "$$x"; done`, `${a} stands in an argument of eval` + code},
		{`echo ${a} | while read x; do eval "$$x"; done`, `${a} stands in an argument of eval` + code},
		{`set -- ${a}; eval "$1"`, `${a} stands in an argument of eval` + code},
		{`X=${a}; ssh host "ls $$X"`, `${a} stands in an argument of ssh` + code},
		{`X=${a}; trap "rm $$X" EXIT`, `${a} stands in an argument of trap` + code},
		{`X=${a}; awk "/$$X/" f`, `${a} stands in the program of awk` + code},
		{`tmp=$$(mktemp); trap "rm $$tmp" EXIT; cat ${a}`, `tmp=$(mktemp); trap "rm $tmp" EXIT; cat "$PFLOW_1"`},
		{`X=${a} sh -c 'echo "$$X"'`, `X="$PFLOW_1" sh -c 'echo "$X"'`},
		{`timeout 5 bash -c "ls ${a}"`, `${a} stands in an argument of bash -c` + code},
		{`watch ls ${a}`, `${a} stands in an argument of watch` + code},
		{`su -c "ls ${a}" bob`, `${a} stands in an argument of su -c` + code},
		{`busybox sh -c "ls ${a}"`, `${a} stands in an argument of sh -c` + code},
		{`sed ${a}e f`, `${a} stands in the program of sed` + code},
		{`echo $$PFLOW_1 ${a}`, `the templates of the command cannot be put in safely` + advice},
		{`echo "${a}`, `the command cannot be read as shell, so that values could be put in: line 1: reached EOF without closing quote ` + "`\"`"},
		{`echo ${a`, `"${a": the } is missing; write ${name}, ${node-id.key[0]} or ${a ?? "text"}, and $$ for a dollar that is text`},
		{"echo \x00${a}", "the command holds a NUL character, which no command can"},
	}
	for _, c := range cases {
		got, problems := parseShell(c.source)
		text := ""
		if problems != nil {
			text = problems[0].Message
		} else {
			text = got.text
		}
		if text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, text, c.want)
		}
	}
}

// TestParseShellTellsAll checks that every template that is refused is told, at its place.
func TestParseShellTellsAll(t *testing.T) {
	_, problems := parseShell(`eval ${a}; echo ${b} $((${c}))`)
	if len(problems) != 2 || problems[0].Offset != 5 || problems[1].Offset != 24 {
		t.Errorf("%+v", problems)
	}
}

// TestParseShellIsQuick reads the largest commands there can be, nested as deep as they go, and an eighth of each. What is
// asserted is a ratio, so how busy the machine is does not matter: what grows with the square gives 64. Nested commands lie
// between, as the parser finds the end of a node by going down to it.
func TestParseShellIsQuick(t *testing.T) {
	for _, of := range []func(n int) string{
		func(n int) string { return strings.Repeat("$(", n) + "echo ${a}" + strings.Repeat(")", n) },
		func(n int) string { return strings.Repeat("echo ${a} | (", n) + "sh" + strings.Repeat(")", n) },
		func(n int) string { return strings.Repeat("echo ${a} | ", n) + "cat" },
		func(n int) string { return strings.Repeat(`"$(`, n) + "${a}" + strings.Repeat(`)"`, n) },
		func(n int) string { return strings.Repeat("env ", n) + "${a}" },
		func(n int) string { return strings.Repeat("${a}", n) },
		func(n int) string { return "$((" + strings.Repeat("(", n) + "${a}" + strings.Repeat(")", n) + "))" },
	} {
		least := func(source string) time.Duration {
			took := time.Duration(math.MaxInt64)
			for range 3 {
				start := cputime.Used()
				parseShell(source)
				took = min(took, cputime.Used()-start)
			}
			return took
		}
		n := maxCommand / 24
		small, large := of(n/8), of(n)
		ratio := 0.0
		for range 3 {
			if ratio = float64(least(large)) / float64(least(small)+time.Microsecond); ratio < 48 {
				break
			}
		}
		if ratio >= 48 {
			t.Errorf("%.40s… takes %.1f times as long as an eighth of it", large, ratio)
		}
	}
}

// FuzzParseShell checks that no command makes the parser panic, and that none that is taken has a template left.
func FuzzParseShell(f *testing.F) {
	for _, s := range []string{`echo "a ${b}" 'c ${d}'`, "cat <<E\n$x\nE\n", "`${a}`", `$${x[${a}]}`, `<<\${a}`, `a=(${b})`, `{ ${a}; }`, `! ${a} |& ${b}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, problems := parseShell(source)
		if problems != nil {
			for _, p := range problems {
				if p.Message == "" || p.Offset < 0 || p.Offset > len(source) {
					t.Errorf("%q: problem %+v", source, p)
				}
			}
			return
		}
		for i := range got.exprs {
			if strings.Count(got.text, shellVar(i)) < 1 {
				t.Errorf("%q: %s is not in %q", source, shellVar(i), got.text)
			}
		}
	})
}

func BenchmarkParseShell(b *testing.B) {
	source := strings.Repeat(`echo "Hello, ${a}" | grep ${b} > ${c}`+"\n", 10)
	if _, problems := ir.Compile(source); problems != nil {
		b.Fatal(problems)
	}
	for b.Loop() {
		if _, problems := parseShell(source); problems != nil {
			b.Fatal(problems)
		}
	}
}
