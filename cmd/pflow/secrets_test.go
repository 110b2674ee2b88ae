//go:build !race && unix

package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pflow/internal/value"
)

// secretKinds are ten kinds of secrets. Each is told by its parts, which stand in no program and no document.
var secretKinds = map[string]string{
	"plain":   "Qz8vLw2nRk5t",
	"short":   "9kQ~",
	"quotes":  `Qz8"vLw'2n\Rk` + "`5t$Xy",
	"unicode": "Qz8vÄLw-漢字2n-\U0001F511Rk5t",
	"lines":   "-----BEGIN PRIVATE KEY-----\nQz8vLw2nRk5tXy7mQz8vLw2nRk5tXy7m\nWq3pJh6cWq3pJh6cWq3pJh6cWq3p\n-----END PRIVATE KEY-----\n",
	"percent": "Qz8%25vLw+2n%zz/Rk 5tXy",
	"html":    `<Qz8&vLw>"2n"&amp;Rk5t'`,
	"blanks":  "  Qz8vLw2nRk5tXy7m  ",
	"base64":  "UXo4dkx3Mm5SazV0++Xy/7mQ==",
	"long":    strings.Repeat("Qz8vLw2n/Rk5tXy+7m", 40),
	"number":  "83520417965",
	"mapped":  "Rk8vLw2nQz5tM4pD", // not in the environment: settings.yaml maps its name to a command
}

// forms are what no file and no output may hold of a secret.
func forms(secret string) map[string]string {
	s := strings.TrimSpace(secret)
	out := map[string]string{}
	add := func(name, form string) {
		if len(form) >= 4 {
			out[name] = form
		}
	}
	texts := map[string]string{"": s}
	for n, line := range strings.Split(s, "\n") {
		if line = strings.TrimSpace(line); len(line) >= 8 && !strings.HasPrefix(line, "-----") {
			texts[fmt.Sprintf(" of line %d", n+1)] = line
		}
	}
	for which, s := range texts {
		add("the value"+which, s)
		quoted := value.JSON(s)
		add("json"+which, quoted[1:len(quoted)-1])
		escaped, _ := json.Marshal(s)
		add("json for html"+which, string(escaped[1:len(escaped)-1]))
		again := value.JSON(string(escaped))
		add("json twice"+which, again[3:len(again)-3])
		add("html"+which, html.EscapeString(s))
		for name, form := range map[string]string{"query": url.QueryEscape(s), "path": url.PathEscape(s)} {
			add(name+which, form)
			lower := []byte(form)
			for i := 0; i+2 < len(lower); i++ {
				if lower[i] == '%' {
					copy(lower[i+1:], strings.ToLower(form[i+1:i+3]))
				}
			}
			add(name+" in lower case"+which, string(lower))
		}
		add("hex"+which, hex.EncodeToString([]byte(s)))
		add("upper hex"+which, strings.ToUpper(hex.EncodeToString([]byte(s))))
		add("shell"+which, strings.ReplaceAll(s, "'", `'\''`))
		for before := range 3 { // what of base64 the secret alone decides
			all := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), s...))
			core := all[(before*8+5)/6 : (before+len(s))*8/6]
			add(fmt.Sprintf("base64 at %d%s", before, which), core)
			add(fmt.Sprintf("base64 for URLs at %d%s", before, which), strings.NewReplacer("+", "-", "/", "_").Replace(core))
			if len(core) > 60 {
				add(fmt.Sprintf("base64 in lines at %d%s", before, which), core[:40])
			}
		}
		if runes := []rune(s); len(runes) >= 12 && !strings.HasPrefix(s, "-----") { // cut off
			add("its beginning"+which, string(runes[:8]))
			add("its end"+which, string(runes[len(runes)-8:]))
		}
	}
	return out
}

