package nodes

import (
	"embed"
	"io/fs"
	"sync"

	"pflow/internal/catalogue"
	"pflow/internal/nodetype"
)

//go:embed packs/*.yaml
var packFiles embed.FS

// Packs gives what pflow ships as declarations: nodes, and forms of node types. They are part of the program, so a fault in
// them is a bug.
var Packs = sync.OnceValue(func() *catalogue.Pack {
	files, err := fs.Sub(packFiles, "packs")
	if err != nil {
		panic(err)
	}
	p, found, err := catalogue.ReadPack(files, "pack ")
	if err != nil {
		panic(err)
	}
	if len(found) > 0 {
		panic(found.Text())
	}
	return p
})

// withForms gives node types the forms that the packs have of them.
func withForms(types []nodetype.Type) []nodetype.Type {
	for _, e := range Packs().Extensions {
		for _, t := range types {
			if t.Interface.Name == e.Of {
				t.Interface.Forms = append(t.Interface.Forms, e.Forms...)
			}
		}
	}
	return types
}
