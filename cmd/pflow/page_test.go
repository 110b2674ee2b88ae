package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestPage: the address that is printed opens the page, once opened it needs no token, and what is asked of the API is what commands give.
func TestPage(t *testing.T) {
	p := startPage(t, t.TempDir())
	if got := p.get("/runs"); got.Status != http.StatusOK || !strings.Contains(got.Body, "<h1>Runs</h1>") {
		t.Errorf("/runs: %d\n%s", got.Status, got.Body)
	}
	status, got := p.api("GET", "/api/v1/runs", nil)
	if status != http.StatusOK || got["schema"] != runsSchema {
		t.Errorf("listRuns: %d %v", status, got)
	}
	if got := p.do("GET", p.url+"/", nil, nil); got.Status != http.StatusOK || strings.Contains(got.Body, "token="+p.token()) {
		t.Errorf("the page: %d\n%s", got.Status, got.Body)
	}
	if code := p.end(); code != exitDone {
		t.Errorf("status %d: %s", code, p.lines)
	}
}

// TestServeFlags: what others can reach is served encrypted, or if that is said not to matter; scripts are told the address.
func TestServeFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--listen 0.0.0.0:0", "it needs --tls CERT,KEY, --public ORIGIN where a proxy encrypts, or --insecure"},
		{"--listen :0", "it needs --tls"},
		{"--listen example.com:80", "it needs --tls"},
		{"--listen [::]:0", "it needs --tls"},
		{"--listen 7353", `want ADDRESS:PORT such as 127.0.0.1:7353, or off`},
		{"--listen off --insecure", "there is no page"},
		{"--public pflow.example.com", "want an origin"},
		{"--public https://pflow.example.com/page", "want an origin"},
		{"--listen 127.0.0.1:0 --tls cert.pem", "want CERT,KEY"},
		{"--listen 127.0.0.1:0 --tls no.pem,no.pem", "no.pem: no such file"},
		{"--listen 127.0.0.1:0 --tls a,b --insecure", "exclude each other"},
	} {
		var messages bytes.Buffer
		args := append(strings.Fields("serve "+c.args), "--home", t.TempDir())
		if code := newApp(strings.NewReader(""), io.Discard, &messages, os.Getenv).main(t.Context(), args); code != exitUsage || !strings.Contains(messages.String(), c.want) {
			t.Errorf("pflow serve %s: status %d: %s; want %s", c.args, code, &messages, c.want)
		}
	}
	home := t.TempDir()
	one := startPage(t, home, "--json")
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(one.out.String()))
	if err == nil {
		err = compileSchema(t, "serving").Validate(v)
	}
	if err != nil || !strings.Contains(one.out.String(), `"schedules":true`) {
		t.Errorf("%v: %s", err, one.out)
	}
	two := startPage(t, home, "--json") // the schedules are carried out already
	if !strings.Contains(two.out.String(), `"schedules":false`) || two.get("/runs").Status != http.StatusOK {
		t.Errorf("%s", two.out)
	}
	if code := two.end(); code != exitDone || !strings.Contains(two.lines.String(), "this is the page only") {
		t.Errorf("status %d: %s", code, two.lines)
	}
}
