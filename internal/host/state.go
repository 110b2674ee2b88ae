package host

import (
	"fmt"
	"strings"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/value"
)

// StateKey finds a declared key of a flow's state; the error says which there are.
func StateKey(flow *engine.Flow, name string) (engine.StateKey, error) {
	var names []string
	for _, k := range flow.State() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	hint := "; it has: " + diag.Names(names, 20)
	if near := diag.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	} else if len(names) == 0 {
		hint = "; it has none"
	}
	return engine.StateKey{}, fmt.Errorf("the flow %q has no state key %q%s", flow.Name, name, hint)
}

// StateValue checks a value against a key's type; whether the key may hold null is the engine's to say.
func StateValue(key engine.StateKey, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if got, err := value.Fits(key.Type, v); err == nil {
		return got, nil
	}
	return nil, fmt.Errorf("want %s, got %s", Article(key.Type), value.Name(v))
}

// Article is a type with its article.
func Article(t value.Type) string {
	if strings.ContainsRune("aeiou", rune(t[0])) {
		return "an " + string(t)
	}
	return "a " + string(t)
}
