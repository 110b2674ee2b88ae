package llm

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pflow/engine/cond"
	"pflow/internal/diag"
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
// Findings have the kinds of package yamltree. What it gives must not be changed: without another text it is the same every time.
func ParseModels(file string, over []byte) (*Models, diag.List) {
	if len(strings.TrimSpace(string(over))) == 0 {
		return shippedModels()
	}
	base, found := yamltree.Parse(shippedFile, shipped)
	if found.HasErrors() {
		return nil, found
	}
	top, found := yamltree.Parse(file, over)
	if found.HasErrors() {
		return nil, found
	}
	if top.Kind == yamltree.Null {
		return shippedModels()
	}
	return modelsOf(mergeTrees(base, top))
}

// shippedModels are read once: a plan asks twice, for a model and for the names of keys.
var shippedModels = sync.OnceValues(func() (*Models, diag.List) {
	tree, found := yamltree.Parse(shippedFile, shipped)
	if found.HasErrors() {
		return nil, found
	}
	return modelsOf(tree)
})

func modelsOf(tree *yamltree.Value) (*Models, diag.List) {
	r := &modelsReader{Decoder: yamltree.Decoder{NullIsAbsent: true}, compiler: cond.NewCompiler()}
	m := r.models(tree)
	if r.Found.HasErrors() {
		return nil, r.Found.Sort()
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
type modelsReader struct {
	yamltree.Decoder
	compiler *cond.Compiler
}

func (r *modelsReader) models(v *yamltree.Value) *Models {
	m := &Models{Providers: map[string]*Provider{}}
	var defaults []*yamltree.Value
	var texts *yamltree.Value
	r.Mapping(v, "models as a mapping: {default, texts, providers}", yamltree.Fields{
		"texts": func(v *yamltree.Value) { texts = v },
		"default": func(v *yamltree.Value) {
			r.Each(v, "a list of providers", func(item *yamltree.Value) {
				var name string
				if r.Text(&name)(item); name != "" {
					m.Default, defaults = append(m.Default, name), append(defaults, item)
				}
			})
		},
		"providers": func(v *yamltree.Value) {
			r.Named(v, "a mapping from names to providers", func(e yamltree.Entry) {
				if !providerName.MatchString(e.Key) {
					r.Report(e.Name, yamltree.BadValue, "the provider's name %q: small letters, digits, - and _ only", e.Key)
				}
				m.Providers[e.Key], m.order = r.provider(e), append(m.order, e.Key)
			})
		},
	})
	if v.Kind == yamltree.Map {
		m.Texts = r.texts(v, texts)
	}
	for i, name := range m.Default {
		if m.Providers[name] == nil {
			r.Report(defaults[i], yamltree.BadValue, "there is no provider %q", name).Suggestion = diag.Nearest(name, m.Names())
		}
	}
	return m
}

var (
	providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	date         = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

func (r *modelsReader) variable(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var name string
		if r.Text(&name)(v); name != "" && !variableName.MatchString(name) {
			// The text is not shown: whoever makes this mistake may have written the key itself.
			r.Report(&yamltree.Value{Place: v.Place}, yamltree.BadValue, "want the name of an environment variable, such as OPENAI_API_KEY; keys themselves are never written here")
		}
		*to = name
	}
}

func (r *modelsReader) provider(e yamltree.Entry) *Provider {
	p := &Provider{Name: e.Key, Concurrency: 4}
	var reply, env *yamltree.Value
	r.Mapping(e.Value, "a provider as a mapping: {base_url, key_env, models, …}", yamltree.Fields{
		"base_url": func(v *yamltree.Value) {
			if r.Text(&p.BaseURL)(v); p.BaseURL != "" {
				if why := checkURL(p.BaseURL); why != "" {
					r.Report(v, yamltree.BadValue, "%s", why)
				}
			}
		},
		"base_url_env":  r.variable(&p.BaseURLVar),
		"by":            r.OneOf(&p.By, BySampling),
		"command":       func(v *yamltree.Value) { r.command(v, p) },
		"reply":         func(v *yamltree.Value) { reply = v },
		"env":           func(v *yamltree.Value) { env = v },
		"key_env":       r.variable(&p.KeyVar),
		"key_optional":  r.Truth(&p.KeyOptional),
		"model_env":     r.variable(&p.ModelVar),
		"default_model": r.Text(&p.DefaultModel),
		"ladder":        r.ladder(&p.Ladder),
		"timeout":       r.span(&p.Timeout),
		"extra":         r.Object(&p.Extra), // fields that every request gets
		"limits": func(v *yamltree.Value) {
			r.Mapping(v, "{concurrency, requests_per_minute}", yamltree.Fields{
				"concurrency": r.Whole(&p.Concurrency, 1), "requests_per_minute": r.Whole(&p.PerMinute, 1),
			})
		},
		"models": func(v *yamltree.Value) {
			r.Named(v, "a mapping from patterns to models", func(e yamltree.Entry) { p.Models = append(p.Models, r.model(e)) })
		},
	})
	if e.Value.Kind == yamltree.Map {
		r.ofProgram(e, p, reply, env)
		ways := 0
		for _, key := range []string{"base_url", "command", "by"} {
			if e.Value.Get(key) != nil {
				ways++
			}
		}
		if ways != 1 {
			r.Report(e.Name, yamltree.MissingKey, "the provider %s needs one of base_url, command and by: how it is asked", e.Key)
		}
		switch {
		case p.BaseURL == "": // there is nothing but words
			if e.Value.Get("ladder") != nil {
				r.Report(e.Value.Get("ladder"), yamltree.BadValue, "only an endpoint has a ladder: %s is asked in words", e.Key)
			}
			p.Ladder = []string{Prompt}
		case e.Value.Get("ladder") == nil:
			p.Ladder = slices.Clone(ladder)
		}
	}
	return p
}

// span reads how long a call may take.
func (r *modelsReader) span(to *time.Duration) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var text string
		if r.Written(&text)(v); text == "" {
			return
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			r.Report(v, yamltree.BadValue, "want a duration longer than 0s, such as 90s or 20m")
		}
		*to = d
	}
}

