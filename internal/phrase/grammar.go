package phrase

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/retrieve"
)

// file is a file of a grammar.
type file struct {
	Words   map[string][]string // lists of words that patterns name: <delete>
	Filler  []string            // words that may stand anywhere and ask for nothing
	Is      map[string][]string // what a sort is, too, where an earlier clause gave it
	Endings []string            // of files, that are known without a dot before them: md files
	Guards  []string            // words that are no value unless they stand in quotes: they change what is asked for
	Joins   []string            // what stands between two wishes
	Rules   []Rule
}

// Rule is a phrase and what it means.
type Rule struct {
	As   string   // the sort of thing that it is: files, text, do
	Says []string // its patterns
	Cost float64  // how much less likely it is meant than another one

	// What it means: a step, or several; a value that a step takes; more params for the step that the slot of the same sort
	// is; a condition over what the slots are; or no more than its only slot.
	Do      string         // a node type
	With    map[string]any // its params; ${slot} stands for what the slot is
	Default map[string]any // params that hold where nothing narrows the step
	Each    string         // the slot over whose items the step runs, if it is a list
	Gives   string         // the output that it is; "" where it is nothing that can be shown
	Steps   []Step         // in place of do
	Expr    string         // an expression over slots: it becomes part of the transform step that whoever takes it needs
	Value   any            // a fixed value, or a text with ${slot}
	On      string         // the node type that the step of the head has to be, or several: a|b. The head is the slot head, else the one whose sort is as
	Lacks   []string       // params that it must not have
	Off     string         // the node type, or several, whose output no slot may be
	Add     map[string]any // params for the step of the head
	Becomes string         // the node type that the head's step becomes; with gives it is that output of it
	Params  map[string]any // what its params are called then, where they are called otherwise: {file_path: source_path}, or [source_path, dest_path]

	Makes string // the slot that is the path of a file that it makes: the one that it is called next
	Piped bool   // it is what is piped in
	Prev  bool   // it is what an earlier clause gave, or the file that it made

	First string // the slot whose steps run first, though it stands behind the other one: it may say it of what that one is about

	Branch bool // the slot then is done if the slot cond holds, the slot else if it does not
	Negate bool // the other way round

	index  int
	source string // file
}

// Step is one of several steps of a rule.
type Step struct {
	ID   string // ${ID.output} is what it gives; ${ID} where it is an expression
	Do   string
	With map[string]any
	Each string
	Expr string // in place of do
}

// Grammar is all that can be read. It never changes and is safe for concurrent use.
type Grammar struct {
	rules    []*Rule
	patterns int // how many they have
	filler   [][]string
	kinds    map[string][]string
	endings  map[string]bool
	guards   map[string]bool
	joins    [][]string
	first    map[string][]*pattern // by the stem of a word that a phrase begins with, in order
	classes  map[string][]*class   // by the stem of one of their words: those that phrases begin with
	bySort   map[string][]*pattern // by the sort of the slot that a phrase begins with, in order
	words    map[string]bool       // every word of a pattern
	stems    map[string]bool
	sorts    map[string]bool              // that a rule is
	lists    map[string]bool              // sorts with a +
	vocab    []string                     // words, sorted, for what is misspelt
	taken    map[string]map[string]taking // by sort, and the sort of the only slot that a rule's pattern is: lines of a text
	asked    map[string]bool              // the node types that known was asked for, and what it said
}

// Fits reports whether Load gives the same grammar with known.
func (g *Grammar) Fits(known func(string) bool) bool {
	for name, was := range g.asked {
		if known(name) != was {
			return false
		}
	}
	return true
}

// Load reads the grammar of the files *.yaml of folders; those of later ones add to it, words to lists that are there included.
// known reports whether a node type is there; a rule that needs another one is left out. Errors name the file and the pattern.
func Load(known func(string) bool, folders ...fs.FS) (*Grammar, error) {
	all := file{Words: map[string][]string{}, Is: map[string][]string{}}
	for n, folder := range folders {
		names, err := fs.Glob(folder, "*.yaml")
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		files := make([]*file, len(names))
		errs := make([]error, len(names))
		var decoding sync.WaitGroup
		for i, name := range names { // at the same time: it takes a good part of a start
			decoding.Add(1)
			fault.Go(func() {
				defer decoding.Done()
				errs[i] = fault.Guard(func() error {
					data, err := fs.ReadFile(folder, name)
					if err == nil {
						files[i], err = decode("phrases/"+name, data)
					}
					return err
				})
			}, func(error) {}) // what may panic is guarded file by file
		}
		decoding.Wait()
		for i, name := range names {
			if errs[i] != nil {
				return nil, errs[i]
			}
			if err := all.take(files[i], "phrases/"+name, n > 0); err != nil {
				return nil, err
			}
		}
	}
	return compile(&all, known)
}

