package htmltext

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// apart are the elements with an empty line before and after; lines those that begin and end a line.
var (
	apart = atoms(atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Table, atom.Hr,
		atom.Dl, atom.Figure, atom.Fieldset, atom.Article, atom.Section, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Aside, atom.Form, atom.Details)
	lines = atoms(atom.Div, atom.Li, atom.Tr, atom.Br, atom.Dt, atom.Dd, atom.Figcaption, atom.Caption, atom.Body, atom.Html, atom.Option,
		atom.Address, atom.Summary, atom.Legend, atom.Thead, atom.Tbody, atom.Tfoot, atom.Center)
)

func atoms(list ...atom.Atom) map[atom.Atom]bool {
	set := map[atom.Atom]bool{}
	for _, a := range list {
		set[a] = true
	}
	return set
}

func level(a atom.Atom) int {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		n, _ := strconv.Atoi(a.String()[1:])
		return n
	}
	return 0
}

func (r *reader) start(t html.Token) {
	tag := t.DataAtom
	switch tag {
	case atom.Svg, atom.Math:
		r.foreign++
	case atom.Template:
		r.hidden++
	}
	if apart[tag] || tag == atom.Div {
		r.foreign = 0 // a drawing holds no paragraph: it was not closed
	}
	if r.foreign > 0 || r.hidden > 0 {
		return
	}
	r.breakFor(tag)
	switch tag {
	case atom.Base:
		if href, ok := attribute(t, "href"); ok && len(href) <= maxBase {
			u, err := url.Parse(strings.TrimSpace(href))
			if err == nil && r.base != nil {
				u = r.base.ResolveReference(u)
			}
			if err == nil && u.IsAbs() {
				r.base = u
			}
		}
	case atom.A:
		r.closeTag(atom.A) // links do not nest
		if href, ok := attribute(t, "href"); ok {
			if href, ok = r.link(href); ok {
				r.page.Links = append(r.page.Links, Link{Href: href})
				at := len(r.page.Links) - 1
				r.collect(atom.A, func(text string) { r.page.Links[at].Text = text })
			}
		}
	case atom.Area:
		if href, ok := attribute(t, "href"); ok {
			if href, ok = r.link(href); ok {
				alt, _ := attribute(t, "alt")
				r.page.Links = append(r.page.Links, Link{Href: href, Text: strings.Join(strings.Fields(plain(alt)), " ")})
			}
		}
	case atom.Img:
		if n := len(r.caught); n > 0 {
			alt, _ := attribute(t, "alt")
			r.caught[n-1].alt = strings.Join(strings.Fields(plain(alt)), " ")
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.page.Headings = append(r.page.Headings, Heading{Level: level(tag)})
		at := len(r.page.Headings) - 1
		r.collect(tag, func(text string) { r.page.Headings[at].Text = text })
	case atom.Ul, atom.Ol, atom.Menu:
		r.lists = append(r.lists, list{ordered: tag == atom.Ol})
	case atom.Li:
		r.item()
	case atom.Pre:
		r.pre++
	case atom.Table:
		r.page.Tables = append(r.page.Tables, nil)
		r.tables = append(r.tables, &table{at: len(r.page.Tables) - 1})
	case atom.Tr:
		r.closeTag(atom.Td, atom.Th)
		if n := len(r.tables); n > 0 {
			r.tables[n-1].rows = append(r.tables[n-1].rows, []string{})
		}
	case atom.Td, atom.Th:
		r.closeTag(atom.Td, atom.Th)
		r.cell(tag)
	}
}

func (r *reader) end(tag atom.Atom) {
	switch {
	case tag == atom.Svg || tag == atom.Math:
		r.foreign = max(0, r.foreign-1)
		return
	case tag == atom.Template:
		r.hidden = max(0, r.hidden-1)
		return
	case r.foreign > 0 || r.hidden > 0:
		return
	}
	switch tag {
	case atom.A, atom.Td, atom.Th:
		r.closeTag(tag)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.closeTag(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	case atom.Ul, atom.Ol, atom.Menu:
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
		}
	case atom.Pre:
		r.pre = max(0, r.pre-1)
	case atom.Tr:
		r.closeTag(atom.Td, atom.Th)
	case atom.Table:
		r.closeTag(atom.Td, atom.Th)
		if n := len(r.tables); n > 0 {
			r.tables = r.tables[:n-1]
		}
	}
	r.breakFor(tag)
}

// breakFor begins a line or a paragraph where an element does.
func (r *reader) breakFor(tag atom.Atom) {
	switch {
	case tag == atom.Br:
		r.out.line()
	case apart[tag], (tag == atom.Ul || tag == atom.Ol || tag == atom.Menu) && len(r.lists) == 0:
		r.out.paragraph()
	case lines[tag], tag == atom.Ul, tag == atom.Ol, tag == atom.Menu:
		r.out.line()
	}
}

// maxIndent bounds how far items of lists within lists stand to the right.
const maxIndent = 8

// item begins an item of the innermost list.
func (r *reader) item() {
	mark := "- "
	if n := len(r.lists); n > 0 && r.lists[n-1].ordered {
		r.lists[n-1].n++
		mark = strconv.Itoa(r.lists[n-1].n) + ". "
	}
	r.out.mark(strings.Repeat("  ", min(maxIndent, max(0, len(r.lists)-1))) + mark)
}

// cell begins a cell of the innermost table. In the text, cells stand apart by a tab.
func (r *reader) cell(tag atom.Atom) {
	n := len(r.tables)
	if n == 0 {
		return
	}
	t := r.tables[n-1]
	if len(t.rows) == 0 {
		t.rows = append(t.rows, []string{})
	}
	row := len(t.rows) - 1
	if len(t.rows[row]) > 0 {
		r.out.tab()
	}
	t.rows[row] = append(t.rows[row], "")
	at := len(t.rows[row]) - 1
	r.page.Tables[t.at] = t.rows
	r.collect(tag, func(text string) { t.rows[row][at] = text; r.page.Tables[t.at] = t.rows })
}
