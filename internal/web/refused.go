package web

import (
	"html/template"
	"mime"
	"net/http"
	"strings"
)

// refusedPage is all that those see who are not let in: nothing of the home, and nothing that is fetched.
var refusedPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · pflow</title>
<link rel="icon" href="data:,">
<style nonce="{{.Nonce}}">
:root { color-scheme: light dark; }
body { font: 1.05rem/1.55 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
code { font-family: ui-monospace, monospace; }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
{{if .Token}}<p>{{if .Again}}Each start of <code>pflow serve</code> has a token of its own, and what this browser shows is of another start.{{else}}This page is for those who started <code>pflow serve</code>.{{end}}</p>
<p>Go to the terminal where it runs and open the address that it printed there, once. Then this page opens{{if .Again}} again{{end}}.</p>
{{else}}<p>{{.Message}}.</p>{{with .Do}}<p>To go on, {{.}}.</p>{{end}}{{end}}
</main>
</body>
</html>
`))

// refuse answers with why a request does not pass: programs as the API does, people with a page or a line.
func refuse(w http.ResponseWriter, r *http.Request, err error, nonce string) {
	e := asError(err)
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="pflow"`)
	}
	if e.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "60")
	}
	if isAPI(r) {
		writeError(w, e)
		return
	}
	if !wantsPage(r) {
		http.Error(w, "pflow: "+e.Error(), e.Status)
		return
	}
	page := struct {
		*Error
		Title, Nonce string
		Token, Again bool
	}{e, "pflow does not answer this", nonce, e.Status == http.StatusUnauthorized, e.stale}
	if page.Token {
		page.Title = "Open the address that pflow serve printed"
		if page.Again {
			page.Title = "pflow serve was started again"
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(e.Status)
	_ = refusedPage.Execute(w, page) // whoever asked may have gone
}

// wantsPage reports whether a browser asks for something that it shows.
func wantsPage(r *http.Request) bool {
	for _, kind := range strings.Split(r.Header.Get("Accept"), ",") {
		if of, _, err := mime.ParseMediaType(kind); err == nil && of == "text/html" {
			return true
		}
	}
	return false
}
