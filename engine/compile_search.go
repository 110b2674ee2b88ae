package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Dimension is what pflow tune may put at one place of a flow. A run takes no notice of it.
type Dimension struct {
	Path   string // as for --set, or PromptPath with a name
	Values []any  // at least two
	Now    any    // what stands there
	Place  diag.Place
}

// PromptPath begins the path of a Dimension whose values are prompts: wherever the flow, or one that it runs, asks the
// prompt that is named, another is asked instead.
const PromptPath = "prompts."

// Search lists what the flow declares that may be searched, in the order of the document.
func (f *Flow) Search() []Dimension { return f.search }

// ErrNoPlace is the error of Searchable where a flow has no such path.
var ErrNoPlace = errors.New("no such place")

// Searchable gives what stands at the path of a Dimension: ErrNoPlace where there is nothing. It is an error, too, where values
// cannot stand there.
func (f *Flow) Searchable(path string, values []any) (now any, err error) {
	if name, is := strings.CutPrefix(path, PromptPath); is {
		if !slices.Contains(f.Prompts(), name) {
			return nil, fmt.Errorf("%w: neither this flow nor one that it runs asks the prompt %q", ErrNoPlace, name)
		}
		for _, v := range values {
			if _, text := v.(string); !text {
				return nil, fmt.Errorf("%s is no name of a prompt", value.JSON(v))
			}
		}
		return name, nil
	}
	inner, rest := syntax.SplitInner(path)
	in := f
	if inner != "" {
		if in = f.Called()[inner]; in == nil {
			return nil, fmt.Errorf("%w: no flow: option names %q", ErrNoPlace, inner)
		}
	}
	at := syntax.At(in.source.Tree, path)
	if at == nil || rest == "search" || strings.HasPrefix(rest, "search.") {
		return nil, fmt.Errorf("%w: the flow %s has no %s", ErrNoPlace, in.Name, quoted(rest))
	}
	for _, v := range values {
		if !canStand(at, v) {
			return nil, fmt.Errorf("%s cannot stand where %s is", value.JSON(v), value.JSON(at.Plain()))
		}
	}
	return at.Plain(), nil
}

// canStand reports whether a value is of the kind of the one there; null says nothing about its kind.
func canStand(at *yamltree.Value, v any) bool {
	now := at.Plain()
	if now == nil || v == nil {
		return true
	}
	if _, whole := now.(int); whole {
		n, is := asNumber(v)
		return is && n == math.Trunc(n)
	}
	return canFit(value.TypeOf(now), value.TypeOf(v))
}

// Prompts lists the prompts that nodes of the flow, and of those that it runs, ask, each once, sorted. Those that are only
// included by others are none.
func (f *Flow) Prompts() []string {
	var out []string
	f.each(func(_ string, f *Flow) {
		eachOption(f, "prompt", func(_ string, v *yamltree.Value) { out = append(out, v.Text) })
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Options lists where nodes of the flow, and of those that it runs, have an option of a text: the paths of settings.
func (f *Flow) Options(option, text string) []string {
	var out []string
	f.each(func(name string, f *Flow) {
		if name != "" {
			name += ":"
		}
		eachOption(f, option, func(path string, v *yamltree.Value) {
			if v.Text == text {
				out = append(out, name+path)
			}
		})
	})
	return out
}

// Gives reports whether a node of the flow, or of those that it runs, gives an option as a text.
func (f *Flow) Gives(option string) bool {
	given := false
	f.each(func(_ string, f *Flow) {
		eachOption(f, option, func(string, *yamltree.Value) { given = true })
	})
	return given
}

// eachOption hands on each option of a name, of nodes, items and branches, that is a text.
func eachOption(f *Flow, option string, do func(path string, v *yamltree.Value)) {
	var walk func(path string, v *yamltree.Value)
	walk = func(path string, v *yamltree.Value) {
		if v == nil || v.Kind != yamltree.Map {
			return
		}
		for _, e := range v.Entries {
			switch at := path + "." + e.Key; {
			case e.Key == option && e.Value.Kind == yamltree.String:
				do(at, e.Value)
			case e.Key == "with" || e.Key == "branches" || strings.HasSuffix(path, ".branches"):
				walk(at, e.Value)
			}
		}
	}
	for _, e := range f.source.Tree.Get("nodes").Entries {
		walk("nodes."+e.Key+".with", e.Value.Get("with"))
	}
}

// Called lists the flows that a flow runs, at any depth, by what flow: options call them.
func (f *Flow) Called() map[string]*Flow {
	out := map[string]*Flow{}
	f.each(func(name string, f *Flow) {
		if name != "" {
			out[name] = f
		}
	})
	return out
}

// each hands on a flow, called "", and those that it runs, each once, with what a flow: option calls them.
func (f *Flow) each(do func(name string, f *Flow)) {
	seen := map[*Flow]bool{}
	var walk func(name string, f *Flow)
	walk = func(name string, f *Flow) {
		if f == nil || f.source == nil || seen[f] {
			return
		}
		seen[f] = true
		do(name, f)
		for _, name := range value.SortedKeys(f.source.Inner) {
			walk(name, f.source.Inner[name])
		}
	}
	walk("", f)
}

// compileSearch checks what the document says of search itself: what comes of a base whose place this flow has removed, or
// in which it has put what the base would not, is no fault of either.
func (c *compiler) compileSearch() {
	broken := c.s.errors > 0 // an inner flow may not have been loaded
	for _, d := range c.src.Search {
		own := d.V.Place.File == c.flow.File
		if broken && (strings.Contains(d.Path.Text, ":") || strings.HasPrefix(d.Path.Text, PromptPath)) {
			continue
		}
		now, err := c.flow.Searchable(d.Path.Text, d.Values)
		if err != nil {
			if own {
				at, could := d.V, none
				if errors.Is(err, ErrNoPlace) {
					at, could = d.Path.V, choice{d.Path.Text, c.searchable()}
				}
				c.report(whole(at), "bad-search", could, "search: %v", err)
			}
			continue
		}
		if own && strings.HasPrefix(d.Path.Text, PromptPath) && !c.findsPrompts(d) {
			continue
		}
		c.flow.search = append(c.flow.search, Dimension{d.Path.Text, d.Values, now, d.V.Place})
	}
}

// SameValue reports whether two values of a document are the same; 1 and 1.0 are.
func SameValue(a, b any) bool {
	if x, ok := asNumber(a); ok {
		y, ok := asNumber(b)
		return ok && x == y
	}
	return reflect.DeepEqual(a, b)
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// findsPrompts reports prompts of a choice that are nowhere.
func (c *compiler) findsPrompts(d syntax.Dimension) bool {
	ok := true
	for i, v := range d.Values {
		name, _ := v.(string)
		if name == strings.TrimPrefix(d.Path.Text, PromptPath) {
			continue
		}
		from := c.chain
		if _, err := c.s.loader.Resources.Find(PromptDocument, name, from); err != nil {
			at := d.V
			if i < len(d.V.Items) {
				at = d.V.Items[i]
			}
			c.s.notFound(whole(at), "unknown-prompt", "", PromptDocument, name, from, err)
			ok = false
		}
	}
	return ok
}

// searchable lists paths for suggestions.
func (c *compiler) searchable() []string {
	var out []string
	for _, name := range value.SortedKeys(c.flow.params) {
		out = append(out, "params."+name)
	}
	for _, name := range c.flow.Prompts() {
		out = append(out, PromptPath+name)
	}
	return out
}
