package htmltext

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ html, want string }{
		{"", ""},
		{"plain & simple", "plain & simple"},
		{"<p>One\n  two.<p>Three<br>four.</p>", "One two.\n\nThree\nfour."},
		{"<div>a</div><div> b <b>c</b>d </div>e", "a\nb cd\ne"},
		{"a<script>var x = '<p>no</p>'</script><style>p{}</style>b<noscript>no</noscript><!-- no --><template><p>no</p></template>c", "abc"},
		{"<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></li></ul>end", "- a\n- b\n  1. c\n  2. d\n\nend"},
		{"<h1>T</h1>text<h2>U</h2>more", "T\n\ntext\n\nU\n\nmore"},
		{"<pre>\na  b\n\n\n  c\n</pre>x", "a  b\n\n\n  c\n\nx"},
		{"<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a\tb\n1\t2"},
		{"&lt;b&gt; &amp;amp; caf&eacute;&nbsp;&#8364;", "<b> &amp; café €"},
		{"<svg><title>no</title><text>no</text></svg>yes<svg><p>after a drawing that is not closed", "yes\n\nafter a drawing that is not closed"},
		{"<head><title>no</title></head><body>yes", "yes"},
		{"</p></div></table></ul></a></h1></pre></svg></template>still", "still"},
		{"a\xffb", "a\uFFFDb"},
		{"<textarea>a &lt; b</textarea>", "a < b"},
	} {
		p, err := Read(t.Context(), c.html, nil)
		if err != nil || p.Text != c.want {
			t.Errorf("%s\ngives %q, %v\nwant  %q", c.html, p.Text, err, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	base, _ := url.Parse("https://example.com/a/page.html")
	page := `<html><head><title> My
 &amp; Page </title><base href="/b/"></head><body><title>other</title><h1>Top <em>story</em></h1>
<a name=anchor>no link</a><a href="x.html">One <b>two</b></a><a href=" http://a.example/far "><img alt="a picture"></a>
<h2><a href="#here">Linked</a></h2><a href="/one">not closed <a href="mailto:a@b.example">mail</a><map><area href=z alt=Zone></map>
<table><caption>c</caption><tr><th>Name<th>Age</tr><tr><td><a href="//c.example/p">Ann</a> B<td><p>45</table>
<table><tr><td>out<table><tr><td>in</table>more</table>`
	p, err := Read(t.Context(), page, base)
	if err != nil {
		t.Fatal(err)
	}
	p.Text = ""
	want := &Page{
		Title: "My & Page",
		Links: []Link{{"https://example.com/b/x.html", "One two"}, {"http://a.example/far", "a picture"}, {"https://example.com/b/#here", "Linked"},
			{"https://example.com/one", "not closed"}, {"mailto:a@b.example", "mail"}, {"https://example.com/b/z", "Zone"}, {"https://c.example/p", "Ann"}},
		Headings: []Heading{{1, "Top story"}, {2, "Linked"}},
		Tables:   [][][]string{{{"Name", "Age"}, {"Ann B", "45"}}, {{"out in more"}}, {{"in"}}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p, _ = Read(t.Context(), `<a href="/hello.txt">a</a><a href="">b</a>`, nil)
	if diff := cmp.Diff([]Link{{"/hello.txt", "a"}, {"", "b"}}, p.Links); diff != "" {
		t.Error(diff)
	}
}

// TestHostile reads pages that nest deep, or whose parts would multiply.
func TestHostile(t *testing.T) {
	base, _ := url.Parse("https://example.com/" + strings.Repeat("p", 100) + "/")
	for _, unit := range []string{"<div>", "<a href=x>", "<table><tr><td>x", "<ul><li>x", "</a>", "<svg>", "<pre>\n\n", "<h1>x", "<b", "&", "<!--", "<template>", "<base href=/>", "<title>", "<a href=" + strings.Repeat("y", 100) + "/>"} {
		source := strings.Repeat(unit, 1<<18/len(unit))
		p, err := Read(t.Context(), source, base)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Text) > 20*len(source) {
			t.Errorf("%.20s: %d bytes of text", unit, len(p.Text))
		}
	}
	p, _ := Read(t.Context(), strings.Repeat("<a href=x>", maxLinks+1), nil)
	if len(p.Links) != maxLinks || !p.Cut {
		t.Errorf("%d links, cut %v", len(p.Links), p.Cut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, "x", nil); err == nil {
		t.Error("a cancel is not heard")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("<p>a<ul><li><a href=x>b</a><table><td><h1>c<svg></svg><pre>d")
	f.Fuzz(func(t *testing.T, source string) {
		base, _ := url.Parse("http://h/")
		p, err := Read(t.Context(), source, base)
		if err != nil || !utf8.ValidString(p.Text) || p.Text != strings.TrimLeft(p.Text, "\n") {
			t.Errorf("%q, %v", p.Text, err)
		}
	})
}
