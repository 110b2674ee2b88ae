package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// pageServer is a process of pflow serve, and a client that has opened the address it printed.
type pageServer struct {
	t      testing.TB
	dir    string // where it was started: files of workflows are found from there
	home   string
	env    []string
	url    string // without the token: "http://127.0.0.1:41234"
	open   string // as it was printed, with the token
	client *http.Client
	forms  string      // the token of its forms, once it was needed
	out    *awaited    // what it wrote to standard output
	lines  *lockedText // what it wrote to standard error
	ctx    context.Context
	pid    int
	end    func() int // by SIGINT; its exit status
}

// lockedText is written by one and read by others.
type lockedText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startPage starts pflow serve over a home, in an empty folder, with environment variables "NAME=value" beside those of this process and
// further arguments "--flag"; where one is --tls=CERT,KEY the client trusts that. It ends with the test.
func startPage(t testing.TB, home string, more ...string) *pageServer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	told := &awaited{found: make(chan string, 1)}
	p := &pageServer{t: t, dir: t.TempDir(), home: home, client: &http.Client{Jar: jar}, out: told, lines: &lockedText{}, ctx: context.Background()}
	args := []string{"serve", "--listen", "127.0.0.1:0"}
	for _, m := range more {
		if strings.HasPrefix(m, "--tls=") {
			p.client.Transport = trusting(t, m)
		}
		if strings.HasPrefix(m, "-") || !strings.Contains(m, "=") {
			args = append(args, m)
		} else {
			p.env = append(p.env, m)
		}
	}
	c := p.command(args...)
	c.Stdout, c.Stderr = told, p.lines
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.pid = c.Process.Pid
	exit := make(chan int, 1)
	go func() {
		_ = c.Wait()
		exit <- c.ProcessState.ExitCode()
		close(exit)
	}()
	p.end = sync.OnceValue(func() int {
		_ = c.Process.Signal(os.Interrupt)
		p.client.CloseIdleConnections()
		return <-exit
	})
	select {
	case p.open = <-told.found:
	case code := <-exit:
		t.Fatalf("pflow serve ended with status %d: %s", code, p.lines)
	case <-time.After(time.Minute):
		t.Fatalf("pflow serve printed no address: %s", p.lines)
	}
	u, err := url.Parse(p.open)
	if err != nil {
		t.Fatal(err)
	}
	p.url = u.Scheme + "://" + u.Host
	t.Cleanup(func() { p.end() })
	if got := p.do("GET", p.open, nil, nil); got.Status != http.StatusOK {
		t.Fatalf("GET %s: %d\n%s", p.open, got.Status, got.Body)
	}
	return p
}

// awaited waits for the address with a token on a stream.
type awaited struct {
	lockedText
	found chan string
}

var printedAddress = regexp.MustCompile(`https?://[^\s"]+/\?token=[^\s"&]+`)

func (a *awaited) Write(p []byte) (int, error) {
	n, err := a.lockedText.Write(p)
	if m := printedAddress.FindString(a.String()); m != "" {
		select {
		case a.found <- m:
		default:
		}
	}
	return n, err
}

// pageAnswer is what a request came to.
type pageAnswer struct {
	Status int
	Header http.Header
	Body   string
	Path   string // of the page that it ended on
}

// do sends a request; address is a path, or the whole. Redirects are followed.
func (p *pageServer) do(method, address string, body io.Reader, header map[string]string) pageAnswer {
	p.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.url + address
	}
	r, err := http.NewRequestWithContext(p.ctx, method, address, body)
	if err != nil {
		p.t.Fatal(err)
	}
	for name, v := range header {
		if name == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(name, v)
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, address, err)
	}
	return pageAnswer{res.StatusCode, res.Header, string(data), res.Request.URL.RequestURI()}
}

// get fetches a page.
func (p *pageServer) get(path string) pageAnswer {
	p.t.Helper()
	return p.do("GET", path, nil, nil)
}

// token is what forms of the page carry, as long as the server lives.
func (p *pageServer) token() string {
	p.t.Helper()
	if p.forms == "" {
		m := regexp.MustCompile(`<meta name="pflow-token" content="([^"]+)"`).FindStringSubmatch(p.get("/runs").Body)
		if m == nil {
			p.t.Fatal("the page has no token for its forms")
		}
		p.forms = m[1]
	}
	return p.forms
}

