package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/value"
)

// TestCredentialHeaders logs in at a real server: the run goes on with the cookie and the token it was given, no journal
// holds them, and a resumed run that would need them says so instead of sending something else.
func TestCredentialHeaders(t *testing.T) {
	t.Parallel()
	const cookie, token = "sid=Qz8vLw2nRk5t", "tok-Wq3pJh6cXy"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/login":
			w.Header().Set("Set-Cookie", cookie)
			w.Header().Set("X-Auth-Token", token)
			w.Header().Set("X-Page", "7")
		case r.Header.Get("Cookie") != cookie || r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			fmt.Fprint(w, "welcome")
		}
	}))
	t.Cleanup(server.Close)
	d := newDesk(t)
	login := fmt.Sprintf(`{"id": "login", "type": "http", "params": {"url": %s}}`, value.JSON(server.URL+"/login"))
	use := fmt.Sprintf(`{"id": "use", "type": "http", "params": {"url": %s, "headers": {"Cookie": "${login.headers.set-cookie}", "Authorization": "Bearer ${login.headers.x-auth-token}"}}}`, value.JSON(server.URL))
	gate := `{"id": "gate", "type": "shell", "approval": "required", "params": {"command": "echo ${login.headers.x-page}"}}`
	outputs := `"outputs": {"said": {"source": "${use.response}", "type": "string"}}`
	d.file("straight.json", fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [%s, %s], "edges": [{"from": "login", "to": "use"}], %s}`, login, use, outputs))
	d.file("gated.json", fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [%s, %s, %s], "edges": [{"from": "login", "to": "gate"}, {"from": "gate", "to": "use"}], %s}`, login, gate, use, outputs))
	d.file("told.json", fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [%s, %s], "edges": [{"from": "login", "to": "gate"}], "outputs": {"page": {"source": "${gate.stdout}", "type": "string"}, "cookie": {"source": "${login.headers.set-cookie}", "type": "string"}}}`, login, gate))
	waits := func(file string) string {
		t.Helper()
		printed, _ := d.command("run", file, "--json").Output()
		_, rest, _ := strings.Cut(string(printed), `"run_id": "`)
		id, _, ok := strings.Cut(rest, `"`)
		if !ok || !strings.Contains(string(printed), `"status": "waiting"`) {
			t.Fatalf("%s", printed)
		}
		return id
	}
	if printed, err := d.command("run", "./straight.json").CombinedOutput(); err != nil || string(printed) != "welcome\n" {
		t.Errorf("%v\n%s", err, printed)
	}
	printed, err := d.command("resume", waits("./gated.json"), "--yes").CombinedOutput()
	if err == nil || !strings.Contains(string(printed), "of the node login is masked in the journal, so a resumed run does not have it; run the workflow again from its start") {
		t.Errorf("%v\n%s", err, printed)
	}
	printed, err = d.command("resume", waits("./told.json"), "--yes").Output()
	if err != nil || !strings.Contains(string(printed), `"page": "7"`) || !strings.Contains(string(printed), `"cookie": null`) {
		t.Errorf("%v\n%s", err, printed)
	}
	err = filepath.WalkDir(filepath.Join(d.home, "runs"), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, held := range []string{cookie, token} {
			if strings.Contains(string(data), held) {
				t.Errorf("%s holds %q", path, held)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
