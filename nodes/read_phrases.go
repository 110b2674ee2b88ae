package nodes

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"slices"
	"sync"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/phrase"
	"pflow/internal/value"
	"pflow/ir"
)

//go:embed phrases
var phraseFiles embed.FS

// grammar is that of the node types that a shelf has.
func (d Deps) grammar(s *candidates) (*phrase.Grammar, error) {
	s.phrases.once.Do(func() {
		all := s.Whole().Once(grammarsKey{}, func() any { return &grammars{} }).(*grammars)
		known := func(name string) bool { return s.Catalogue.Get(name) != nil }
		s.phrases.of, s.phrases.err = all.of(known, func() (*phrase.Grammar, error) { return d.loadGrammar(known) })
	})
	return s.phrases.of, s.phrases.err
}

// loadGrammar reads the shipped grammar, of the node types that are known, and what the folder phrases of the home adds to it.
// Where that has a fault there is a warning, and the shipped one alone.
func (d Deps) loadGrammar(known func(string) bool) (*phrase.Grammar, error) {
	shipped, err := fs.Sub(phraseFiles, "phrases")
	if err != nil {
		return nil, err
	}
	if d.Phrases != nil {
		if own := d.Phrases(); own != nil {
			g, err := phrase.Load(known, shipped, own)
			if err == nil {
				return g, nil
			}
			if d.Log != nil {
				d.Log("warn", "your own phrases are left out: "+err.Error())
			}
		}
	}
	return phrase.Load(known, shipped)
}

type phrases struct {
	once sync.Once
	of   *phrase.Grammar
	err  error
}

// grammars are those of the parts of a shelf. Most parts have the same: they differ in node types that no phrase speaks of.
type grammars struct {
	mu   sync.Mutex
	kept []*phrase.Grammar // the one that was asked for last first
}

type grammarsKey struct{}

// maxGrammars bounds how many grammars are kept; each takes some MB.
const maxGrammars = 4

// of gives the grammar with the node types that are known.
func (g *grammars) of(known func(string) bool, load func() (*phrase.Grammar, error)) (*phrase.Grammar, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.IndexFunc(g.kept, func(kept *phrase.Grammar) bool { return kept.Fits(known) })
	if at < 0 {
		loaded, err := load()
		if err != nil {
			return nil, err
		}
		at = len(g.kept)
		g.kept = append(g.kept, loaded)
	}
	found := g.kept[at]
	g.kept = slices.Insert(slices.Delete(g.kept, at, at+1), 0, found)
	g.kept = slices.Delete(g.kept, min(len(g.kept), maxGrammars), len(g.kept))
	return found, nil
}

// readPhrasesOp makes a workflow of a request that phrases account for as a whole.
func readPhrasesOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "read-phrases",
		Summary: "Reads a request by the phrases of nodes/phrases: a workflow where they account for every word of it.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
			{Name: "stdin", Type: value.Any, Doc: "piped text, for what a request calls stdin or the piped text"},
		},
		With: []engine.Field{
			{Name: "here", Type: value.Boolean, Default: false, Doc: "a word that is the name of a file or folder of the working directory can mean it: copy docs to backup"},
		},
		Result: value.Object,
		ResultDoc: "{workflow: the IR, null where there is no reading, values: {input: value}, missing: [{name, type, description}], " +
			"coverage: {parts, open}, types: node types, misspelt: [{text, start, end, as}], templatized: the request with {key} for its values, title, " +
			"part: where there is no reading, the same of as much as can be read, with what is open in its coverage; null of nothing, speaks_of: the node types that phrases make steps of}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: read-phrases-example
version: 1
description: Read a request.
state:
  request:  {type: string, default: copy a.txt to b.txt}
  workflow: {type: any, default: null}
nodes:
  read:
    op: read-phrases
    prep: {request: store.request}
    post: {workflow: result.workflow}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			var here phrase.Here
			if s.Value("here") == true {
				here = standing
			}
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				g, err := d.grammar(shelf)
				if err != nil {
					return engine.Output{}, fault.New(fault.Failure, "the phrases: %v", err)
				}
				r, err := g.Read(ctx, read, shelf.Catalogue.Get, here)
				if err != nil {
					return engine.Output{}, err
				}
				out, err := phrasesValue(&r, in.Prep["stdin"])
				if err != nil {
					return engine.Output{}, err
				}
				speaks := []any{}
				for _, name := range g.Types() {
					if !hasOwnForms(shelf.Catalogue.Get(name)) {
						speaks = append(speaks, name)
					}
				}
				out["speaks_of"] = speaks
				return engine.Output{Result: out}, nil
			}
		},
	}
}

// phrasesValue is what was read as a value of a flow.
func phrasesValue(r *phrase.Result, stdin any) (map[string]any, error) {
	out := map[string]any{"workflow": nil, "values": map[string]any{}, "missing": []any{}, "coverage": nil, "types": []any{}, "misspelt": []any{},
		"templatized": r.Templated, "title": r.Title, "part": nil}
	if r.Part != nil {
		part, err := phrasesValue(r.Part, stdin)
		if err != nil {
			return nil, err
		}
		out["part"] = part
	}
	if r.Workflow == nil {
		return out, nil
	}
	var err error
	if out["workflow"], err = r.Workflow.Plain(); err != nil {
		return nil, err
	}
	missing, types, misspelt := []any{}, []any{}, []any{}
	for _, i := range r.Workflow.Inputs {
		if _, said := r.Values[i.Name]; !said && (!i.FromStdin || stdin == nil) {
			missing = append(missing, map[string]any{"name": i.Name, "type": string(i.Type), "description": i.Description})
		} else if i.FromStdin {
			r.Values[i.Name] = stdin
		}
	}
	for _, n := range r.Workflow.Nodes {
		types = append(types, n.Type)
	}
	for _, t := range r.Typos {
		misspelt = append(misspelt, map[string]any{"text": t.Was, "start": t.Start, "end": t.End, "as": t.As})
	}
	out["values"], out["missing"], out["types"], out["misspelt"] = r.Values, missing, types, misspelt
	out["coverage"] = coverageValue(r.Coverage())
	return out, nil
}

// standing is what a path of the working directory is.
func standing(path string) phrase.Stands {
	switch info, err := os.Stat(path); {
	case err != nil:
		return phrase.Absent
	case info.IsDir():
		return phrase.Folder
	}
	return phrase.File
}

// hasOwnForms reports whether a node type has more forms than it is shipped with: what they say no phrase says.
func hasOwnForms(i *ir.Interface) bool {
	if i == nil {
		return false
	}
	shipped := 0
	for _, e := range Packs().Extensions {
		if e.Of == i.Name {
			shipped += len(e.Forms)
		}
	}
	return len(i.Forms) != shipped
}
