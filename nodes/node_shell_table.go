package nodes

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pflow/internal/yamltree"
)

// shellTable is what is known of programs; the file says what its keys mean.
//
//go:embed node_shell_programs.yaml
var shellTable []byte

// programRow is a row of node_shell_programs.yaml.
type programRow struct {
	destroys         string
	when             []optionWanted
	operand, takes   *regexp.Regexp
	atLeast, skip    int
	among            int
	unless           []excuse
	valued, executes []string
	flags, scripts   []string
	code, idle       []string
	long             []string // all long options that it names
	runs, gives      string
	dashed, bundle   bool
	assigns, gets    bool
	stdin, dashes    bool
	plain, signals   bool
	subcommands      bool // there are rows of its subcommands
	conditional      bool // destroys on a condition
}

// excuse are options with one of which a program destroys nothing, as long as all others that are given are known not to
// take that back.
type excuse struct{ any, beside []string }

// optionWanted is an option, of some with a value.
type optionWanted struct {
	name  string
	value *regexp.Regexp // nil: any or none
}

type programTable struct {
	named    map[string]*programRow
	patterns []string // names with *, in the order of the file
}

// programs reads the table. It is part of the program, so a fault in it is a bug.
var programs = sync.OnceValue(func() *programTable {
	doc, found := yamltree.Parse("node_shell_programs.yaml", shellTable)
	if found.HasErrors() {
		panic(found.Text())
	}
	t := &programTable{named: map[string]*programRow{}}
	for _, v := range doc.Items {
		row := readProgramRow(v)
		for _, name := range textList(v.Get("name")) {
			if t.named[name] != nil {
				panic(v.Place.String() + ": there are two rows of " + name)
			}
			own := *row
			t.named[name] = &own
			if strings.Contains(name, "*") {
				t.patterns = append(t.patterns, name)
			}
		}
	}
	for name := range t.named {
		if i := strings.LastIndexByte(name, ' '); i > 0 {
			if t.named[name[:i]] == nil {
				t.named[name[:i]] = &programRow{}
			}
			t.named[name[:i]].subcommands = true
		}
	}
	return t
})

func readProgramRow(v *yamltree.Value) *programRow {
	r := &programRow{}
	for _, e := range v.Entries {
		switch text := e.Value.Text; e.Key {
		case "name":
		case "destroys":
			r.destroys = text
		case "when":
			for _, w := range textList(e.Value) {
				name, want, valued := strings.Cut(w, "=")
				o := optionWanted{name: name}
				if valued && want != "" {
					o.value = regexp.MustCompile("^(" + want + ")$")
				}
				r.when = append(r.when, o)
			}
		case "operand":
			r.operand = regexp.MustCompile(text)
		case "takes":
			r.takes = regexp.MustCompile(text)
		case "at_least":
			r.atLeast, _ = e.Value.Scalar.(int)
		case "among":
			r.among, _ = e.Value.Scalar.(int)
		case "skip":
			r.skip, _ = e.Value.Scalar.(int)
		case "unless":
			r.unless = readExcuses(e.Value)
		case "gives":
			r.gives = text
		case "runs":
			r.runs = text
		case "valued", "scripts", "flags", "executes", "code", "idle":
			list := map[string]*[]string{"valued": &r.valued, "scripts": &r.scripts, "flags": &r.flags, "executes": &r.executes, "code": &r.code, "idle": &r.idle}
			*list[e.Key] = textList(e.Value)
		default:
			flag, known := map[string]*bool{"dashed": &r.dashed, "bundle": &r.bundle, "assigns": &r.assigns, "gets": &r.gets, "stdin": &r.stdin,
				"dashes": &r.dashes, "plain": &r.plain, "signals": &r.signals}[e.Key]
			if !known {
				panic(e.KeyPlace.String() + ": there is no key " + e.Key)
			}
			*flag, _ = e.Value.Scalar.(bool)
		}
	}
	r.conditional = len(r.when) > 0 || r.operand != nil || r.atLeast > 0 || r.dashed
	for name := range r.names {
		if strings.HasPrefix(name, "--") && !slices.Contains(r.long, name) {
			r.long = append(r.long, name)
		}
	}
	return r
}

// names gives every option that the row names, without values.
func (r *programRow) names(yield func(string) bool) {
	lists := [][]string{r.valued, r.flags, r.executes, r.code, r.idle}
	for _, e := range r.unless {
		lists = append(lists, e.any, e.beside)
	}
	for _, list := range lists {
		for _, name := range list {
			if name, _, _ = strings.Cut(name, "="); !yield(name) {
				return
			}
		}
	}
	for _, w := range r.when {
		if !yield(w.name) {
			return
		}
	}
}

// readExcuses reads a list of options, or of excuses with what may stand beside them.
func readExcuses(v *yamltree.Value) (out []excuse) {
	if v.Kind == yamltree.Seq && len(v.Items) > 0 && v.Items[0].Kind == yamltree.Map {
		for _, item := range v.Items {
			out = append(out, excuse{textList(item.Get("any")), textList(item.Get("beside"))})
		}
		return out
	}
	return []excuse{{any: textList(v)}}
}

// textList reads a text, or a list of them.
func textList(v *yamltree.Value) []string {
	if v == nil {
		return nil
	}
	if v.Kind != yamltree.Seq {
		return []string{v.Text}
	}
	out := make([]string, len(v.Items))
	for i, item := range v.Items {
		out[i] = item.Text
	}
	return out
}

// row gives what is known of a program, nil if nothing is.
func (t *programTable) row(name string) *programRow {
	name = path.Base(name)
	if r := t.named[name]; r != nil {
		return r
	}
	for _, p := range t.patterns {
		if ok, _ := path.Match(p, name); ok {
			return t.named[p]
		}
	}
	return nil
}
