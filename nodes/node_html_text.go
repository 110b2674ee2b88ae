package nodes

import (
	"context"
	"net/url"

	"pflow/internal/fault"
	"pflow/internal/htmltext"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// maxHTML bounds a page; what is made of it becomes values of the run.
const maxHTML = 16 << 20

// htmlText reads a web page.
func htmlText() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "html-text",
			Description: "Reads the HTML of a web page: its readable text, its title, its links, headings and tables.",
			Inputs:      []ir.Port{{Key: "html", Type: value.String, Required: true, Description: "The HTML, such as the response of an http node."}},
			Params:      []ir.Port{{Key: "base_url", Type: value.String, Description: "The page's address: links are given in full, counted from it. Otherwise they are given as they stand."}},
			Outputs: []ir.Port{
				{Key: "text", Type: value.String, Description: "The text, without scripts and styles: paragraphs with an empty line between, items of lists with - or a number, cells with a tab between."},
				{Key: "title", Type: value.String, Description: "The title; \"\" if it has none."},
				{Key: "links", Type: value.Array, Structure: ir.MustStructure([]any{map[string]any{"href": "string", "text": "string"}}),
					Description: "The links, in order: where each leads and what it says."},
				{Key: "headings", Type: value.Array, Structure: ir.MustStructure([]any{map[string]any{"level": "integer", "text": "string"}}),
					Description: "The headings, in order, of level 1 to 6."},
				{Key: "tables", Type: value.Array, Structure: ir.MustStructure([]any{[]any{[]any{"string"}}}),
					Description: "The tables, each a list of rows, each a list of the texts of its cells."},
			},
			Effects: []ir.Effect{ir.Idempotent},
		},
		Pure: true,
		Run:  runHTMLText,
		Example: nodetype.Example{
			Params: map[string]any{"html": "<title>News</title><h1>Today</h1><p>All is <a href=/more>well</a>.", "base_url": "https://example.com/"},
			Outputs: map[string]any{"text": "Today\n\nAll is well.", "title": "News",
				"links":    []any{map[string]any{"href": "https://example.com/more", "text": "well"}},
				"headings": []any{map[string]any{"level": 1, "text": "Today"}}, "tables": []any{}},
		},
	}
}

func runHTMLText(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	source := c.Text("html")
	if len(source) > maxHTML {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "html has %d bytes, more than %d MiB; give a part of it", len(source), maxHTML>>20)
	}
	var base *url.URL
	if text := c.Text("base_url"); text != "" {
		var err error
		if base, err = httpURL(text); err != nil || len(text) > maxShown {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "base_url %s is no address that begins with https:// or http://", quote(text))
		}
	}
	page, err := htmltext.Read(ctx, source, base)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	links, headings, tables := make([]any, len(page.Links)), make([]any, len(page.Headings)), make([]any, 0, len(page.Tables))
	for i, l := range page.Links {
		links[i] = map[string]any{"href": l.Href, "text": l.Text}
	}
	for i, h := range page.Headings {
		headings[i] = map[string]any{"level": h.Level, "text": h.Text}
	}
	for _, t := range page.Tables {
		rows := make([]any, len(t))
		for i, row := range t {
			cells := make([]any, len(row))
			for j, cell := range row {
				cells[j] = cell
			}
			rows[i] = cells
		}
		tables = append(tables, rows)
	}
	out := nodetype.Outcome{Outputs: map[string]any{"text": page.Text, "title": page.Title, "links": links, "headings": headings, "tables": tables}}
	if page.Cut {
		out.Warnings = []string{"html-text gives the first " + ir.Text(len(links)) + " links of the page; there are more"}
	}
	return out, nil
}
