//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hostileTexts are texts that would do harm where they are taken for markup.
var hostileTexts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`, `</textarea><script>alert(1)</script>`,
	"\u202egpj.exe", "{{.Token}}", `--><svg onload=alert(1)>`,
}

// harmful finds what none of them may become in a page.
var (
	harmful    = regexp.MustCompile(`(?i)<script>alert|<img src=x|<svg onload|(href|src|action|formaction)\s*=\s*["']?\s*javascript:|</textarea><script`)
	handlers   = regexp.MustCompile(`(?i)<[a-z][^>]*\son[a-z]+\s*=`) // of events, where the values of attributes are taken out
	attributes = regexp.MustCompile(`="[^"]*"`)
)

// harmIn gives what is harmful in a page, "" if nothing is.
func harmIn(page string) string {
	if m := harmful.FindString(page); m != "" {
		return around(page, m)
	}
	return handlers.FindString(attributes.ReplaceAllString(page, `=""`))
}

// raw sends a request as it stands and gives the whole answer.
func (p *pageServer) raw(text string) string {
	p.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		p.t.Fatal(err)
	}
	answer, _ := io.ReadAll(c)
	return string(answer)
}

// cookie is what a browser sends.
func (p *pageServer) cookie() string {
	u, _ := url.Parse(p.url)
	var all []string
	for _, c := range p.client.Jar.Cookies(u) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// TestPageHosts: under a name that somebody else gave to this address nothing is answered, not even with a cookie.
func TestPageHosts(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	for host, want := range map[string]int{
		"127.0.0.1": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:7353": 200, "127.0.0.2:80": 200,
		"evil.example": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example:7353": 421, "10.0.0.1": 421, "[::]": 421, "0.0.0.0": 421,
		"localhost.": 421, "127.0.0.1@evil.example": 400, "2130706433": 421, "0x7f.1": 421, "::ffff:10.0.0.1": 400,
	} {
		got := p.raw("GET /runs HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + p.cookie() + "\r\nConnection: close\r\n\r\n")
		status, _, _ := strings.Cut(strings.TrimPrefix(got, "HTTP/1.1 "), " ")
		if status != fmt.Sprint(want) && (want != 400 || status != "421") {
			t.Errorf("Host %q: %s, want %d", host, status, want)
		}
	}
	for _, text := range []string{"GET /runs HTTP/1.1\r\n", "GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n", "GET /runs HTTP/1.0\r\n", "GET http://evil.example/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n"} {
		if got := p.raw(text + "Cookie: " + p.cookie() + "\r\nConnection: close\r\n\r\n"); strings.Contains(got, " 200 OK") {
			t.Errorf("%q is answered: %.200s", text, got)
		}
	}
}

// TestPageForeign: what pages of other origins make a browser send changes nothing and shows nothing, and none of them may read anything.
func TestPageForeign(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	work := t.TempDir()
	file := filepath.Join(work, "greet.json")
	if err := os.WriteFile(file, []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "x"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.pflow("workflow", "save", file, "--yes")
	token := p.token()
	const form, plain = "application/x-www-form-urlencoded", "text/plain"
	for name, c := range map[string]struct {
		method, path, body string
		header             map[string]string
		want               int
	}{
		"no token":                       {"DELETE", "/api/v1/workflows/greet", "", nil, 403},
		"a wrong token":                  {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token[1:] + "0"}, 403},
		"the token in the query":         {"DELETE", "/api/v1/workflows/greet?token=" + token, "", nil, 403},
		"the cookie as token":            {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": p.cookie()[strings.IndexByte(p.cookie(), '=')+1:]}, 403},
		"a foreign origin":               {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Origin": "http://evil.example"}, 403},
		"another port":                   {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Origin": "http://127.0.0.1:1"}, 403},
		"another scheme":                 {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Origin": strings.Replace(p.url, "http", "https", 1)}, 403},
		"no origin that may be told":     {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Origin": "null"}, 403},
		"of another site":                {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Sec-Fetch-Site": "cross-site"}, 403},
		"of the same site":               {"DELETE", "/api/v1/workflows/greet", "", map[string]string{"X-Pflow-Token": token, "Sec-Fetch-Site": "same-site"}, 403},
		"a form to the API":              {"POST", "/api/v1/workflows/greet/rename", "token=" + token + "&to=x", map[string]string{"Content-Type": form}, 415},
		"JSON said to be text":           {"POST", "/api/v1/workflows/greet/rename", `{"to": "x"}`, map[string]string{"Content-Type": plain, "X-Pflow-Token": token}, 415},
		"JSON said to be nothing":        {"POST", "/api/v1/workflows/greet/rename", `{"to": "x"}`, map[string]string{"X-Pflow-Token": token}, 415},
		"a form without the token":       {"POST", "/library/greet/delete", "confirm=true", map[string]string{"Content-Type": form}, 403},
		"a form with it in the query":    {"POST", "/library/greet/delete?token=" + token, "x=y", map[string]string{"Content-Type": form}, 403},
		"a form of elsewhere":            {"POST", "/library/greet/delete", "token=" + token, map[string]string{"Content-Type": form, "Origin": "http://evil.example"}, 403},
		"a form as text":                 {"POST", "/library/greet/delete", "token=" + token, map[string]string{"Content-Type": plain}, 415},
		"an image of the API":            {"GET", "/api/v1/workflows", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403},
		"a frame of a page":              {"GET", "/runs", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		"a script from the same site":    {"GET", "/runs", "", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403},
		"a link to the API":              {"GET", "/api/v1/workflows", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403},
		"a link to a page":               {"GET", "/runs", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		"the page itself":                {"GET", "/api/v1/workflows", "", map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Origin": p.url}, 200},
		"asking what is allowed":         {"OPTIONS", "/api/v1/workflows/greet", "", map[string]string{"Origin": "http://evil.example", "Access-Control-Request-Method": "DELETE"}, 405},
		"a method that there is not":     {"TRACE", "/runs", "", nil, 405},
		"another origin reads the API":   {"GET", "/api/v1/workflows", "", map[string]string{"Origin": "http://evil.example"}, 403},
		"a page fetched by another port": {"GET", "/runs", "", map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403},
	} {
		got := p.do(c.method, c.path, strings.NewReader(c.body), c.header)
		if got.Status != c.want {
			t.Errorf("%s: %d, want %d\n%.300s", name, got.Status, c.want, got.Body)
		}
		for header := range got.Header {
			if strings.HasPrefix(header, "Access-Control-") {
				t.Errorf("%s: %s: %s", name, header, got.Header.Get(header))
			}
		}
	}
	if status, got := p.api("GET", "/api/v1/workflows/greet", nil); status != http.StatusOK {
		t.Errorf("the workflow is gone: %v", got)
	}
	p.client.Jar = nil
	bearer := map[string]string{"Authorization": "Bearer " + p.open[strings.LastIndexByte(p.open, '=')+1:]}
	if got := p.do("DELETE", "/api/v1/workflows/greet", nil, bearer); got.Status != http.StatusOK {
		t.Errorf("a program with the token: %d %s", got.Status, got.Body)
	}
	for _, path := range []string{"/runs", "/api/v1/runs", "/assets/app.js", "/api/v1/openapi.json", "/none"} {
		if got := p.do("GET", path, nil, nil); got.Status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, got.Status)
		}
	}
}

// TestPageTokens: wrong tokens are told from right ones only by whoever has the right one, and whoever has it passes after any number of them.
func TestPageTokens(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	right := p.open[strings.LastIndexByte(p.open, '=')+1:]
	if len(right) < 40 || strings.Contains(p.get("/").Body, right) || strings.Contains(p.lines.String(), right) || strings.Contains(p.cookie(), right) {
		t.Errorf("the token is short, or it is told: %s", p.lines)
	}
	stranger := *p.client
	stranger.Jar = nil
	owner := p.client
	seen := map[int]int{}
	for k := range 14 {
		p.client = &stranger
		wrong := []string{"", "x", right[1:], right + "x", strings.ToLower(right), right[:len(right)-1] + "_"}[k%6]
		header := map[string]string{"Authorization": "Bearer " + wrong}
		if k%2 == 0 {
			header = map[string]string{"Cookie": strings.Split(p.cookieOf(owner), "=")[0] + "=" + wrong}
		}
		got := p.do("GET", "/api/v1/runs", nil, header)
		seen[got.Status]++
		p.client = owner
		if got := p.get("/api/v1/runs"); got.Status != http.StatusOK {
			t.Fatalf("the owner is kept out: %d %s", got.Status, got.Body)
		}
	}
	if seen[http.StatusUnauthorized] == 0 || seen[http.StatusTooManyRequests] == 0 || len(seen) != 2 {
		t.Errorf("answers to wrong tokens: %v", seen)
	}
	if got := p.raw("GET /runs?token=" + right + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 401") {
		t.Errorf("a token in the address of another page: %.100s", got)
	}
	got := p.raw("GET /?token=" + right + "&x=%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 303") || strings.Count(got, "Set-Cookie:") != 1 || !strings.Contains(got, "Location: /\r\n") || !strings.Contains(got, "Referrer-Policy: no-referrer") {
		t.Errorf("the address that was printed, with more: %s", got)
	}
}

func (p *pageServer) cookieOf(c *http.Client) string {
	u, _ := url.Parse(p.url)
	all := c.Jar.Cookies(u)
	return all[0].Name + "=" + all[0].Value
}

// TestPageSlow: those who send or read slowly, or never, hold up nobody.
func TestPageSlow(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	file, goes := waitingWorkflow(t)
	address := strings.TrimPrefix(p.url, "http://")
	begun := make(chan int, 1)
	go func() {
		begun <- p.exits("run", file, "--yes")
	}()
	until(t, "the run begins", func() bool {
		_, got := p.api("GET", "/api/v1/runs?status=running", nil)
		all, _ := got["runs"].([]any)
		return len(all) == 1
	})
	head := " HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + p.cookie() + "\r\n"
	for k := range 60 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(1024)
		}
		switch k % 4 {
		case 0: // it never says what it wants
			_, err = io.WriteString(c, "GET /runs HTTP/1.1\r\nHost: 127.")
		case 1: // it never sends what it said it would
			_, err = io.WriteString(c, "POST /api/v1/runs/last/cancel"+head+"Content-Type: application/json\r\nContent-Length: 1000\r\nX-Pflow-Token: x\r\n\r\n{")
		case 2: // it never reads
			_, err = io.WriteString(c, strings.Repeat("GET /runs"+head+"\r\n", 50))
		case 3: // it never reads what goes on
			_, err = io.WriteString(c, "GET /api/v1/runs/last/events"+head+"\r\n")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	events := p.listen(t.Context(), "/api/v1/runs/last/events", "")
	if got := p.get("/runs"); got.Status != http.StatusOK {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if err := os.WriteFile(goes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	awaitEvent(t, events, "the end", func(e pageEvent) bool { return e.Name == "end" })
	if code := <-begun; code != exitDone {
		t.Errorf("the run: status %d", code)
	}
	if code := p.end(); code != exitDone {
		t.Errorf("status %d: %s", code, p.lines)
	}
}

// TestPageLarge: what is larger than it may be is refused before it is read on.
func TestPageLarge(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	token := p.token()
	large := strings.Repeat("x", 9<<20)
	for kind, body := range map[string]string{"application/json": `{"text": "` + large + `"}`, "application/x-www-form-urlencoded": "token=" + token + "&text=" + large} {
		path := map[bool]string{true: "/api/v1/workflow-check/yaml", false: "/library/_new"}[kind == "application/json"]
		if got := p.do("POST", path, strings.NewReader(body), map[string]string{"Content-Type": kind, "X-Pflow-Token": token}); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %.200s", path, got.Status, got.Body)
		}
	}
	for what, text := range map[string]string{
		"413": "POST /library/_new HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + p.cookie() + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n",
		"431": "GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
		"401": "POST /library/_new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text) // it may have been answered before the end
		line, err := bufio.NewReader(c).ReadString('\n')
		if !strings.Contains(line, " "+what+" ") && err == nil {
			t.Errorf("%s, want %s", line, what)
		}
		c.Close()
	}
	deep := `{"text": ` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"
	if got := p.do("POST", "/api/v1/workflow-check/yaml", strings.NewReader(deep), map[string]string{"Content-Type": "application/json", "X-Pflow-Token": token}); got.Status != http.StatusBadRequest {
		t.Errorf("deep JSON: %d %.200s", got.Status, got.Body)
	}
}

// around is where something stands in a page.
func around(page, what string) string {
	i := strings.Index(page, what)
	return page[max(0, i-100):min(len(page), i+200)]
}
