// Package htmltext reads a page: its text as a person would read it, its title, links, headings and tables. It goes through
// the tokens once and builds no tree: the time grows with the length, however deep a page nests, and a page whose tags do not
// match is read as far as it makes sense.
package htmltext

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is what a page says.
type Page struct {
	Title    string
	Text     string // paragraphs, with an empty line between; no line break at the end
	Links    []Link
	Headings []Heading
	Tables   [][][]string // each its rows, each their cells
	Cut      bool         // there are more links than are given
}

// Link is a link, in the order of the page.
type Link struct{ Href, Text string }

// Heading is a heading of level 1 to 6.
type Heading struct {
	Level int
	Text  string
}

// Bounds on links: on their number, and on the bytes of their addresses, to each of which a base may add.
const (
	maxLinks     = 100_000
	maxHrefBytes = 32 << 20
	maxBase      = 4096
)

// reader is the state of a walk over the tokens.
type reader struct {
	page  Page
	out   writer
	base  *url.URL
	hrefs int

	lists   []list // open ones, outermost first
	pre     int    // how many pre are open
	foreign int    // how many svg and math are open, whose titles and texts are none of the page
	hidden  int    // how many template are open
	titled  bool
	caught  []*capture // texts that are being collected, the outermost first
	tables  []*table
}

type list struct {
	ordered bool
	n       int
}

// capture collects the text of a link, a heading or a cell.
type capture struct {
	tag  atom.Atom
	in   int // how many tables it stands in
	text strings.Builder
	alt  string
	done func(text string)
}

type table struct {
	rows [][]string
	at   int // its place among the tables of the page
}

// Read reads a page. base, which may be nil, is its address: links are resolved against it, or against that of its base element.
func Read(ctx context.Context, source string, base *url.URL) (*Page, error) {
	z := html.NewTokenizer(strings.NewReader(source))
	r := &reader{base: base}
	var raw atom.Atom // the element whose text comes next as it stands: script, style, title
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch z.Next() {
		case html.ErrorToken: // of a text in memory: its end
			r.close(len(r.caught))
			r.page.Text = r.out.String()
			return &r.page, nil
		case html.TextToken:
			text := string(z.Text())
			switch {
			case raw == atom.Title && !r.titled && r.foreign == 0:
				r.page.Title, r.titled = strings.Join(strings.Fields(plain(text)), " "), true
			case raw == 0 || raw == atom.Textarea:
				r.text(text)
			}
		case html.StartTagToken:
			t := z.Token()
			raw = 0
			switch t.DataAtom {
			case atom.Script, atom.Style, atom.Title, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes, atom.Textarea, atom.Xmp:
				raw = t.DataAtom
			}
			r.start(t)
		case html.SelfClosingTagToken:
			t := z.Token()
			raw = 0
			if t.DataAtom == atom.Svg || t.DataAtom == atom.Math {
				continue
			}
			r.start(t)
		case html.EndTagToken:
			name, _ := z.TagName()
			raw = 0
			r.end(atom.Lookup(name))
		}
	}
}

var invisible = strings.NewReplacer("\u00a0", " ", "\u00ad", "", "\u200b", "")

// plain gives text without what is only there for the layout: hyphens that may be, blanks that do not break.
func plain(text string) string { return invisible.Replace(strings.ToValidUTF8(text, "\uFFFD")) }

// text takes text between tags.
func (r *reader) text(text string) {
	if r.hidden > 0 || r.foreign > 0 {
		return
	}
	text = plain(text)
	if r.pre > 0 {
		r.out.verbatim(text)
	} else {
		r.out.flow(text)
	}
	if n := len(r.caught); n > 0 { // those around it are given it when this one ends
		r.caught[n-1].text.WriteString(text)
	}
}

// maxNested bounds how many texts are collected within each other: each is copied to the one around it.
const maxNested = 8

// collect begins to collect the text of an element.
func (r *reader) collect(tag atom.Atom, done func(string)) {
	if len(r.caught) == maxNested {
		return
	}
	r.caught = append(r.caught, &capture{tag: tag, in: len(r.tables), done: done})
}

// close ends what was begun last, n of them, and hands their texts on to what is around them.
func (r *reader) close(n int) {
	for ; n > 0; n-- {
		last := len(r.caught) - 1
		c := r.caught[last]
		r.caught = r.caught[:last]
		text := strings.Join(strings.Fields(c.text.String()), " ")
		if last > 0 {
			r.caught[last-1].text.WriteString(" " + text + " ")
		}
		if text == "" {
			text = c.alt
		}
		c.done(text)
	}
}

// closeTag ends the innermost element of these tags whose text is collected, with all that is open within it. What stands
// around a table is not ended within it.
func (r *reader) closeTag(tags ...atom.Atom) {
	for n := 1; n <= len(r.caught) && r.caught[len(r.caught)-n].in == len(r.tables); n++ {
		for _, tag := range tags {
			if r.caught[len(r.caught)-n].tag == tag {
				r.close(n)
				return
			}
		}
	}
}

func (r *reader) link(href string) (string, bool) {
	if r.page.Cut {
		return "", false
	}
	href = strings.TrimSpace(strings.ToValidUTF8(href, "\uFFFD"))
	if r.base != nil {
		if u, err := r.base.Parse(href); err == nil {
			href = u.String()
		}
	}
	if r.hrefs += len(href); len(r.page.Links) >= maxLinks || r.hrefs > maxHrefBytes {
		r.page.Cut = true
		return "", false
	}
	return href, true
}

func attribute(t html.Token, name string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
