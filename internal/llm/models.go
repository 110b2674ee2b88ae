package llm

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// Models are the providers, and what is known of their models: models.yaml as data. They do not change once read.
type Models struct {
	Providers map[string]*Provider
	Default   []string // providers in the order in which a default model is looked for
	order     []string // of the providers in the file
	Texts     *Texts   // what is said to models beside the messages of requests
}

// Provider is one entry of models.yaml.
type Provider struct {
	Name         string
	BaseURL      string
	BaseURLVar   string   // the environment variable that replaces BaseURL
	By           string   // BySampling: there is no endpoint
	Program      *Program // there is no endpoint: it is run
	KeyVar       string   // the environment variable that holds the key
	KeyOptional  bool     // so it is, too, without a KeyVar
	ModelVar     string   // the environment variable that replaces DefaultModel
	DefaultModel string
	Ladder       []string
	Extra        map[string]any // fields added to every request
	Timeout      time.Duration  // of a call; a deadline of the caller that is sooner holds. 0: the client's
	Concurrency  int            // exchanges at the same time
	PerMinute    int            // requests in a minute; 0 is no bound
	Models       []ModelEntry
}

// ModelEntry is what is known of the models whose names match Pattern, in which * stands for any text without a slash.
type ModelEntry struct {
	Pattern        string
	Ladder         []string // nil: the provider's
	Context        int      // tokens; 0: unknown
	Prices         *Prices  // nil: unpriced
	MaxTokensField string   // what a request calls the bound of the reply
	NoTemperature  bool     // the model refuses a temperature, so none is sent
}

// Prices are US dollars for a million tokens. They were read on Date.
type Prices struct {
	Input, CachedInput, Output float64
	Date                       string
}

// cost is what an exchange cost, in US dollars.
func (p *Prices) cost(u Usage) float64 {
	fresh := max(u.PromptTokens-u.CachedTokens, 0)
	return (float64(fresh)*p.Input + float64(u.CachedTokens)*p.CachedInput + float64(u.CompletionTokens)*p.Output) / 1e6
}

// Names lists the providers.
func (m *Models) Names() []string {
	var out []string
	for name := range m.Providers {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Find reads a name provider/model, in which the model may have slashes of its own.
func (m *Models) Find(name string) (*Provider, string, error) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok || provider == "" || model == "" {
		return nil, "", fault.New(fault.InvalidRequest, "the model %q: want PROVIDER/MODEL, as in openai/gpt-4.1-mini; providers are: %s", name, strings.Join(m.Names(), ", "))
	}
	p := m.Providers[provider]
	if p == nil {
		hint := "providers are: " + strings.Join(m.Names(), ", ") + "; models.yaml in your home adds others"
		if near := diag.Nearest(provider, m.Names()); near != "" {
			hint = "did you mean " + near + "/" + model + "?"
		}
		return nil, "", fault.New(fault.InvalidRequest, "the model %q: there is no provider %q; %s", name, provider, hint)
	}
	return p, model, nil
}

// Entry gives what is known of a model: the entry with its very name, else the longest pattern that matches, else an
// entry that knows nothing. The ladder is always filled in.
func (p *Provider) Entry(model string) ModelEntry {
	best := ModelEntry{}
	for _, e := range p.Models {
		ok, _ := path.Match(e.Pattern, model)
		if e.Pattern == model {
			best = e
			break
		}
		if ok && len(e.Pattern) > len(best.Pattern) {
			best = e
		}
	}
	if best.Ladder == nil {
		best.Ladder = p.Ladder
	}
	if best.MaxTokensField == "" {
		best.MaxTokensField = "max_tokens"
	}
	return best
}

// Endpoint is where a provider is reached in an environment.
type Endpoint struct {
	BaseURL    string
	FromEnv    bool // the environment names BaseURL
	HasKey     bool // there is somewhere to read it from
	KeyMissing bool
}

// Endpoint reads the base URL from the environment; has says whether there is a key of that name. A provider without a key
// variable needs no key, and an endpoint that the environment names need not want one.
func (p *Provider) Endpoint(getenv func(string) string, has func(string) bool) Endpoint {
	e := Endpoint{BaseURL: p.BaseURL}
	if p.BaseURLVar != "" {
		if u := strings.TrimSpace(getenv(p.BaseURLVar)); u != "" {
			e.BaseURL, e.FromEnv = u, true
		}
	}
	e.HasKey = p.KeyVar != "" && has(p.KeyVar)
	e.BaseURL = strings.TrimRight(e.BaseURL, "/")
	e.KeyMissing = !e.HasKey && p.KeyVar != "" && !p.KeyOptional && !e.FromEnv
	return e
}

// Where says in words how a provider is reached: its address, or the program that it is.
func (p *Provider) Where(getenv func(string) string) string {
	switch {
	case p.Program != nil:
		return "the program " + p.Program.Name()
	case p.By != "":
		return p.By
	}
	return p.Endpoint(getenv, func(string) bool { return false }).Shown()
}

// Shown is the base URL as it may be shown: without user, password and query.
func (e Endpoint) Shown() string { return shownURL(e.BaseURL) }

// DefaultModel is the model that is called where nothing names one, and whether there is one: of the first provider of
// Default that has its key, needs none, or has a base URL from the environment, and names a model.
func (m *Models) DefaultModel(getenv func(string) string, has func(string) bool) (string, bool) {
	for _, name := range m.Default {
		p := m.Providers[name]
		if p == nil || p.Endpoint(getenv, has).KeyMissing || p.Program != nil && m.Installed(p, getenv) == "" {
			continue
		}
		if model := p.named(getenv); model != "" {
			return name + "/" + model, true
		}
	}
	return "", false
}

// named is the model of a provider that is called where nothing names one, or "".
func (p *Provider) named(getenv func(string) string) string {
	if p.ModelVar != "" {
		if v := strings.TrimSpace(getenv(p.ModelVar)); v != "" {
			return v
		}
	}
	return p.DefaultModel
}

// Installed is the path of the program that a provider is, "" if it is none or not on the PATH.
func (m *Models) Installed(p *Provider, getenv func(string) string) string {
	if p.Program == nil {
		return ""
	}
	return m.look(getenv, p.Program.Name())
}

// Programs lists the models of providers that are programs on the PATH, in the order of models.yaml.
func (m *Models) Programs(getenv func(string) string) []string {
	var out []string
	for _, name := range m.order {
		p := m.Providers[name]
		if model := p.named(getenv); model != "" && m.Installed(p, getenv) != "" {
			out = append(out, name+"/"+model)
		}
	}
	return out
}

// checkURL says what is wrong with a base URL, or nothing.
func checkURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "want a URL such as https://api.openai.com/v1"
	}
	return ""
}

// shownURL is a URL as messages and files show it: without user, password and query.
func shownURL(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "(an unreadable URL)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
