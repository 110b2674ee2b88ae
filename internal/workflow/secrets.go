package workflow

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// envMarker is what stands for a secret in stores, journals and results.
func envMarker(name string) map[string]any { return map[string]any{"$env": name} }

// secretScope is the scope of a node's call: the values of its prep, and the secrets it uses, read now.
type secretScope struct {
	ir.Values
	from   capture
	getenv func(string) string
}

// Lookup implements ir.Scope.
func (s secretScope) Lookup(root string) (any, bool) {
	if f, ok := s.from[root]; ok && f.kind == fromSecret {
		v, err := readSecret(f.in, f.env, s.getenv)
		return v, err == nil
	}
	return s.Values.Lookup(root)
}

func readSecret(in ir.Input, env string, getenv func(string) string) (any, error) {
	text := getenv(env)
	if text == "" {
		return nil, fault.New(fault.Authentication, "the secret %q is read from the environment variable %s, which is not set", in.Name, env)
	}
	v, err := ir.Coerce(in.Type, text)
	if err != nil { // the error would quote the value
		return nil, fault.New(fault.Type, "the secret %q, from the environment variable %s, is no %s", in.Name, env, in.Type)
	}
	return v, nil
}

// missingSecret is the error of the first secret that templates read and that cannot be had.
func (c capture) missingSecret(getenv func(string) string) error {
	for _, root := range value.SortedKeys(c) {
		if f := c[root]; f.kind == fromSecret {
			if _, err := readSecret(f.in, f.env, getenv); err != nil {
				return err
			}
		}
	}
	return nil
}

// secrets are the environment variables that a program and the workflows it calls keep secrets in.
type secrets struct{ names []string }

func (s *secrets) add(name string) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}

// shortest is the length, in bytes, from which on a secret is looked for inside longer text. A shorter one would be
// found everywhere, so only text that is nothing else is taken for it.
const shortest = 4

// redactor replaces the values of secrets, also where they were escaped or encoded on the way.
type redactor struct {
	inside *strings.Replacer
	whole  map[string]string
}

// redactor reads the secrets; nil if there are none, so that nothing is searched.
func (s *secrets) redactor(getenv func(string) string) *redactor {
	var pairs []string
	r := &redactor{whole: map[string]string{}}
	for _, name := range s.names {
		v := getenv(name)
		if v == "" {
			continue
		}
		mark := value.JSON(envMarker(name))
		r.whole[v] = mark
		if len(v) < shortest {
			continue
		}
		quoted := value.JSON(v)
		for _, form := range []string{v, quoted[1 : len(quoted)-1], url.QueryEscape(v), url.PathEscape(v),
			base64.StdEncoding.EncodeToString([]byte(v)), base64.URLEncoding.EncodeToString([]byte(v))} {
			pairs = append(pairs, form, mark)
		}
	}
	if len(r.whole) == 0 {
		return nil
	}
	r.inside = strings.NewReplacer(pairs...)
	return r
}

func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	if mark, ok := r.whole[s]; ok {
		return mark
	}
	return r.inside.Replace(s)
}

// value redacts a normalised value; what holds no secret comes back as it is.
func (r *redactor) value(v any) any {
	if r == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return r.text(v)
	case int, float64:
		if mark, ok := r.whole[value.JSON(v)]; ok {
			return mark
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[r.text(k)] = r.value(item)
		}
		return out
	}
	return v
}

// error redacts a message. The cause is dropped: it may quote the value too.
func (r *redactor) error(err error) error {
	if r == nil || err == nil {
		return err
	}
	e := fault.Of(err)
	return &fault.Error{Kind: e.Kind, Message: r.text(e.Message)}
}
