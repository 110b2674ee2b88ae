package nodes

import (
	_ "embed"
	"slices"
	"sync"

	"pflow/internal/yamltree"
)

//go:embed programs.yaml
var programsText []byte

// Program is one that a node can be made of.
type Program struct {
	Name    string // as it is looked for on the PATH
	Does    string // what it is good for, in words
	Network bool
	Command string // an example of use, with inputs
}

// Programs lists programs of which nodes can be made. The file is part of the program, so a fault in it is a bug.
var Programs = sync.OnceValue(func() []Program {
	tree, found := yamltree.Parse("programs.yaml", programsText)
	r := yamltree.Decoder{Found: found}
	var out []Program
	if tree != nil {
		r.Each(tree, "a list of programs", func(v *yamltree.Value) {
			var p Program
			r.Mapping(v, "a program", yamltree.Fields{"program": r.Text(&p.Name), "does": r.Text(&p.Does), "network": r.Truth(&p.Network), "command": r.Text(&p.Command)})
			out = append(out, p)
		})
	}
	if r.Found.HasErrors() {
		panic(r.Found.Text())
	}
	return out
})

// programNamed gives what is known of a program.
func programNamed(name string) (Program, bool) {
	for _, p := range Programs() {
		if p.Name == name {
			return p, true
		}
	}
	return Program{}, false
}

// AnyNetwork reports whether one of these programs is known to talk to others.
func AnyNetwork(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { p, _ := programNamed(name); return p.Network })
}