// TestSecretsStayOut gives workflows secrets of every kind, has commands, servers, models and expressions tell them in every
// form, and looks for them in every file that was written and every byte that was printed.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			var asked struct{ Messages []struct{ Content string } }
			_ = json.Unmarshal(body, &asked)
			said := asked.Messages[len(asked.Messages)-1].Content
			if strings.Contains(said, "refuse") {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error": {"message": %s}}`, value.JSON(strings.Repeat("x", 280)+said+r.Header.Get("Authorization")))
				return
			}
			said += base64.StdEncoding.EncodeToString([]byte("u:"+said)) + r.Header.Get("Authorization")
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id": "1", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": %s}}], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}`, value.JSON(said))
			return
		}
		if strings.HasSuffix(r.URL.Path, "/fail") {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "%s%s%s", strings.Repeat("x", 1995-len(body)/2), body, r.URL.RawQuery)
			return
		}
		w.Header().Set("X-Said", url.QueryEscape(string(body)))
		escaped, _ := json.Marshal(string(body))
		fmt.Fprintf(w, "%s %s %s %s %s %s %X", body, r.URL.RawQuery, strings.ToLower(url.QueryEscape(string(body))), html.EscapeString(string(body)), escaped, r.Header.Get("Authorization"), body)
	}))
	t.Cleanup(echo.Close)
	for kind, secret := range secretKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.env = append(d.env, "TOKEN="+secret, "OPENAI_API_KEY="+serverKey, "MY_OWN_API_KEY=own-"+serverKey, "OPENAI_BASE_URL="+echo.URL+"/v1")
			if kind == "mapped" {
				kept := filepath.Join(t.TempDir(), "kept")
				if err := os.WriteFile(kept, []byte(secret+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				d.env = slices.DeleteFunc(d.env, func(v string) bool { return strings.HasPrefix(v, "TOKEN=") })
				if err := os.MkdirAll(d.home, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(d.home, "settings.yaml"), []byte("secrets: {TOKEN: {command: [cat, "+kept+"]}}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			at := value.JSON(echo.URL)
			node := func(id, kind, params string) string {
				return fmt.Sprintf(`{"id": %q, "type": %q, "params": {%s}}`, id, kind, params)
			}
			shell := `printf '%s\\n' \"$1\"; printf '%s' \"$1\" | base64; printf 'user:%s' \"$1\" | base64 | tr -d '\\n'; printf 'me:%s' \"$1\" | base64 | tr '+/' '-_'; printf '%s' \"$1\" | od -An -v -tx1; printf '%s' \"$1\" | od -An -v -tx1 | tr -d ' \\n'; (set -x; : \"$1\"); env; printf '%s' \"$1\" | sed 's/%/%25/g;s/&/\\&amp;/g' >&2`
			inputs := `"inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "TOKEN"}, "n": {"type": "integer", "default": 1}}`
			nodes := []string{
				node("forms", "shell", fmt.Sprintf(`"command": "%s", "args": ["${token}"]`, shell)),
				node("cut", "shell", `"command": "printf 'ab%s' \"$1\"", "args": ["${token}"], "max_output": 13`),
				node("post", "http", fmt.Sprintf(`"url": %s, "body": "<${token}>", "params": {"q": "${token}"}, "headers": {"Authorization": "Basic ${base.result}"}`, at)),
				node("base", "transform", `"inputs": {"t": "${token}"}, "expression": "toBase64(\"user:\" + t)"`),
				node("json", "transform", `"inputs": {"t": "${token}"}, "expression": "{\"a\": toJSON(t), \"b\": [t, len(t)], \"c\": t[0:min(len(t), 2)]}"`),
				node("ask", "llm", `"prompt": "say ${token}"`),
				node("text", "template", `"template": "${forms.stdout} and ${token}"`),
				node("again", "shell", `"command": "printf '%s' ${text.text} | cat"`),
				node("refused", "llm", `"prompt": "refuse ${token}"`),
				node("fail", "http", fmt.Sprintf(`"url": %s, "body": "${token}"`, value.JSON(echo.URL+"/fail?k="+"${token}"))),
				node("broken", "shell", `"command": "i=0; while [ $$i -lt 150 ]; do printf 'xxxxxxxxxxxx%s' \"$1\" >&2; i=$$((i+1)); done; exit 3", "args": ["${token}"]`),
				node("unread", "read-file", `"file_path": "/nowhere/${token}/x"`),
				node("last", "shell", `"command": "echo ${broken.error.message} ${unread.error.message} ${fail.error.message} ${refused.error.message}; echo ${ask.response} ${post.response} ${again.stdout} ${cut.stdout}"`),
			}
			order := []string{"base", "forms", "cut", "post", "json", "ask", "text", "again", "refused", "fail", "broken", "unread", "last"}
			var edges []string
			for i := range len(order) - 1 {
				action := "default"
				switch order[i] {
				case "refused", "fail", "broken", "unread":
					action = "error"
				}
				edges = append(edges, fmt.Sprintf(`{"from": %q, "to": %q, "action": %q}`, order[i], order[i+1], action))
			}
			d.file("all.json", fmt.Sprintf(`{"ir_version": "0.1.0", %s, "start_node": "base", "nodes": [%s], "edges": [%s]}`, inputs, strings.Join(nodes, ", "), strings.Join(edges, ", ")))
			d.file("gate.json", fmt.Sprintf(`{"ir_version": "0.1.0", %s, "nodes": [%s, {"id": "gate", "type": "shell", "approval": "required", "params": {"command": "echo \"$1\"; exit ${n}", "args": ["${token}"]}}], "edges": [{"from": "forms", "to": "gate"}]}`, inputs, nodes[0]))
			for i, n := range []int{3, 8, 9, 10, 11} {
				d.file(fmt.Sprintf("fails%d.json", i), fmt.Sprintf(`{"ir_version": "0.1.0", %s, "nodes": [%s]}`, inputs, strings.Replace(nodes[n], `"Basic ${base.result}"`, `"${token}"`, 1)))
			}
			var printed strings.Builder
			run := func(status int, args ...string) string {
				t.Helper()
				out, err := d.command(args...).CombinedOutput()
				got := 0
				if e, ok := err.(*exec.ExitError); ok {
					got = e.ExitCode()
				} else if err != nil {
					t.Fatal(err)
				}
				if got != status {
					t.Errorf("pflow %s: exit status %d, want %d\n%.2000s", strings.Join(args, " "), got, status, out)
				}
				printed.Write(out)
				return string(out)
			}
			run(0, "run", "./all.json", "--json", "--verbose", "--record", "replies")
			run(0, "run", "./all.json", "--verbose", "--replay", "replies")
			run(0, "run", "./all.json", "--dry-run")
			run(0, "run", "./all.json", "--dry-run", "--json")
			run(0, "validate", "./all.json")
			run(0, "workflow", "save", "./all.json", "--name", "kept")
			run(0, "workflow", "show", "kept", "--json")
			for i, status := range []int{0, 1, 1, 1, 1} {
				run(status, "run", fmt.Sprintf("./fails%d.json", i), "--json", "--verbose")
				run(status, "run", fmt.Sprintf("./fails%d.json", i))
			}
			_, rest, _ := strings.Cut(run(4, "run", "./gate.json", "--json"), `"run_id": "`)
			id, _, _ := strings.Cut(rest, `"`)
			run(1, "resume", id, "--yes", "--verbose")
			run(0, "plan", "--flow", "planner-offline", "copy README.md to b.md", "-o", "plan.json")
			run(2, "plan", "say "+serverKey)
			if kind != "short" {
				run(2, "run", "./all.json", "n="+secret)
			}
			for _, wrong := range []string{"xx" + secret, secret + "yy"} {
				if !strings.Contains(secret, "=") { // which would end the name
					run(2, "run", "./all.json", wrong+"=1")
				}
			}
			searched := map[string]string{"what was printed": printed.String()}
			for _, dir := range []string{d.home, d.dir} {
				err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
					if err != nil || !e.Type().IsRegular() {
						return err
					}
					data, err := os.ReadFile(path)
					searched[path] = string(data)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if len(searched) < 20 {
				t.Errorf("only %d files were written", len(searched))
			}
			wanted := forms(secret)
			wanted["the provider's key"], wanted["another key"] = serverKey, "own-sk-test"
			for where, text := range searched {
				for form, part := range wanted {
					if i := strings.Index(text, part); i >= 0 {
						t.Errorf("%s shows %s of the secret, %q: …%q…", where, form, part, text[max(0, i-150):min(len(text), i+len(part)+50)])
					}
				}
			}
		})
	}
}