// post sends a form as the page does, and follows to the page that comes then. Fields are name and value in turn.
func (p *pageServer) post(path string, fields ...string) pageAnswer {
	p.t.Helper()
	form := url.Values{"token": {p.token()}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return p.do("POST", path, strings.NewReader(form.Encode()), map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": p.url})
}

// api makes a call of the API and gives its document. body is sent as JSON, nil is none.
func (p *pageServer) api(method, path string, body any) (status int, document map[string]any) {
	p.t.Helper()
	var sent io.Reader
	header := map[string]string{}
	if method != "GET" {
		header["X-Pflow-Token"], header["Origin"] = p.token(), p.url
	}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		sent, header["Content-Type"] = bytes.NewReader(data), "application/json"
	}
	got := p.do(method, path, sent, header)
	if err := json.Unmarshal([]byte(got.Body), &document); err != nil {
		p.t.Fatalf("%s %s: %d, no JSON object: %v\n%s", method, path, got.Status, err, got.Body)
	}
	return got.Status, document
}

// command is pflow over the home of a page, in its folder and with its environment.
func (p *pageServer) command(args ...string) *exec.Cmd {
	end, home := commandEnd(args), []string{"--home", p.home}
	if p.home == "" {
		home = nil // the environment says where it is
	}
	c := exec.Command("pflow", slices.Concat(args[:end], home, args[end:])...)
	c.Dir, c.Env = p.dir, append(os.Environ(), p.env...)
	return c
}

// pflow carries a command out that must do what it is told; its standard output is given.
func (p *pageServer) pflow(args ...string) string {
	p.t.Helper()
	out, messages, code := p.carry(args...)
	if code != exitDone {
		p.t.Fatalf("pflow %s: status %d\n%s%s", strings.Join(args, " "), code, out, messages)
	}
	return out
}

// carry carries a command out, and gives what it wrote to standard output and error, and its exit status.
func (p *pageServer) carry(args ...string) (out, messages string, code int) {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	c := p.command(args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); c.ProcessState == nil {
		p.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// workflow saves a workflow in the home of a page.
func (p *pageServer) workflow(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), name+".json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.pflow("workflow", "save", file, "--name", name, "--yes", "--quiet")
}

// until fetches a page until it says something, or it never will.
func (p *pageServer) until(path, want string) string {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		got := p.get(path)
		if strings.Contains(got.Body, want) {
			return got.Body
		}
		time.Sleep(10 * time.Millisecond)
		if time.Now().After(end) {
			p.t.Fatalf("%s never said %q:\n%s", path, want, got.Body)
		}
	}
}

// runsOf gives the runs of a page's home, the newest first.
func (p *pageServer) runsOf(args ...string) []struct{ ID, Status, Kind, Name, By, Parent string } {
	p.t.Helper()
	var got struct {
		Runs []struct{ ID, Status, Kind, Name, By, Parent string }
	}
	if err := json.Unmarshal([]byte(p.pflow(append([]string{"runs", "list", "--json"}, args...)...)), &got); err != nil {
		p.t.Fatal(err)
	}
	return got.Runs
}

// exits carries a command out that asks nobody, and gives its exit status.
func (p *pageServer) exits(args ...string) int {
	p.t.Helper()
	_, _, code := p.carry(slices.Insert(slices.Clone(args), commandEnd(args), "--batch")...)
	return code
}

// file is the path of a file in the folder of the page.
func (p *pageServer) file(name string) string { return filepath.Join(p.dir, name) }

// ended follows to the page of a job until it has ended.
func (p *pageServer) ended(a pageAnswer) pageAnswer {
	p.t.Helper()
	if !strings.HasPrefix(a.Path, "/planner/jobs/") {
		p.t.Fatalf("no page of a job: %s %d\n%s", a.Path, a.Status, a.Body)
	}
	for strings.Contains(a.Body, "data-events=") {
		time.Sleep(10 * time.Millisecond)
		a = p.get(a.Path)
	}
	return a
}

// says fails the test where a page does not say something.
func says(t *testing.T, body string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(body, w) {
			t.Errorf("the page has no %q:\n%s", w, body)
		}
	}
}

// wants fails where a page has another status, or lacks a text.
func (a pageAnswer) wants(t *testing.T, what string, status int, texts ...string) {
	t.Helper()
	a.safe(t, what)
	if a.Status != status {
		t.Errorf("%s: status %d, want %d\n%s", what, a.Status, status, mainOf(a.Body))
	}
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			t.Errorf("%s lacks %q\n%s", what, text, mainOf(a.Body))
		}
	}
}

// field is the value of a hidden field of a page.
func (a pageAnswer) field(t *testing.T, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + regexp.QuoteMeta(name) + `" value="([^"]*)"`).FindStringSubmatch(a.Body)
	if m == nil {
		t.Fatalf("there is no field %s in\n%s", name, mainOf(a.Body))
	}
	return html.UnescapeString(m[1])
}

// safe fails where a page holds what it was given as it was given.
func (a pageAnswer) safe(t *testing.T, what string) {
	t.Helper()
	for _, bad := range []string{"<script>alert", "<img src=x", `"javascript:`} {
		if strings.Contains(a.Body, bad) {
			t.Errorf("%s holds %s", what, bad)
		}
	}
}

// mainOf is what a page says, without its frame.
func mainOf(body string) string {
	if _, after, ok := strings.Cut(body, "<main"); ok {
		body, _, _ = strings.Cut(after, "</main>")
	}
	return body
}