// take adds what another file has. Only with more may it add to lists of words that are there.
func (f *file) take(other *file, name string, more bool) error {
	for k, v := range other.Words {
		if _, twice := f.Words[k]; twice && !more {
			return fmt.Errorf("%s: the list <%s> is there already", name, k)
		}
		f.Words[k] = append(f.Words[k], v...)
	}
	for k, v := range other.Is {
		f.Is[k] = append(f.Is[k], v...)
	}
	f.Guards, f.Endings = append(f.Guards, other.Guards...), append(f.Endings, other.Endings...)
	f.Filler, f.Joins = append(f.Filler, other.Filler...), append(f.Joins, other.Joins...)
	for _, r := range other.Rules {
		r.source = name
		f.Rules = append(f.Rules, r)
	}
	return nil
}

func compile(f *file, known func(string) bool) (*Grammar, error) {
	g := &Grammar{kinds: f.Is, endings: map[string]bool{}, guards: map[string]bool{}, first: map[string][]*pattern{}, classes: map[string][]*class{}, bySort: map[string][]*pattern{}, words: map[string]bool{}, stems: map[string]bool{}, sorts: map[string]bool{}, lists: map[string]bool{}, taken: map[string]map[string]taking{}, asked: map[string]bool{}}
	for _, ending := range f.Endings {
		g.endings[ending] = true
	}
	for _, w := range f.Guards {
		g.guards[w] = true
	}
	for _, phrase := range f.Filler {
		g.filler = append(g.filler, strings.Fields(strings.ToLower(phrase)))
	}
	for _, phrase := range f.Joins {
		g.joins = append(g.joins, strings.Fields(strings.ToLower(phrase)))
	}
	classes := map[string]*class{}
	for name, phrases := range f.Words {
		classes[name] = newClass(phrases)
		for _, phrase := range classes[name].phrases {
			g.learn(phrase)
		}
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		g.sorts[r.As] = true // a rule that is left out is of its sort, too
		if !r.usable(func(name string) bool { g.asked[name] = known(name); return g.asked[name] }) {
			continue
		}
		r.index = len(g.rules)
		if err := g.enter(r, classes); err != nil {
			return nil, fmt.Errorf("%s: %w", r.source, err)
		}
		g.takes(r)
		g.rules = append(g.rules, r)
	}
	for _, c := range classes {
		if len(c.begins) == 0 {
			continue
		}
		for stem := range c.byStem {
			g.classes[stem] = append(g.classes[stem], c)
		}
	}
	for w := range g.words {
		g.vocab = append(g.vocab, w)
	}
	slices.Sort(g.vocab)
	return g, g.check()
}

// usable reports whether the node types that a rule needs are there.
func (r *Rule) usable(known func(string) bool) bool {
	ok := (r.Do == "" || known(r.Do)) && (r.Becomes == "" || known(r.Becomes))
	for _, s := range r.Steps {
		ok = ok && (s.Expr != "" || known(s.Do))
	}
	return ok
}

// enter reads the outlines of a rule's patterns: by what each begins, and what words it has.
func (g *Grammar) enter(r *Rule, classes map[string]*class) error {
	if r.As == "" || len(r.Says) == 0 {
		return fmt.Errorf("a rule wants as and says: %v", r.Says)
	}
	named := r.named()
	var slots []string
	for _, text := range r.Says {
		p := &pattern{rule: r, text: text, order: g.patterns, classes: classes}
		g.patterns++
		slots = slots[:0]
		nothing, err := outline(text, classes, func(a arc, first bool) {
			switch {
			case a.slot != "":
				slots = append(slots, a.slot)
				if base, ok := strings.CutSuffix(a.sort, "+"); ok {
					g.lists[base] = true
				}
				if first {
					g.bySort[a.sort] = p.after(g.bySort[a.sort])
				}
			case a.class != nil:
				if first {
					a.class.begins = p.after(a.class.begins)
				}
			case a.word != "":
				if !g.words[a.word] {
					g.words[a.word], g.stems[a.stem] = true, true
				}
				if first {
					g.first[a.stem] = p.after(g.first[a.stem])
				}
			}
		})
		if err != nil {
			return err
		}
		if nothing {
			return fmt.Errorf("%q: it may be nothing", text)
		}
		for _, name := range named {
			if !slices.Contains(slots, name) && !r.optional(name) {
				return fmt.Errorf("%q: it has no slot {%s}", text, name)
			}
		}
	}
	return nil
}

