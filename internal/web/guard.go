package web

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// guard lets only those pass who have the token, and only what their own page or program asks for. What a browser is made to send
// by a page of somebody else, by whatever name that page reaches this server, does not pass.
type guard struct {
	token  string // the login: in the printed address, and as "Authorization: Bearer" of programs
	cookie string // what a browser holds once it has opened that address
	form   string // what changes anything carries beside the cookie; of the page's forms and scripts
	name   string // of the cookie: browsers do not tell ports apart
	o      Listening
	wrong  wrongTokens
	large  chan struct{} // holds one for each large body that is worked on
}

// Listening is where a server is reached.
type Listening struct {
	IP    netip.Addr // unspecified: on every address
	Port  int
	TLS   bool
	Names []string // of the certificate, "*.example.com" among them

	// Public is the origin under which a proxy shows the server, such as https://pflow.example.com; "" where none does.
	Public string
}

func newGuard(o Listening) *guard {
	g := &guard{token: rand.Text() + rand.Text(), name: fmt.Sprintf("pflow_%d", o.Port), o: o, large: make(chan struct{}, maxLarge)}
	g.cookie, g.form = derived(g.token, "cookie"), derived(g.token, "form")
	return g
}

// derived is a token that follows from another, and tells nothing of it.
func derived(token, what string) string {
	h := hmac.New(sha256.New, []byte(token))
	h.Write([]byte("pflow " + what))
	return hex.EncodeToString(h.Sum(nil))
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Bounds of a request and of its answer, in time.
const (
	readBody  = time.Minute
	writeSome = 30 * time.Second // each piece of an answer
)

// Bounds of what bodies take in memory, which is some times their size.
const (
	largeBody = 256 << 10 // bytes
	maxLarge  = 8         // that are worked on at the same time; others are refused
)

type nonceKey struct{}

func nonceOf(ctx context.Context) string {
	n, _ := ctx.Value(nonceKey{}).(string)
	return n
}

func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &bounded{w, http.NewResponseController(w), r.ProtoMajor == 2}
		nonce := rand.Text()
		setHeaders(w.Header(), nonce)
		large := false
		defer func() {
			if large {
				<-g.large
			}
		}()
		if err := g.pass(w, r, &large); err != nil {
			refuse(w, r, err, nonce)
			return
		}
		if r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") {
			http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.cookie, Path: "/", HttpOnly: true, Secure: g.o.TLS || strings.HasPrefix(g.o.Public, "https:"), SameSite: http.SameSiteStrictMode})
			w.Header().Set("Referrer-Policy", "no-referrer")
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nonceKey{}, nonce)))
	})
}

// setHeaders says what a browser may do with an answer.
func setHeaders(h http.Header, nonce string) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; connect-src 'self'; img-src 'self' data:; "+
		"font-src 'none'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// Not no-referrer: browsers then say "Origin: null" of the page's own forms, too.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
}

// pass reads a request and says why it does not pass. large is whether its body holds a place of the large ones.
func (g *guard) pass(w http.ResponseWriter, r *http.Request, large *bool) error {
	if !g.here(r.Host) {
		return &Error{Status: http.StatusMisdirectedRequest, Message: fmt.Sprintf("%.200q is no name of this server", r.Host), Do: "open the address that pflow serve printed"}
	}
	changes := false
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		changes = true
	default:
		return &Error{Status: http.StatusMethodNotAllowed, Message: "there is no method " + r.Method}
	}
	if err := g.sameOrigin(r, changes); err != nil {
		return err
	}
	bearer, err := g.known(r)
	if err != nil {
		return err
	}
	if !changes {
		r.Body = http.NoBody
		return nil
	}
	if r.ContentLength > largeBody || r.ContentLength < 0 {
		select {
		case g.large <- struct{}{}:
			*large = true
		default: // over HTTP/2 those that wait would keep the others from being read
			return &Error{Status: http.StatusServiceUnavailable, Message: fmt.Sprintf("%d large bodies are worked on already", maxLarge), Do: "send it again when they are done"}
		}
	}
	if err := readWhole(w, r); err != nil {
		return err
	}
	if !bearer && !equal(r.Header.Get("X-Pflow-Token"), g.form) && (isAPI(r) || !equal(r.PostFormValue("token"), g.form)) {
		return &Error{Status: http.StatusForbidden, Message: "what changes anything needs the token of the page", Do: "load the page anew"}
	}
	return nil
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// here reports whether a Host is a name of this server. A name that somebody else's DNS says may be none of ours: of those only the
// names of the certificate are.
func (g *guard) here(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	loopback := g.o.IP.IsLoopback() || g.o.IP.IsUnspecified()
	if ip, err := netip.ParseAddr(host); err == nil {
		return g.o.IP.IsUnspecified() || ip.Unmap() == g.o.IP.Unmap() || loopback && ip.IsLoopback()
	}
	host = strings.ToLower(host)
	if host == "localhost" {
		return loopback
	}
	if public, err := url.Parse(g.o.Public); err == nil && host != "" && host == strings.ToLower(public.Hostname()) {
		return true
	}
	for _, name := range g.o.Names {
		name = strings.ToLower(name)
		if _, domain, ok := strings.Cut(host, "."); host == name || ok && name == "*."+domain {
			return true
		}
	}
	return false
}

