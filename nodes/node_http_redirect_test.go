package nodes

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/mask"
)

// serverAt starts a server at an address of this machine.
func serverAt(t *testing.T, address string, h http.HandlerFunc) *httptest.Server {
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// TestRedirectsKeepSecretsHome redirects between real servers: what a request brings stays where it was sent.
func TestRedirectsKeepSecretsHome(t *testing.T) {
	var home, other, port *httptest.Server
	seen := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"method": r.Method, "auth": r.Header.Get("Authorization"), "key": r.Header.Get("X-Api-Key"), "cookie": r.Header.Get("Cookie"),
			"agent": r.Header.Get("User-Agent"), "referer": r.Header.Get("Referer"), "body": string(body),
		})
	}
	jump := func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusFound
		if strings.HasSuffix(r.URL.Path, "307") {
			code = http.StatusTemporaryRedirect
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/other"):
			http.Redirect(w, r, other.URL+"/end", code)
		case strings.HasPrefix(r.URL.Path, "/port"):
			http.Redirect(w, r, port.URL+"/end", code)
		case strings.HasPrefix(r.URL.Path, "/stay"):
			http.Redirect(w, r, "/end", code)
		case strings.HasPrefix(r.URL.Path, "/round"):
			http.Redirect(w, r, other.URL+"/back"+strings.TrimPrefix(r.URL.Path, "/round"), code)
		case strings.HasPrefix(r.URL.Path, "/back"):
			http.Redirect(w, r, home.URL+"/end", code)
		default:
			seen(w, r)
		}
	}
	home, other, port = serverAt(t, "127.0.0.1:0", jump), serverAt(t, "127.0.0.2:0", jump), serverAt(t, "127.0.0.1:0", jump)
	ctx := mask.With(t.Context(), func() *mask.Masker { return mask.New(mask.Env("TOKEN", "s3cret/value")) })
	ask := func(path, body, agent string) (map[string]any, error) {
		params := map[string]any{"url": home.URL + path + "?k=s3cret%2Fvalue", "headers": map[string]any{
			"Authorization": "Bearer s3cret/value", "X-Api-Key": "s3cret/value", "Cookie": "c=1", "User-Agent": agent}}
		if body != "" {
			params["body"] = body
		}
		out, err := nodeType(t, Deps{}, "http").Run(ctx, newCall(t, params, nil))
		got, _ := out.Outputs["response"].(map[string]any)
		return got, err
	}
	if got, err := ask("/stay", "", "agent"); err != nil || got["auth"] != "Bearer s3cret/value" || got["key"] != "s3cret/value" || got["cookie"] != "c=1" {
		t.Errorf("on the same host: %v, %v", got, err)
	}
	for _, path := range []string{"/other", "/port", "/round"} {
		got, err := ask(path, "", "agent s3cret/value")
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, name := range []string{"auth", "key", "cookie", "referer"} {
			if got[name] != "" {
				t.Errorf("%s: %s is %q", path, name, got[name])
			}
		}
		if agent, _ := got["agent"].(string); strings.Contains(agent, "s3cret") {
			t.Errorf("%s: the agent is %q", path, agent)
		}
		for _, body := range []string{"a s3cret/value", `{"token": "s3cret\/value"}`, "czNjcmV0L3ZhbHVl"} {
			got, err := ask(path+"307", body, "agent")
			if f := fault.Of(err); err == nil || f.Kind != fault.Permission || !strings.Contains(f.Message, "with a body that holds a secret and was not followed") {
				t.Errorf("%s with %q: %v, %v", path, body, got, err)
			}
		}
		if got, err := ask(path+"307", "nothing to hide", "agent"); err != nil || got["body"] != "nothing to hide" || got["method"] != "POST" {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if got, err := ask("/stay307", "a s3cret/value", "agent"); err != nil || got["body"] != "a s3cret/value" {
		t.Errorf("on the same host: %v, %v", got, err)
	}
}

// TestNoWayToLinkLocal asks a server that redirects to where machines in a cloud keep their credentials.
func TestNoWayToLinkLocal(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	defer server.Close()
	_, err := nodeType(t, Deps{}, "http").Run(t.Context(), newCall(t, map[string]any{"url": server.URL}, nil))
	if f := fault.Of(err); err == nil || f.Kind != fault.Permission || !strings.Contains(f.Message, "169.254.169.254 is a link-local address") {
		t.Error(err)
	}
}
