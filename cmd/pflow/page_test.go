package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
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

// TestPageTLS: the page is served encrypted, under a name of the certificate, and its cookie goes no other way.
func TestPageTLS(t *testing.T) {
	dir := t.TempDir()
	pair := writeCertificate(t, dir)
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	told, lines := &awaited{found: make(chan string, 1)}, &lockedText{}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- newApp(strings.NewReader(""), told, lines, os.Getenv).main(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--tls", cert + "," + key, "--home", t.TempDir()})
	}()
	defer func() {
		cancel(&signalError{os.Interrupt})
		<-ended
	}()
	address := <-told.found
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() != "example.com" {
		t.Fatalf("%s: %v", address, err)
	}
	client := pair.Client()
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+u.Port())
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if cookies := res.Cookies(); res.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("%d %v", res.StatusCode, res.Cookies())
	}
	client.CloseIdleConnections()
}

// writeCertificate writes cert.pem and key.pem, a certificate for example.com and 127.0.0.1 and its key. The client of the server that is
// given trusts it.
func writeCertificate(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	pair := httptest.NewUnstartedServer(nil)
	pair.StartTLS()
	t.Cleanup(pair.Close)
	secret, err := x509.MarshalPKCS8PrivateKey(pair.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate().Raw}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pair
}