// after adds the last pattern of all to others, once.
func (p *pattern) after(others []*pattern) []*pattern {
	if n := len(others); n > 0 && others[n-1] == p {
		return others
	}
	return append(others, p)
}

// begun are the patterns that a word of a stem may begin, in order.
func (g *Grammar) begun(stem string) []*pattern {
	out := slices.Clone(g.first[stem])
	for _, c := range g.classes[stem] {
		out = append(out, c.begins...)
	}
	slices.SortFunc(out, func(a, b *pattern) int { return a.order - b.order })
	return slices.Compact(out)
}

// begins reports whether a word of a stem begins a phrase.
func (g *Grammar) begins(stem string) bool { return len(g.first[stem]) > 0 || len(g.classes[stem]) > 0 }

// optional reports whether some pattern of the rule has a slot: one that another lacks is left out of the params.
func (r *Rule) optional(name string) bool {
	for _, text := range r.Says {
		if strings.Contains(text, "{"+name+":") || strings.Contains(text, "{"+name+"}") || strings.Contains(text, "{"+name+"+}") {
			return true
		}
	}
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.ID == name })
}

// named are the slots that a rule speaks of.
func (r *Rule) named() []string {
	var out []string
	for _, v := range []any{r.With, r.Value, r.Add, r.Expr} {
		out = append(out, refsIn(v)...)
	}
	for _, s := range r.Steps {
		out = append(out, refsIn(s.With)...)
		out = append(out, refsIn(s.Expr)...)
		if s.Each != "" {
			out = append(out, s.Each)
		}
	}
	for _, s := range []string{r.Each, r.Makes} {
		if s != "" {
			out = append(out, s)
		}
	}
	for k, name := range out {
		out[k], _, _ = strings.Cut(name, ".")
		out[k], _, _ = strings.Cut(out[k], otherEnding)
	}
	return slices.DeleteFunc(out, func(name string) bool {
		return name == "item" || strings.HasPrefix(name, prevPrefix) || strings.HasSuffix(name, orPrev)
	})
}

// asks reports whether a rule has something asked for.
func (r *Rule) asks() bool {
	return slices.Contains(refsIn([]any{r.With, r.Value}), askedFor) || slices.ContainsFunc(r.Steps, func(s Step) bool { return slices.Contains(refsIn(s.With), askedFor) })
}

// refsIn are the names that stand as ${name} in a value.
func refsIn(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		for rest := v; ; {
			_, after, ok := strings.Cut(rest, "${")
			if !ok {
				return out
			}
			name, tail, _ := strings.Cut(after, "}")
			out, rest = append(out, name), tail
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, refsIn(item)...)
		}
	case []any:
		for _, item := range v {
			out = append(out, refsIn(item)...)
		}
	}
	return out
}

// learn notes the words of arcs as known.
func (g *Grammar) learn(arcs []arc) {
	for _, arc := range arcs {
		if arc.word != "" {
			g.words[arc.word], g.stems[arc.stem] = true, true
		}
	}
}

// check reports sorts that nothing is.
func (g *Grammar) check() error {
	for sort, patterns := range g.bySort {
		base := strings.TrimSuffix(sort, "+")
		if !g.sorts[base] && !terminals[base] {
			return fmt.Errorf("%s: %q: nothing is of the sort %s", patterns[0].rule.source, patterns[0].rule.Says, base)
		}
	}
	return nil
}

// isFiller reports how many of the tokens at a place are filler, 0 for none.
func (g *Grammar) isFiller(tokens []token) int { return longest(g.filler, tokens) }

func longest(phrases [][]string, tokens []token) int {
	best := 0
	for _, phrase := range phrases {
		if len(phrase) <= best || len(phrase) > len(tokens) {
			continue
		}
		same := true
		for k, w := range phrase {
			same = same && tokens[k].word == w
		}
		if same {
			best = len(phrase)
		}
	}
	return best
}

// knows reports whether a word is one of some pattern.
func (g *Grammar) knows(t *token) bool { return g.words[t.word] || g.stems[retrieve.Stem(t.word)] }

// is reports whether something of a sort is one of another sort, too.
func (g *Grammar) is(sort, other string) bool {
	return sort == other || slices.Contains(g.kinds[sort], other)
}

// Types are the node types that some phrase makes a step of, in order.
func (g *Grammar) Types() []string {
	var out []string
	for _, r := range g.rules {
		if r.Do != "" {
			out = append(out, r.Do)
		}
		if r.Becomes != "" {
			out = append(out, r.Becomes)
		}
		for _, s := range r.Steps {
			out = append(out, s.Do)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
