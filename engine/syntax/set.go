package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Set makes one edit of a flow's tree: --set PATH=VALUE. The path is keys joined by dots, with list indices from 0 as
// [2] or .2 and quotes around keys that hold dots: nodes.check.actions[0].expr. The value is YAML and takes the place
// of what is there; mappings that the path needs are made, but for nodes and params. Null removes, as in extends. An empty value
// is the empty text. What stands before a colon in the path (see SplitInner) says which flow is edited, and is left to
// the caller. Findings, now and from Decode, are placed in "--set PATH".
func Set(tree *yamltree.Value, path, text string) (*yamltree.Value, diag.List) {
	file := SetPlace(path).File
	_, rest := SplitInner(path)
	steps, problem := splitPath(rest)
	if problem != "" {
		return tree, diag.List{{Severity: diag.Error, Kind: UnknownKey, Message: problem, Place: SetPlace(path)}}
	}
	if text == "" {
		text = `""`
	}
	v, found := yamltree.Parse(file, []byte(text))
	if found.HasErrors() || v == nil {
		return tree, found
	}
	s := &setter{file: file, value: v, steps: steps}
	if out := s.set(tree, 0); len(s.found) == 0 {
		return unlist(out), nil
	}
	return tree, s.found
}

// SetPlace is the place of an edit as a whole.
func SetPlace(path string) diag.Place { return diag.Place{File: "--set " + path} }

// SplitInner takes INNER:PATH apart at the last colon outside quotes. inner is "" where only PATH stands.
func SplitInner(path string) (inner, rest string) {
	at, quote := -1, byte(0)
	for i := 0; i < len(path); i++ {
		switch ch := path[i]; {
		case ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote = ch
		case quote == 0 && ch == ':':
			at = i
		}
	}
	if at <= 0 {
		return "", path
	}
	return path[:at], path[at+1:]
}

// Has reports whether an edit would find something at its path.
func Has(tree *yamltree.Value, path string) bool { return At(tree, path) != nil }

// At gives what an edit would find at its path, or nil.
func At(tree *yamltree.Value, path string) *yamltree.Value {
	_, path = SplitInner(path)
	steps, problem := splitPath(path)
	if problem != "" {
		return nil
	}
	for i, step := range steps {
		switch {
		case tree == nil:
			return nil
		case isNext(steps[:i]):
			tree = longNext(tree)
		}
		if tree.Kind == yamltree.Seq {
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(tree.Items) {
				return nil
			}
			tree = tree.Items[n]
			continue
		}
		tree = tree.Get(step)
	}
	return tree
}

// setter is one edit under way.
type setter struct {
	file  string
	value *yamltree.Value
	steps []string
	found diag.List
}

func (s *setter) report(kind string, at int, names []string, format string, args ...any) {
	f := s.value.Error(kind, fmt.Sprintf(format, args...))
	f.Place, f.Snippet = diag.Place{File: s.file}, ""
	f.Suggestion, f.Alternatives = diag.Nearest(s.steps[at], names), names
	s.found = append(s.found, f)
}

// set gives old with the edit made below it; steps[at:] leads to where. old is nil where there is nothing yet.
func (s *setter) set(old *yamltree.Value, at int) *yamltree.Value {
	if at == len(s.steps) {
		return s.value
	}
	if isNext(s.steps[:at]) && old != nil {
		old = longNext(old)
	}
	switch {
	case old == nil, old.Kind == yamltree.Null:
		old = &yamltree.Value{Kind: yamltree.Map, Place: s.value.Place, Doc: s.value.Doc}
	case old.Kind == yamltree.Seq:
		return s.setItem(old, at)
	case old.Kind != yamltree.Map:
		s.report(WrongKind, at, nil, "%s is %s and has no key %s", strings.Join(s.steps[:at], "."), old.Kind, shown(s.steps[at]))
		return old
	}
	return s.setKey(old, at)
}

func (s *setter) setKey(old *yamltree.Value, at int) *yamltree.Value {
	step, last := s.steps[at], at == len(s.steps)-1
	i := slices.IndexFunc(old.Entries, func(e yamltree.Entry) bool { return e.Key == step })
	out := *old
	out.Entries = append([]yamltree.Entry(nil), old.Entries...)
	remove := last && s.value.Kind == yamltree.Null && removes(s.steps)
	switch {
	case i < 0 && remove:
		s.report(BadExtends, at, keysOf(old), "null removes a key, but there is no %s", shown(step))
	case i < 0 && !last && at == 1 && s.steps[0] == "nodes":
		s.report(UnknownKey, at, keysOf(old), "the flow has no node %s", shown(step))
	case i < 0 && at == 1 && s.steps[0] == "params": // nothing could read it
		s.report(UnknownKey, at, keysOf(old), "the flow has no param %s", shown(step))
	case i < 0:
		name := &yamltree.Value{Kind: yamltree.String, Scalar: step, Text: step, Place: s.value.Place, Doc: s.value.Doc}
		out.Entries = append(out.Entries, yamltree.Entry{Key: step, KeyPlace: name.Place, Name: name, Value: s.set(nil, at+1)})
	case remove:
		out.Entries = append(out.Entries[:i], out.Entries[i+1:]...)
	default:
		out.Entries[i].Value = s.set(old.Entries[i].Value, at+1)
	}
	return &out
}

func (s *setter) setItem(old *yamltree.Value, at int) *yamltree.Value {
	i, err := strconv.Atoi(s.steps[at])
	if err != nil || i < 0 || i >= len(old.Items) {
		s.report(UnknownKey, at, nil, "%s is a list of %d; %s is none of its indices", strings.Join(s.steps[:at], "."), len(old.Items), shown(s.steps[at]))
		return old
	}
	out := *old
	out.Items = append([]*yamltree.Value(nil), old.Items...)
	out.Items[i] = s.set(old.Items[i], at+1)
	return &out
}

// splitPath takes a path apart; problem is "" or says why it is none.
func splitPath(path string) (steps []string, problem string) {
	rest := path
	for first := true; rest != ""; first = false {
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if first || end < 2 {
				return nil, fmt.Sprintf("the path %s has a [ without an index", shown(path))
			}
			steps, rest = append(steps, strings.Trim(rest[1:end], `"'`)), rest[end+1:]
			continue
		case !first && rest[0] != '.':
			return nil, fmt.Sprintf("the path %s needs a dot before %s", shown(path), shown(rest))
		case !first:
			rest = rest[1:]
		}
		step := rest
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			end := strings.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return nil, fmt.Sprintf("the path %s has a quote that does not end", shown(path))
			}
			step, rest = rest[1:end+1], rest[end+2:]
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			step, rest = rest[:end], rest[end:]
		}
		if step == "" {
			return nil, fmt.Sprintf("the path %s has an empty key", shown(path))
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, "the path is empty; write one like params.max_attempts"
	}
	return steps, ""
}