// ladder reads steps in the order in which they are tried.
func (r *modelsReader) ladder(to *[]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if v.Kind == yamltree.Seq && len(v.Items) == 0 {
			r.Report(v, yamltree.BadValue, "a ladder has at least one of: %s", strings.Join(ladder, ", "))
		}
		*to = []string{}
		r.Each(v, "a list of steps", func(item *yamltree.Value) {
			var step string
			if r.OneOf(&step, ladder...)(item); step == "" {
				return
			}
			if slices.Contains(*to, step) {
				r.Report(item, yamltree.BadValue, "the step %q stands twice", step)
			}
			*to = append(*to, step)
		})
	}
}

func (r *modelsReader) model(e yamltree.Entry) ModelEntry {
	m := ModelEntry{Pattern: e.Key}
	if _, err := path.Match(e.Key, ""); err != nil || e.Key == "" {
		r.Report(e.Name, yamltree.BadValue, "%q is no pattern; * stands for any text", e.Key)
	}
	r.Mapping(e.Value, "a model as a mapping: {ladder, context, prices, …}", yamltree.Fields{
		"ladder":  r.ladder(&m.Ladder),
		"context": r.Whole(&m.Context, 1),
		"temperature": func(v *yamltree.Value) {
			takes := true
			r.Truth(&takes)(v)
			m.NoTemperature = !takes
		},
		"max_tokens_field": r.OneOf(&m.MaxTokensField, "max_tokens", "max_completion_tokens"),
		"prices":           func(v *yamltree.Value) { m.Prices = r.prices(v) },
	})
	return m
}

// prices are US dollars for a million tokens.
func (r *modelsReader) prices(v *yamltree.Value) *Prices {
	p := &Prices{}
	r.Mapping(v, "{input, cached_input, output, date}", yamltree.Fields{
		"input":        r.Number(&p.Input, 0),
		"cached_input": r.Number(&p.CachedInput, 0),
		"output":       r.Number(&p.Output, 0),
		"date": func(v *yamltree.Value) {
			if r.Text(&p.Date)(v); p.Date != "" && !date.MatchString(p.Date) {
				r.Report(v, yamltree.BadValue, "want the day the prices are of, as in 2025-04-14")
			}
		},
	})
	if v.Kind == yamltree.Map {
		for _, key := range []string{"input", "output", "date"} {
			if v.Get(key) == nil {
				r.Report(v, yamltree.MissingKey, "prices need %s; without it the model is unpriced: leave prices out", key)
			}
		}
		if v.Get("cached_input") == nil {
			p.CachedInput = p.Input
		}
	}
	return p
}
