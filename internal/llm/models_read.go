package llm

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

//go:embed models.yaml
var shipped []byte

// shippedFile names the embedded models.yaml in findings.
const shippedFile = "embedded:models.yaml"

// ModelsFile is the name of the file in the home that is merged over the shipped one.
const ModelsFile = "models.yaml"

// ReadModels reads the shipped models.yaml with that of a home over it, if the home has one; "" is no home. The error is a
// *diag.Err, or that of the file system.
func ReadModels(home string) (*Models, error) {
	var over []byte
	file := filepath.Join(home, ModelsFile)
	if home != "" {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		over = data
	}
	m, found := ParseModels(file, over)
	return m, found.Err()
}

// ParseModels reads the shipped models.yaml with the text of another over it; file names that text in findings.
// Findings have the kinds unknown-key, wrong-kind, missing-key, bad-value, and those of YAML.
func ParseModels(file string, over []byte) (*Models, diag.List) {
	base, found := yamltree.Parse(shippedFile, shipped)
	if found.HasErrors() {
		return nil, found
	}
	tree := base
	if len(strings.TrimSpace(string(over))) > 0 {
		top, found := yamltree.Parse(file, over)
		if found.HasErrors() {
			return nil, found
		}
		if top.Kind != yamltree.Null {
			tree = mergeTrees(base, top)
		}
	}
	r := &modelsReader{}
	m := r.models(tree)
	if r.found.HasErrors() {
		return nil, r.found.Sort()
	}
	return m, nil
}

// mergeTrees puts one mapping over another, key by key.
func mergeTrees(base, over *yamltree.Value) *yamltree.Value {
	if base.Kind != yamltree.Map || over.Kind != yamltree.Map {
		return over
	}
	out := *base
	out.Entries = slices.Clone(base.Entries)
	for _, e := range over.Entries {
		i := slices.IndexFunc(out.Entries, func(b yamltree.Entry) bool { return b.Key == e.Key })
		switch {
		case i < 0:
			out.Entries = append(out.Entries, e)
		case e.Value.Kind == yamltree.Null:
			out.Entries = slices.Delete(out.Entries, i, i+1)
		default:
			e.Value = mergeTrees(out.Entries[i].Value, e.Value)
			out.Entries[i] = e
		}
	}
	return &out
}

// modelsReader reads a tree and collects all that is wrong with it.
type modelsReader struct{ found diag.List }

func (r *modelsReader) fail(v *yamltree.Value, kind, format string, args ...any) {
	r.found = append(r.found, v.Error(kind, fmt.Sprintf(format, args...)))
}

// keys reads a mapping by a reader for each key.
func (r *modelsReader) keys(v *yamltree.Value, what string, read map[string]func(*yamltree.Value)) {
	if v.Kind != yamltree.Map {
		r.fail(v, "wrong-kind", "%s is a mapping, not %s", what, v.Kind)
		return
	}
	for _, e := range v.Entries {
		f := read[e.Key]
		if f == nil {
			names := value.SortedKeys(read)
			x := e.Name.Error("unknown-key", fmt.Sprintf("%s has no key %q; it has: %s", what, e.Key, strings.Join(names, ", ")))
			x.Suggestion = diag.Nearest(e.Key, names)
			r.found = append(r.found, x)
			continue
		}
		if e.Value.Kind != yamltree.Null {
			f(e.Value)
		}
	}
}

// entries calls f for each key of a mapping of names.
func (r *modelsReader) entries(v *yamltree.Value, what string, f func(yamltree.Entry)) {
	if v.Kind != yamltree.Map {
		r.fail(v, "wrong-kind", "%s is a mapping by name, not %s", what, v.Kind)
		return
	}
	for _, e := range v.Entries {
		if e.Value.Kind != yamltree.Null {
			f(e)
		}
	}
}

func (r *modelsReader) text(v *yamltree.Value, what string) string {
	s, ok := v.Scalar.(string)
	if !ok || s == "" {
		r.fail(v, "wrong-kind", "%s is text, not %s", what, v.Kind)
	}
	return s
}

