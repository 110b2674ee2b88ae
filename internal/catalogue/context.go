package catalogue

import (
	"fmt"
	"strings"
	"unicode"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// ContextOptions bounds a context.
type ContextOptions struct {
	Tokens  int    // at most; 0: no bound
	Request string // decides what is kept when not all fits
	Rank    Rank   // nil: BM25
}

// Context is deterministic text about components for a prompt.
type Context struct {
	Text    string
	Kept    []string // names, in the order of the text
	LeftOut int
}

// Tokens estimates how many tokens a text is, on the high side for English: four bytes each.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// Discovery lists names and descriptions: node types, then saved workflows.
func Discovery(components []*ir.Interface, o ContextOptions) Context {
	return build(components, o, func(i *ir.Interface) string {
		text := "- " + i.Name
		if d := oneLine(i.Description); d != "" {
			text += ": " + d
		}
		return text + "\n"
	})
}

// Planning describes the interfaces of chosen components in full, with the template paths their outputs offer.
func Planning(components []*ir.Interface, o ContextOptions) Context {
	return build(components, o, describe)
}

func build(components []*ir.Interface, o ContextOptions, entry func(*ir.Interface) string) Context {
	entries := make([]string, len(components))
	total := 0
	for i, c := range components {
		entries[i] = entry(c)
		total += len(entries[i])
	}
	const headings = 40 // bytes for both
	keep := make([]bool, len(components))
	left := 0
	if o.Tokens <= 0 || total+headings <= o.Tokens*4 {
		for i := range keep {
			keep[i] = true
		}
	} else {
		docs := make([]Doc, len(components))
		for i, c := range components {
			docs[i] = Document(c)
		}
		rank := o.Rank
		if rank == nil {
			rank = BM25
		}
		room := o.Tokens*4 - headings - len(leftOut(len(components)))
		for _, i := range rank(o.Request, docs) {
			if len(entries[i]) <= room {
				room -= len(entries[i])
				keep[i] = true
			} else {
				left++
			}
		}
	}
	c := Context{LeftOut: left}
	var b strings.Builder
	for _, workflows := range []bool{false, true} {
		heading := wording().nodeTypes + "\n"
		if workflows {
			heading = wording().workflows + "\n"
		}
		for i, component := range components {
			if !keep[i] || component.Workflow != workflows {
				continue
			}
			b.WriteString(heading)
			heading = ""
			b.WriteString(entries[i])
			c.Kept = append(c.Kept, component.Name)
		}
	}
	if left > 0 {
		b.WriteString(leftOut(left))
	}
	c.Text = b.String()
	return c
}

func leftOut(n int) string {
	return fmt.Sprintf(wording().leftOut+"\n", n)
}

// Document is what a component is found by: its name, and in words what it does, takes and gives.
func Document(i *ir.Interface) Doc {
	parts := []string{i.Name, i.Description}
	for _, list := range [][]ir.Port{i.Inputs, i.Outputs} {
		for _, p := range list {
			parts = append(parts, p.Key, p.Kind)
		}
	}
	return Doc{Name: i.Name, Text: strings.Join(parts, " ")}
}

// oneLine makes text that others wrote safe for a list: one line, no control characters, not endless.
func oneLine(s string) string {
	const most = 600 // bytes
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.TrimRightFunc(strings.ToValidUTF8(s[:most], ""), unicode.IsSpace) + "…"
}

func describe(i *ir.Interface) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n", i.Name)
	if d := oneLine(i.Description); d != "" {
		b.WriteString(d + "\n")
	}
	if len(i.Effects) > 0 {
		var names []string
		for _, e := range i.Effects {
			names = append(names, string(e))
		}
		fmt.Fprintf(&b, wording().effects+"\n", strings.Join(names, ", "))
	}
	ports(&b, wording().inputs, i.Inputs)
	ports(&b, wording().params, i.OnlyParams())
	if i.OpenParams {
		b.WriteString(wording().anyParams + "\n")
	}
	if len(i.Outputs) == 0 && !i.OpenOutputs {
		b.WriteString(wording().noOutputs + "\n")
	}
	ports(&b, wording().outputs, i.Outputs)
	for _, o := range i.Outputs {
		if paths := o.Paths()[1:]; len(paths) > 0 {
			for n := range paths {
				paths[n] = "${NODE-ID." + paths[n] + "}"
			}
			fmt.Fprintf(&b, "  "+wording().paths+"\n", o.Key, diag.Names(paths, 60))
		}
	}
	if i.OpenOutputs {
		b.WriteString(wording().anyOutputs + "\n")
	}
	results := i.Results()
	if i.Cases != "" {
		results = append(results, fmt.Sprintf(wording().cases, i.Cases))
	}
	if len(results) > 1 {
		fmt.Fprintf(&b, wording().actions+"\n", strings.Join(results, ", "))
	}
	if len(i.Example) > 0 {
		fmt.Fprintf(&b, wording().example+"\n", value.JSON(i.Example))
	}
	if len(i.Forms) > 0 {
		b.WriteString(wording().forms + "\n")
	}
	for _, f := range i.Forms {
		fmt.Fprintf(&b, "- %s params: %s\n", oneLine(f.Shown()), value.JSON(f.With))
	}
	return b.String()
}

func ports(b *strings.Builder, heading string, list []ir.Port) {
	if len(list) > 0 {
		b.WriteString(heading + ":\n")
	}
	for _, p := range list {
		traits := []string{string(p.Type)}
		if p.Kind != "" {
			traits = append(traits, "of kind "+p.Kind)
		}
		if p.Required {
			traits = append(traits, "required")
		}
		if p.Default != nil {
			traits = append(traits, "default "+value.JSON(p.Default))
		}
		if len(p.Enum) > 1 { // what has one value only is said by its description
			var names []string
			for _, e := range p.Enum {
				names = append(names, value.JSON(e))
			}
			traits = append(traits, "one of "+diag.Names(names, 30))
		}
		if p.Raw {
			traits = append(traits, "raw: templates in it are not expanded")
		}
		fmt.Fprintf(b, "- %s (%s)", p.Key, strings.Join(traits, ", "))
		if d := oneLine(p.Description); d != "" {
			b.WriteString(": " + d)
		}
		b.WriteByte('\n')
	}
}
