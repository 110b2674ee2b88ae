package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
)

// guard lets only those pass who have the token, by the cookie that the printed address sets.
type guard struct {
	token string
}

func newGuard() *guard { return &guard{token: rand.Text() + rand.Text()} }

type nonceKey struct{}

func nonceOf(ctx context.Context) string {
	n, _ := ctx.Value(nonceKey{}).(string)
	return n
}

const cookieName = "pflow"

func (g *guard) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if t := r.URL.Query().Get("token"); t != "" && g.is(t) && r.Method == "GET" {
			http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
			return
		}
		c, err := r.Cookie(cookieName)
		if err != nil || !g.is(c.Value) {
			http.Error(w, "open the address that pflow serve printed, with its token", http.StatusUnauthorized)
			return
		}
		nonce := rand.Text()
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'")
		if r.Method != "GET" && r.Method != "HEAD" && !g.is(r.FormValue("token")) && !g.is(r.Header.Get("X-Pflow-Token")) {
			http.Error(w, "what changes anything needs the token", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nonceKey{}, nonce)))
	})
}