// sameOrigin refuses what a page of another origin made a browser send. Programs send none of these headers.
func (g *guard) sameOrigin(r *http.Request, changes bool) error {
	scheme := "http"
	if g.o.TLS {
		scheme = "https"
	}
	origin := r.Header.Get("Origin")
	foreign := &Error{Status: http.StatusForbidden, Message: "a page of another origin asked for this"}
	own := strings.EqualFold(origin, scheme+"://"+r.Host) || g.o.Public != "" && strings.EqualFold(origin, g.o.Public)
	if origin != "" && !own {
		return foreign
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin":
	case "none":
		if changes {
			return foreign
		}
	default: // a link that was followed shows a page; nothing else passes
		if changes || isAPI(r) || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
			return foreign
		}
	}
	return nil
}

// known reports whether a request has a token, and whether as a program has it.
func (g *guard) known(r *http.Request) (bearer bool, err error) {
	given := false
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if equal(token, g.token) {
			return true, nil
		}
		given = true
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") {
		if equal(r.URL.Query().Get("token"), g.token) {
			return false, nil
		}
		given = true
	} else if c, err := r.Cookie(g.name); err == nil {
		if equal(c.Value, g.cookie) {
			return false, nil
		}
		given = true
	}
	refused := &Error{Status: http.StatusUnauthorized, Message: "this needs the token of pflow serve",
		Do: "open the address that pflow serve printed when it began; programs send its token as Authorization: Bearer TOKEN"}
	if given {
		refused.Message, refused.stale = "this token is of another start of pflow serve: each has its own", true
	}
	if given && g.wrong.tooMany(r.Context(), r.RemoteAddr) {
		refused.Status, refused.Message = http.StatusTooManyRequests, "that was no token of pflow serve, once more"
	}
	return false, refused
}

// readWhole reads the body of a request, within bounds of size and time, so that nobody holds on to what comes after.
func readWhole(w http.ResponseWriter, r *http.Request) error {
	tooLarge := &Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the body is larger than %d MB", maxBody>>20)}
	if r.ContentLength > maxBody {
		w.Header().Set("Connection", "close")
		return tooLarge
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readBody)) // where the connection has none, the size bounds it
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge
	case err != nil:
		return &Error{Status: http.StatusBadRequest, Message: "the body cannot be read"}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) == 0 {
		return nil
	}
	// What forms of any page can send is no JSON, which needs the token in its header.
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json":
	case isAPI(r):
		return &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is not said to be JSON", Do: "send Content-Type: application/json"}
	case kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data":
		return &Error{Status: http.StatusUnsupportedMediaType, Message: "the body is not said to be a form"}
	case r.ParseForm() != nil: // what reads a field of it later is not told
		return &Error{Status: http.StatusBadRequest, Message: "the form cannot be read"}
	}
	return nil
}

// bounded is an answer each piece of which is taken in time, or not at all.
type bounded struct {
	http.ResponseWriter
	control *http.ResponseController
	resets  bool // HTTP/2: a deadline that passes ends the answer, also while nothing is written
}

func (b *bounded) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b *bounded) Write(p []byte) (int, error) {
	_ = b.control.SetWriteDeadline(time.Now().Add(writeSome)) // where the connection has none, nothing is lost
	return b.ResponseWriter.Write(p)
}

// FlushError sends what was written.
func (b *bounded) FlushError() error {
	_ = b.control.SetWriteDeadline(time.Now().Add(writeSome))
	err := b.control.Flush()
	if b.resets { // what was written is taken; the next piece may take long to be made
		_ = b.control.SetWriteDeadline(time.Time{})
	}
	return err
}
