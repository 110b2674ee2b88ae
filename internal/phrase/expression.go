package phrase

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/compose"
	"pflow/internal/value"
	"pflow/ir"
)

// expression is computed from values: texts of the expression language and values in their order. Expressions that are values of
// one another become one transform node.
type expression struct {
	rule  *Rule
	parts []any
}

// expression is what the text of a rule means with its slots; nil where it lacks one.
func (r *Rule) expression(text string, b *bindings, local map[string]*step) *val {
	var parts []any
	switch v := fillText(text, b, local).(type) {
	case string:
		parts = []any{v}
	case *val:
		if parts = []any{v}; v.parts != nil {
			parts = v.parts
		}
	default:
		return nil
	}
	return &val{expr: &expression{r, parts}}
}

// expression resolves what an expression is made of; the same one stays one.
func (s *resolver) expression(v *val) (any, bool) {
	if s.exprs == nil {
		s.exprs = map[*expression]*expression{}
	}
	n := *v
	if n.expr = s.exprs[v.expr]; n.expr != nil {
		return &n, true
	}
	parts, ok := s.tree(v.expr.parts)
	if !ok {
		return nil, false
	}
	n.expr = v.expr
	if moved := parts.([]any); !slices.Equal(moved, v.expr.parts) {
		n.expr = &expression{v.expr.rule, moved}
	}
	s.exprs[v.expr] = n.expr
	return &n, true
}

// compute is the id of the transform node that has the value of an expression.
func (b *builder) compute(e *expression) string {
	if id, ok := b.nodes[e]; ok {
		return id
	}
	w := &expressionWriter{b: b, inputs: map[string]any{}, names: map[string]string{}}
	text := w.write(e)
	id := compose.Unique("transform", b.taken, "-")
	n := ir.Node{ID: id, Type: "transform", Params: map[string]any{"expression": text}}
	if len(w.inputs) > 0 {
		n.Params["inputs"] = w.inputs
	}
	if of := b.of(n.Type); of != nil {
		n.Purpose = firstSentence(of.Description)
	}
	b.add(n)
	b.nodes[e] = id
	for _, r := range w.rules {
		b.made[r] = id
	}
	return id
}

// add appends a node behind those that lead to the next one.
func (b *builder) add(n ir.Node) {
	b.w.Nodes = append(b.w.Nodes, n)
	for _, e := range b.after {
		e.To = n.ID
		b.w.Edges = append(b.w.Edges, e)
	}
	b.after = []ir.Edge{{From: n.ID, Action: ir.ActionDefault}}
}

// expressionWriter writes an expression with those that are part of it. Values stand in its inputs.
type expressionWriter struct {
	b      *builder
	inputs map[string]any
	names  map[string]string // of inputs, by their templates
	rules  []*Rule
}

func (w *expressionWriter) write(e *expression) string {
	w.rules = append(w.rules, e.rule)
	var out strings.Builder
	for k, part := range e.parts {
		v, ok := part.(*val)
		if !ok {
			out.WriteString(fmt.Sprint(part))
			continue
		}
		if v.expr == nil || w.b.nodes[v.expr] != "" {
			out.WriteString(w.input(v))
			continue
		}
		text := w.write(v.expr)
		if !isCall(text) && (strings.HasPrefix(text, "let ") || !w.alone(out.String(), e.parts[k+1:])) {
			text = "(" + text + ")"
		}
		out.WriteString(text)
	}
	return out.String()
}

// alone reports whether what stands between two texts is an argument of its own.
func (w *expressionWriter) alone(before string, behind []any) bool {
	if before == "" && len(behind) == 0 {
		return true
	}
	if !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, ", ") || len(behind) == 0 {
		return false
	}
	next, ok := behind[0].(string)
	return ok && (strings.HasPrefix(next, ")") || strings.HasPrefix(next, ","))
}

// operators are words of the expression language, and no names of values.
var operators = map[string]bool{"matches": true, "contains": true, "startsWith": true, "endsWith": true, "in": true, "not": true, "and": true, "or": true, "let": true, "if": true, "else": true}

// input is the name of a value in the expression; what the grammar fixes is written out.
func (w *expressionWriter) input(v *val) string {
	switch v.fixed.(type) {
	case string, bool, int, float64:
		return value.JSON(v.fixed)
	}
	template := w.b.value(v)
	key := value.JSON(template)
	name, ok := w.names[key]
	if !ok {
		if name = strings.ReplaceAll(v.name, "-", "_"); name == "" {
			if name = v.key; !isName(name) || operators[name] {
				name = "given"
			}
		}
		for base, n := name, 2; w.inputs[name] != nil; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		w.names[key], w.inputs[name] = name, template
	}
	return name
}

func isName(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

// isCall reports whether an expression is the call of a function, a name, or in parentheses.
func isCall(text string) bool {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		open = len(text)
	}
	if !isName(text[:open]) && open > 0 {
		return false
	}
	depth := 0
	for k := open; k < len(text); k++ {
		switch text[k] {
		case '"', '\'', '`':
			end := k + 1
			for end < len(text) && text[end] != text[k] {
				if text[end] == '\\' && text[k] != '`' {
					end++
				}
				end++
			}
			k = end
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && k < len(text)-1 {
				return false
			}
		}
	}
	return true
}