func (r *modelsReader) flag(v *yamltree.Value, what string) bool {
	b, ok := v.Scalar.(bool)
	if !ok {
		r.fail(v, "wrong-kind", "%s is true or false, not %s", what, v.Kind)
	}
	return b
}

func (r *modelsReader) count(v *yamltree.Value, what string, least int) int {
	n, ok := v.Scalar.(int)
	if !ok || n < least {
		r.fail(v, "bad-value", "%s is a whole number from %d on", what, least)
	}
	return n
}

func (r *modelsReader) dollars(v *yamltree.Value, what string) float64 {
	f, ok := v.Scalar.(float64)
	if n, whole := v.Scalar.(int); whole {
		f, ok = float64(n), true
	}
	if !ok || f < 0 {
		r.fail(v, "bad-value", "%s is US dollars for a million tokens, a number from 0 on", what)
	}
	return f
}

func (r *modelsReader) words(v *yamltree.Value, what string) []string {
	if v.Kind != yamltree.Seq {
		r.fail(v, "wrong-kind", "%s is a list, not %s", what, v.Kind)
		return nil
	}
	out := []string{}
	for _, item := range v.Items {
		out = append(out, r.text(item, "each item of "+what))
	}
	return out
}

func (r *modelsReader) models(v *yamltree.Value) *Models {
	m := &Models{Providers: map[string]*Provider{}}
	var defaults *yamltree.Value
	r.keys(v, "models.yaml", map[string]func(*yamltree.Value){
		"default": func(v *yamltree.Value) { m.Default, defaults = r.words(v, "default"), v },
		"providers": func(v *yamltree.Value) {
			r.entries(v, "providers", func(e yamltree.Entry) {
				if !providerName.MatchString(e.Key) {
					r.fail(e.Name, "bad-value", "the provider's name %q: small letters, digits, - and _ only", e.Key)
				}
				m.Providers[e.Key] = r.provider(e)
			})
		},
	})
	for i, name := range m.Default {
		if m.Providers[name] == nil && i < len(defaults.Items) {
			f := defaults.Items[i].Error("bad-value", fmt.Sprintf("there is no provider %q", name))
			f.Suggestion = diag.Nearest(name, m.Names())
			r.found = append(r.found, f)
		}
	}
	return m
}

