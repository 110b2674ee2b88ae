package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func downloadList(_ *testing.T, b *bench) {
	busy := 1
	a := b.serve(func(_ *api, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/gone.txt":
			http.Error(w, "gone", http.StatusGone)
		case r.URL.Path == "/b.bin" && busy > 0:
			busy--
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, "\x00"+r.URL.Path)
		}
	})
	sum := func(path string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte("\x00"+path))) }
	b.keep("downloads.csv", fmt.Sprintf("url,file,sha256\n%[1]s/a.bin,one.bin,%s\n%[1]s/gone.txt,gone.txt,\n%[1]s/b.bin,two.bin,\n%[1]s/wrong.bin,wrong.bin,%s\n", a.URL, sum("/a.bin"), sum("/else")))
	before := b.tree()
	var failed []any
	for range 2 { // the second time two of them are there already
		failed, _ = b.does("wait=1ms")["failed"].([]any)
	}
	if len(failed) != 2 || !strings.Contains(fmt.Sprint(failed[0]), "410") || !strings.Contains(fmt.Sprint(failed[1]), sum("/wrong.bin")) {
		b.t.Errorf("failed: %v", failed)
	}
	before["downloads/one.bin"], before["downloads/two.bin"] = "\x00/a.bin", "\x00/b.bin"
	before["downloads/SHA256SUMS"] = sum("/a.bin") + "  one.bin\n" + sum("/b.bin") + "  two.bin\n"
	b.is(before)
}

func watchPage(_ *testing.T, b *bench) {
	page := "<script>1</script><p>Seats</p><p>sold out</p>"
	a := b.serve(func(_ *api, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) })
	run := func() any { return b.does("url=" + a.URL)["changed"] }
	b.same("the first time", run(), "")
	b.is(map[string]string{"page.txt": "Seats\n\nsold out\n"})
	a.from(func() { page = "<script>2</script><div><p>Seats</p></div><p>sold out</p>" })
	b.same("only markup", run(), "")
	a.from(func() { page = "<p>Seats</p><p>12 left</p>" })
	changed, _ := run().(string)
	if !strings.Contains(changed, "-sold out") || !strings.Contains(changed, "+12 left") {
		b.t.Errorf("changed: %q", changed)
	}
	b.is(map[string]string{"page.txt": "Seats\n\n12 left\n", "changes.txt": strings.TrimRight(changed, "\n") + "\n"})
}

func watchURL(_ *testing.T, b *bench) {
	a := b.serve(func(a *api, w http.ResponseWriter, _ *http.Request) {
		switch n := len(a.sent); {
		case n == 2:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case n < 5:
			fmt.Fprint(w, "sold out")
		default:
			fmt.Fprint(w, "tickets!")
		}
	})
	b.does("url=" + a.URL + " every=1ms")
	b.is(map[string]string{"changed.txt": "tickets!"})
	b.same("looks", len(a.requests()), 5)
}

func checkLinks(_ *testing.T, b *bench) {
	a := b.serve(func(_ *api, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/docs/":
			fmt.Fprint(w, `<a href="good#one">Good</a><a href="good#two">Again</a><a href="/gone">Gone, "really"</a><a href="/post">Post</a><a href="mailto:a@example.org">Mail</a><a href="http://127.0.0.1:1/">Nobody</a>`)
		case "/docs/good":
		case "/post":
			http.Error(w, "no HEAD here", http.StatusMethodNotAllowed)
		default:
			http.NotFound(w, r)
		}
	})
	out := b.does("url=" + a.URL + "/docs/")
	b.same("checked", out["checked"], 4)
	rows := strings.Split(b.tree()["broken-links.csv"], "\n")
	if len(rows) != 4 || !strings.HasPrefix(rows[1], a.URL+`/gone,"Gone, ""really""",`) || !strings.Contains(rows[1], "404") ||
		!strings.HasPrefix(rows[2], "http://127.0.0.1:1/,Nobody,") || !strings.Contains(rows[2], "connection refused") {
		b.t.Errorf("broken: %q", rows)
	}
	asked := a.requests()
	if n := len(asked); n != 4 || asked[0] != "GET /docs/" {
		b.t.Errorf("requests: %q", asked)
	}
}

func tableFromPage(_ *testing.T, b *bench) {
	a := b.serve(func(_ *api, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<table><tr><td>menu</table><table><tr><th>Item<th>Price<tr><td>Tea, green<td>1.50<tr><td>Milk<td></table>")
	})
	b.does("number=2 url=" + a.URL)
	b.is(map[string]string{"table.csv": "Item,Price\n\"Tea, green\",1.50\nMilk,\n"})
	b.refuses("number=3 url="+a.URL, 1, "the page has no table 3; it has 2")
}

func allPages(_ *testing.T, b *bench) {
	a := b.serve(func(a *api, w http.ResponseWriter, r *http.Request) {
		next := map[string]string{"": "b", "b": "c", "c": "d"}[r.URL.Query().Get("cursor")]
		link := "null"
		if next != "" {
			link = fmt.Sprintf("%q", "http://"+r.Host+"/items?cursor="+next)
		}
		answerJSON(w, `{"items": [{"n": %d}, {"n": %d}], "next": %s}`, 2*len(a.sent)-1, 2*len(a.sent), link)
	})
	b.does("url=" + a.URL + "/items")
	b.same("items", json.RawMessage(b.tree()["items.json"]), []any{map[string]int{"n": 1}, map[string]int{"n": 2}, map[string]int{"n": 3}, map[string]int{"n": 4},
		map[string]int{"n": 5}, map[string]int{"n": 6}, map[string]int{"n": 7}, map[string]int{"n": 8}})
	b.same("requests", a.requests(), []string{"GET /items", "GET /items?cursor=b", "GET /items?cursor=c", "GET /items?cursor=d"})
}
