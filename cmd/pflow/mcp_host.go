package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pflow/engine/journal"
	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/mcp"
	"pflow/internal/mcpserve"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
	"pflow/nodes"
)

// mcpHost is what the tools of the MCP server do: what the commands do, by the same functions.
type mcpHost struct {
	a       *app
	askOnly bool // what wants approval is asked of the user, and not approved by a digest

	mu    sync.Mutex
	state string // when the shelf was gathered
	shelf *shelf.Shelf

	plans plansMade
}

// begin gives a call the app it works with, which asks nobody and prints to standard error alone, and the shelf of now.
func (h *mcpHost) begin(ctx context.Context) (*app, context.Context, error) {
	a := h.a.silent()
	a.samples = mcpserve.Of(ctx).Samples()
	s, err := h.shelfNow(a)
	if err != nil {
		return nil, nil, inWords(err)
	}
	return a, s.Within(ctx), nil
}

// silent is the app for one call of many: its options are those of a, its settings are read anew. Standard input and output are
// not its own.
func (a *app) silent() *app {
	out := newApp(strings.NewReader(""), io.Discard, a.screen.out, a.getenv)
	out.globalFlags, out.options, out.root, out.commands = a.globalFlags, a.options, a.root, a.commands
	out.batch, out.quiet, out.sampling, out.by = true, true, a.sampling, journal.ByMCP
	out.historyOnce.Do(func() { out.historyGot = a.history() })
	return out
}

// shelfNow is the shelf, gathered anew when what it is made of has changed.
func (h *mcpHost) shelfNow(a *app) (*shelf.Shelf, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := h.State()
	if h.shelf == nil || h.state != state {
		s, err := a.loadShelf()
		if err != nil {
			return nil, err
		}
		h.shelf, h.state = s, state
	}
	return h.shelf, nil
}

// State implements mcpserve.Host: a hash of the names, sizes and times of the files that the shelf is made of.
func (h *mcpHost) State() string {
	sum := sha256.New()
	note := func(path string, info fs.FileInfo) {
		fmt.Fprintf(sum, "%s\x00%d\x00%d\n", path, info.Size(), info.ModTime().UnixNano())
	}
	home := h.a.home()
	places := append([]string{home.Path("workflows"), home.Path("nodes"), home.Path("settings.yaml"), home.Path(mcp.File), home.Path("mcp")}, h.a.nodeFiles...)
	for _, place := range places {
		_ = filepath.WalkDir(place, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // it went meanwhile, or cannot be read, which loading it tells
			}
			if e.IsDir() && path != place && strings.HasPrefix(e.Name(), ".") {
				return fs.SkipDir // versions and outcomes
			}
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				note(path, info)
			}
			return nil
		})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// worded is an error whose text is all that the command line would show of it.
type worded struct {
	error
	text string
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.error }

func inWords(err error) error {
	var findings *diag.Err
	if errors.As(err, &findings) {
		return &worded{err, strings.TrimSpace(findings.List.Text())}
	}
	return err
}

// foundItem is one workflow of find_workflow.
type foundItem struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Confidence  float64 `json:"confidence"`
	Reason      string  `json:"reason"`
	Problem     string  `json:"problem,omitempty"` // why it is not what is asked for, all the same
	Inputs      []any   `json:"inputs"`            // [{name, type, description, required, default?}]; a secret has from_env
}

// Find implements mcpserve.Host.
func (h *mcpHost) Find(ctx context.Context, request string, most int) (any, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	if most < 1 {
		return nil, fmt.Errorf("find_workflow: most is %d; want at least 1", most)
	}
	found, err := nodes.FindWorkflows(ctx, a.deps(), request, time.Now(), most)
	if err != nil {
		return nil, inWords(err)
	}
	s, err := a.shelfOf(ctx)
	if err != nil {
		return nil, inWords(err)
	}
	items := []foundItem{}
	for _, f := range found {
		items = append(items, foundItem{f.Record.Name, f.Record.Description, f.Confidence, f.Reason, f.Problem, inputItems(f.Record.Workflow().EffectiveInputs(s.Catalogue))})
	}
	out := map[string]any{"workflows": items, "saved": len(s.Records)}
	if len(items) == 0 {
		out["next"] = "nothing that is saved fits; plan makes a new workflow"
	}
	return out, nil
}