var (
	providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	date         = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

func (r *modelsReader) variable(v *yamltree.Value, what string) string {
	s := r.text(v, what)
	if s != "" && !variableName.MatchString(s) {
		// The text is not shown: whoever makes this mistake may have written the key itself.
		r.fail(&yamltree.Value{Place: v.Place}, "bad-value", "%s is the name of an environment variable, such as OPENAI_API_KEY; keys themselves are never written here", what)
	}
	return s
}

func (r *modelsReader) provider(e yamltree.Entry) *Provider {
	p := &Provider{Name: e.Key, Concurrency: 4}
	r.keys(e.Value, "the provider "+e.Key, map[string]func(*yamltree.Value){
		"base_url": func(v *yamltree.Value) {
			p.BaseURL = r.text(v, "base_url")
			if why := checkURL(p.BaseURL); why != "" && p.BaseURL != "" {
				r.fail(v, "bad-value", "base_url: %s", why)
			}
		},
		"base_url_env":  func(v *yamltree.Value) { p.BaseURLVar = r.variable(v, "base_url_env") },
		"key_env":       func(v *yamltree.Value) { p.KeyVar = r.variable(v, "key_env") },
		"key_optional":  func(v *yamltree.Value) { p.KeyOptional = r.flag(v, "key_optional") },
		"model_env":     func(v *yamltree.Value) { p.ModelVar = r.variable(v, "model_env") },
		"default_model": func(v *yamltree.Value) { p.DefaultModel = r.text(v, "default_model") },
		"ladder":        func(v *yamltree.Value) { p.Ladder = r.ladder(v) },
		"extra": func(v *yamltree.Value) {
			if p.Extra, _ = v.Plain().(map[string]any); p.Extra == nil {
				r.fail(v, "wrong-kind", "extra is a mapping of fields that every request gets, not %s", v.Kind)
			}
		},
		"limits": func(v *yamltree.Value) {
			r.keys(v, "limits", map[string]func(*yamltree.Value){
				"concurrency":         func(v *yamltree.Value) { p.Concurrency = r.count(v, "concurrency", 1) },
				"requests_per_minute": func(v *yamltree.Value) { p.PerMinute = r.count(v, "requests_per_minute", 1) },
			})
		},
		"models": func(v *yamltree.Value) {
			r.entries(v, "models", func(e yamltree.Entry) { p.Models = append(p.Models, r.model(e)) })
		},
	})
	if e.Value.Kind == yamltree.Map {
		if e.Value.Get("base_url") == nil {
			r.fail(e.Name, "missing-key", "the provider %s needs a base_url", e.Key)
		}
		if e.Value.Get("ladder") == nil {
			p.Ladder = slices.Clone(ladder)
		}
	}
	return p
}

// ladder reads steps in the order in which they are tried.
func (r *modelsReader) ladder(v *yamltree.Value) []string {
	if v.Kind == yamltree.Seq && len(v.Items) == 0 {
		r.fail(v, "bad-value", "a ladder has at least one of: %s", strings.Join(ladder, ", "))
	}
	out := r.words(v, "ladder")
	for i, step := range out {
		if step == "" {
			continue
		}
		if !slices.Contains(ladder, step) {
			f := v.Items[i].Error("bad-value", fmt.Sprintf("there is no step %q; there are: %s", step, strings.Join(ladder, ", ")))
			f.Suggestion = diag.Nearest(step, ladder)
			r.found = append(r.found, f)
		} else if slices.Contains(out[:i], step) {
			r.fail(v.Items[i], "bad-value", "the step %q stands twice", step)
		}
	}
	return out
}

func (r *modelsReader) model(e yamltree.Entry) ModelEntry {
	m := ModelEntry{Pattern: e.Key}
	if _, err := path.Match(e.Key, ""); err != nil || e.Key == "" {
		r.fail(e.Name, "bad-value", "%q is no pattern; * stands for any text", e.Key)
	}
	r.keys(e.Value, "the model "+e.Key, map[string]func(*yamltree.Value){
		"ladder":      func(v *yamltree.Value) { m.Ladder = r.ladder(v) },
		"context":     func(v *yamltree.Value) { m.Context = r.count(v, "context", 1) },
		"temperature": func(v *yamltree.Value) { m.NoTemperature = !r.flag(v, "temperature") },
		"max_tokens_field": func(v *yamltree.Value) {
			m.MaxTokensField = r.text(v, "max_tokens_field")
			if known := []string{"max_tokens", "max_completion_tokens"}; m.MaxTokensField != "" && !slices.Contains(known, m.MaxTokensField) {
				r.fail(v, "bad-value", "max_tokens_field is one of: %s", strings.Join(known, ", "))
			}
		},
		"prices": func(v *yamltree.Value) { m.Prices = r.prices(v) },
	})
	return m
}

func (r *modelsReader) prices(v *yamltree.Value) *Prices {
	p := &Prices{}
	r.keys(v, "prices", map[string]func(*yamltree.Value){
		"input":        func(v *yamltree.Value) { p.Input = r.dollars(v, "input") },
		"cached_input": func(v *yamltree.Value) { p.CachedInput = r.dollars(v, "cached_input") },
		"output":       func(v *yamltree.Value) { p.Output = r.dollars(v, "output") },
		"date": func(v *yamltree.Value) {
			if p.Date = r.text(v, "date"); p.Date != "" && !date.MatchString(p.Date) {
				r.fail(v, "bad-value", "date is the day the prices are of, as in 2025-04-14")
			}
		},
	})
	if v.Kind == yamltree.Map {
		for _, key := range []string{"input", "output", "date"} {
			if v.Get(key) == nil {
				r.fail(v, "missing-key", "prices need %s; without it the model is unpriced: leave prices out", key)
			}
		}
		if v.Get("cached_input") == nil {
			p.CachedInput = p.Input
		}
	}
	return p
}
