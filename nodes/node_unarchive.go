package nodes

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/internal/archive"
	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// defaultMaxFiles bounds what an archive unpacks to.
const defaultMaxFiles = 10_000

// unarchive unpacks an archive.
func unarchive() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "unarchive",
			Description: "Unpacks, extracts or unzips an archive into a folder: zip, tar, tar.gz. All of it or nothing.",
			Inputs: []ir.Port{
				{Key: "source_path", Type: value.String, Required: true, Description: "The archive; its kind is told by its content."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The folder to unpack into; it is made if it is not there. Nothing is written outside of it."},
			},
			Params: []ir.Port{
				{Key: "only", Type: value.Array, Description: "Patterns of what is unpacked, as list-files has them: by name, or with a slash by the path in the archive; everything otherwise."},
				{Key: "overwrite", Type: value.Boolean, Default: false, Description: "Replace files that are there. Otherwise only those that this workflow wrote, and nobody changed since, are replaced; any other is an error."},
				{Key: "max_bytes", Type: value.Integer, Description: "How many bytes it may unpack to; 2147483648 if left out, and no more than 250 times the archive's size."},
				{Key: "max_files", Type: value.Integer, Default: defaultMaxFiles, Description: "How many files and folders it may hold."},
			},
			Outputs: []ir.Port{
				{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The files, sorted, each beginning with dest_path."},
				{Key: "dest_path", Type: value.String, Description: "The folder, as it was given."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"source_path"},
		Foresee: foreseeUnarchive,
		Run:     runUnarchive,
		Example: nodetype.Example{
			Files:   map[string]string{"pack.tar": exampleTar()},
			Params:  map[string]any{"source_path": "pack.tar", "dest_path": "unpacked"},
			Outputs: map[string]any{"files": []any{"unpacked/notes.txt"}, "dest_path": "unpacked"},
			Want:    map[string]string{"pack.tar": exampleTar(), "unpacked/notes.txt": "hello\n"},
		},
	}
}

// archiveLimits reads the bounds on what is unpacked.
func archiveLimits(c nodetype.Call) (archive.Limits, error) {
	l := archive.Limits{Bytes: defaultMaxBytes, Files: defaultMaxFiles, Ratio: true}
	if n, ok := c.Params["max_bytes"].(int); ok {
		l.Bytes, l.Ratio = int64(n), false
	}
	if n, ok := c.Params["max_files"].(int); ok {
		l.Files = min(n, maxListed)
	}
	if l.Bytes < 0 || l.Files < 1 {
		return l, fault.New(fault.InvalidRequest, "max_bytes must be at least 0, and max_files at least 1")
	}
	return l, nil
}

func runUnarchive(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	from, err := c.Path("source_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	limits, err := archiveLimits(c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "unpack " + quote(c.Text("source_path")) + " into " + quote(c.Text("dest_path"))
	file, _, err := openRegular(from, doing, "give the archive itself")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	defer file.Close()
	into, err := newUnpacking(c, doing)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	var got *archive.Unpacked
	err = atomicfile.Folder(into.beside, func(temp string) (err error) {
		if got, err = archive.Unpack(ctx, file, temp, limits); err == nil {
			err = unpackOnly(c, got, temp)
		}
		return err
	}, func(temp string) error {
		into.temp = temp
		return into.put(ctx, got)
	})
	if err != nil {
		return nodetype.Outcome{}, archiveFault(doing, err)
	}
	files := make([]any, len(got.Files))
	for i, name := range got.Files {
		files[i] = into.shown(name)
	}
	warnings := got.Warnings
	for i := range warnings {
		warnings[i] = "unarchive: " + warnings[i]
	}
	return nodetype.Outcome{Outputs: map[string]any{"files": files, "dest_path": c.Text("dest_path")}, Warnings: warnings}, nil
}

// maxForeseenFiles bounds how many files a plan names that would be replaced.
const maxForeseenFiles = 1000

// foreseeUnarchive says which files would be replaced, by reading the names in the archive.
func foreseeUnarchive(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
	given := c.Text("dest_path")
	overwrite := c.Flag("overwrite") || isPending(pending, "overwrite")
	unknown := func(in string) nodetype.Foreseen {
		if overwrite {
			return nodetype.Foreseen{Destroys: "it may replace files in " + in}
		}
		return nodetype.Foreseen{}
	}
	if isPending(pending, "dest_path") {
		return unknown("a folder that is not known before it runs")
	}
	to, err := c.Path("dest_path")
	if err != nil {
		return seen
	}
	if entries, err := os.ReadDir(to); err != nil || len(entries) == 0 {
		return seen // nothing is there
	}
	from, err := c.Path("source_path")
	limits, limitErr := archiveLimits(c)
	if isPending(pending, "source_path") || isPending(pending, "max_files") || isPending(pending, "max_bytes") || err != nil || limitErr != nil {
		return unknown(given)
	}
	file, _, err := openRegular(from, "", "")
	if err != nil {
		return unknown(given)
	}
	defer file.Close()
	entries, err := archive.List(context.Background(), file, limits)
	if err != nil {
		return unknown(given) // it fails, unless the archive is another by then
	}
	u := unpacking{call: c, to: to}
	only, err := globsOf(c, "only")
	if err != nil || isPending(pending, "only") {
		return unknown(given)
	}
	first := "" // of those that only an approval lets it replace
	for _, e := range entries {
		real, there := u.there(e.Name)
		if !there || !wanted(only, e.Name) {
			continue
		}
		if len(seen.Replaces) < maxForeseenFiles {
			seen.Replaces = append(seen.Replaces, u.shown(e.Name))
		}
		if c.Flag("overwrite") || c.Files == nil || !c.Files.May(real) {
			if seen.Needs = append(seen.Needs, real); first == "" {
				first = u.shown(e.Name)
			}
		}
	}
	switch n := len(seen.Needs); {
	case n == 1:
		seen.Destroys = "it replaces " + first
	case n > 1:
		seen.Destroys = "it replaces " + first + " and " + ir.Text(n-1) + " more in " + given
	}
	return seen
}

// wanted reports whether an entry fits a pattern; all do where there is none.
func wanted(only []*glob, name string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(g *glob) bool { return g.matches(strings.Split(name, "/")) })
}

// unpackOnly leaves of what was unpacked to a folder what is wanted, and the folders on the way to it.
func unpackOnly(c nodetype.Call, got *archive.Unpacked, dir string) error {
	only, err := globsOf(c, "only")
	if err != nil || len(only) == 0 {
		return err
	}
	var files, folders []string
	for _, name := range got.Files {
		if wanted(only, name) {
			files = append(files, name)
		} else if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return fault.New(fault.NotFound, "nothing in it fits %s", value.JSON(c.Params["only"]))
	}
	for _, folder := range slices.Backward(got.Folders) {
		if slices.ContainsFunc(files, func(name string) bool { return strings.HasPrefix(name, folder+"/") }) {
			folders = append(folders, folder)
		} else if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(folder))); err != nil {
			return err
		}
	}
	slices.Reverse(folders)
	got.Files, got.Folders = files, folders
	return nil
}