func inputItems(inputs []ir.Input) []any {
	out := []any{}
	for _, in := range inputs {
		item := map[string]any{"name": in.Name, "type": string(in.Type), "description": in.Description, "required": in.Required && !in.HasDefault}
		if in.HasDefault {
			item["default"] = in.Default
		}
		if in.FromEnv != "" {
			item["from_env"] = in.FromEnv
		}
		if in.Secret {
			item["secret"] = true
		}
		out = append(out, item)
	}
	return out
}

// describedTokens bounds the interfaces that describe_nodes gives.
const describedTokens = 8000

// Describe implements mcpserve.Host.
func (h *mcpHost) Describe(ctx context.Context, names []string, words string) (any, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	s, err := a.shelfOf(ctx)
	if err != nil {
		return nil, inWords(err)
	}
	all := s.Catalogue.All()
	o := catalogue.ContextOptions{Tokens: describedTokens, Request: words}
	if len(names) == 0 && words == "" {
		return map[string]any{"names": s.Catalogue.Names(), "context": catalogue.Discovery(all, o).Text}, nil
	}
	var chosen []*ir.Interface
	unknown := []any{}
	for _, name := range names {
		if i := s.Catalogue.Get(name); i != nil {
			chosen = append(chosen, i)
			continue
		}
		_, err := a.findNode(ctx, name)
		unknown = append(unknown, map[string]any{"name": name, "why": inWords(err).Error()})
	}
	if words != "" {
		for _, i := range searchNodes(all, words) {
			if !slices.Contains(chosen, i) {
				chosen = append(chosen, i)
			}
		}
	}
	found := []string{}
	for _, i := range chosen {
		found = append(found, i.Name)
	}
	return map[string]any{"names": found, "unknown": unknown, "context": catalogue.Planning(chosen, o).Text}, nil
}

// documentText is a workflow that a call gives: an object, or the text of one.
func documentText(document any) []byte {
	if text, ok := document.(string); ok {
		return []byte(text)
	}
	return []byte(value.JSON(document))
}

// Validate implements mcpserve.Host.
func (h *mcpHost) Validate(ctx context.Context, document any) (any, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(map[string]string{"ir": string(documentText(document))})
	if err != nil {
		return nil, err
	}
	s, err := a.shelfOf(ctx)
	if err != nil {
		return nil, inWords(err)
	}
	out := validateLine(line, 1, s.Catalogue, a.nodeTypes())
	out.Report = out.found.Report()
	return map[string]any{"valid": out.Valid, "diagnostics": out.Diagnostics, "omitted": out.Omitted}, nil
}

// maxWorkflowTools bounds the tools of workflows: those saved last are offered, the others are run by their names.
const maxWorkflowTools = 100

// Workflows implements mcpserve.Host.
func (h *mcpHost) Workflows(ctx context.Context) ([]mcpserve.Workflow, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	s, err := a.shelfOf(ctx)
	if err != nil {
		return nil, inWords(err)
	}
	records := slices.DeleteFunc(slices.Clone(s.Records), func(r *library.Record) bool {
		i := s.Catalogue.Get(r.Name)
		return i == nil || !i.Workflow
	})
	slices.SortStableFunc(records, func(x, y *library.Record) int { return y.UpdatedAt.Compare(x.UpdatedAt) })
	var out []mcpserve.Workflow
	for _, r := range records[:min(len(records), maxWorkflowTools)] {
		w := mcpserve.Workflow{Name: r.Name, Description: r.Description, Inputs: r.Workflow().EffectiveInputs(s.Catalogue), Outputs: r.Workflow().Outputs,
			Effects: s.Catalogue.Get(r.Name).Effects}
		if l, err := a.program(ctx, r, workflow.Source{Name: r.Name, Workflow: r.Workflow()}); err == nil {
			w.Piped = l.program.Piped
			if store, _, err := l.program.Bind(workflow.Given{}); err == nil {
				w.Destroys = len(l.program.DryRun(store).Destructive()) > 0
			}
		}
		out = append(out, w)
	}
	return out, nil
}
