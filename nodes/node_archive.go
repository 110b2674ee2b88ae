package nodes

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/archive"
	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// archiveType packs files into one.
func archiveType() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "archive",
			Description: "Packs or compresses files and folders into one archive: zips them, or makes a tar.gz.",
			Inputs: []ir.Port{
				{Key: "paths", Type: value.Any, Required: true, Description: "The files and folders to pack, a list or one text; a folder goes in with all that is in it."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The archive to make, such as docs.zip or docs.tar.gz."},
			},
			Params: []ir.Port{
				{Key: "format", Type: value.String, Enum: []any{string(archive.Zip), string(archive.TarGz), string(archive.Tar)}, Description: "What kind of archive; by the end of dest_path if left out."},
				{Key: "base", Type: value.String, Description: "The folder from which the names in the archive count. Otherwise they are the paths as given, and of a path that leads out of the working directory its last name."},
				{Key: "exclude", Type: value.Array, Default: []any{}, Structure: ir.MustStructure([]any{"string"}), Description: "Patterns of what is left out: *.md by name, with a slash by the path in the archive; a folder with all that is in it. (?i) in front makes capital and small letters alike."},
				overwritePort(),
			},
			Outputs: []ir.Port{
				{Key: "dest_path", Type: value.String, Description: "The archive, as it was given."},
				{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The files in it, by their names there, sorted."},
				{Key: "bytes", Type: value.Integer, Description: "How many bytes the archive has."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"paths"},
		Check:   checkArchive,
		Foresee: func(c nodetype.Call, pending []string) nodetype.Foreseen { return foreseeFile(c, pending, "dest_path") },
		Run:     runArchive,
		Example: nodetype.Example{
			Files:   map[string]string{"docs/notes.txt": "hello\n", "docs/draft.md": ""},
			Params:  map[string]any{"paths": []any{"docs"}, "dest_path": "pack.tar", "exclude": []any{"*.md"}, "base": "docs"},
			Outputs: map[string]any{"dest_path": "pack.tar", "files": []any{"notes.txt"}, "bytes": 2048},
			Want:    map[string]string{"docs/notes.txt": "hello\n", "docs/draft.md": "", "pack.tar": exampleTar()},
		},
	}
}

// exampleTar is an archive of one file: a header of 512 bytes, the content filled up to as many, and an end of twice that.
func exampleTar() string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	content := "hello\n"
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "notes.txt", Mode: 0o644, Size: int64(len(content)), ModTime: nodetype.ExampleTime})
	io.WriteString(w, content)
	w.Close()
	return b.String()
}

func checkArchive(params map[string]any) []ir.Problem {
	var problems []ir.Problem
	to, ok := params["dest_path"].(string)
	if _, given := params["format"]; ok && !given && !strings.ContainsRune(to, '$') && archive.FormatOf(to) == "" {
		problems = append(problems, ir.Problem{Path: "dest_path", Message: noFormat(to).Error()})
	}
	list, _ := params["exclude"].([]any)
	for i, item := range list {
		if text, ok := item.(string); ok && !strings.ContainsRune(text, '$') {
			if _, err := newGlob(text); err != nil {
				problems = append(problems, ir.Problem{Path: "exclude[" + ir.Text(i) + "]", Message: err.Error()})
			}
		}
	}
	return problems
}

func noFormat(to string) error {
	return fault.New(fault.InvalidRequest, "%s does not say what kind of archive it is: end it with .zip, .tar.gz, .tgz or .tar, or set format", quote(to))
}

func runArchive(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	given := c.Text("dest_path")
	doing := "make the archive " + quote(given)
	to, err := c.Path("dest_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	format := archive.Format(c.Text("format"))
	if format == "" {
		if format = archive.FormatOf(given); format == "" {
			return nodetype.Outcome{}, noFormat(given)
		}
	}
	to, old, err := target(to, doing, "give the archive's path with its name, such as "+quote(filepath.Join(given, "files.zip")))
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if old != nil && !c.Flag("overwrite") && (c.Files == nil || !c.Files.May(realPath(to))) {
		return nodetype.Outcome{}, existsFault(doing, given, false)
	}
	s, err := archiveSelection(c, to, old)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	members, warnings, err := archive.Find(ctx, s)
	if err != nil {
		return nodetype.Outcome{}, archiveFault(doing, err)
	}
	files := []any{}
	for _, m := range members {
		if err := c.Permit(m.Path, false); err != nil {
			return nodetype.Outcome{}, err
		}
		if !m.Info.IsDir() {
			files = append(files, m.Name)
		}
	}
	var size int64
	err = place(ctx, c, to, 0, c.Flag("overwrite"), func(f *os.File) error {
		if err := archive.Pack(ctx, f, format, members); err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil {
			size = info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return nodetype.Outcome{}, existsFault(doing, given, c.Flag("overwrite"))
	}
	if err != nil {
		return nodetype.Outcome{}, archiveFault(doing, err)
	}
	for i := range warnings {
		warnings[i] = "archive: " + warnings[i]
	}
	return nodetype.Outcome{Outputs: map[string]any{"dest_path": given, "files": files, "bytes": int(size)}, Warnings: warnings}, nil
}

// archiveSelection says what goes into the archive at a path, and under which names.
func archiveSelection(c nodetype.Call, to string, old fs.FileInfo) (archive.Selection, error) {
	s := archive.Selection{Most: maxListed, Own: func(_ string, info fs.FileInfo) bool {
		return old != nil && os.SameFile(old, info) || strings.HasPrefix(info.Name(), atomicfile.Prefix)
	}}
	var skip []*glob
	list, _ := c.Params["exclude"].([]any)
	for _, item := range list {
		g, err := newGlob(ir.Text(item))
		if err != nil {
			return s, err
		}
		skip = append(skip, g)
	}
	s.Skip = func(name string) bool {
		for _, g := range skip {
			if g.matches(strings.Split(name, "/")) {
				return true
			}
		}
		return false
	}
	paths, ok := c.Params["paths"].([]any)
	if !ok {
		paths = []any{c.Params["paths"]}
	}
	if len(paths) == 0 {
		return s, fault.New(fault.InvalidRequest, "paths is empty: there is nothing to pack")
	}
	for i, item := range paths {
		p, ok := item.(string)
		if !ok || p == "" || strings.ContainsRune(p, 0) {
			return s, fault.New(fault.InvalidRequest, "paths[%d] is %s, which is no path", i, quote(ir.Text(item)))
		}
		at, err := c.At("paths", p)
		if err != nil {
			return s, err
		}
		name, err := nameInArchive(c, p)
		if err != nil {
			return s, err
		}
		if _, err := os.Stat(at); err != nil {
			return s, fileFault("pack "+quote(p), err)
		}
		s.Sources = append(s.Sources, archive.Source{Path: at, Name: name})
	}
	return s, nil
}

// nameInArchive is what a path is called in the archive.
func nameInArchive(c nodetype.Call, p string) (string, error) {
	if c.Text("base") != "" {
		base, err := c.Path("base")
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(realPath(filepath.Join(base, ".")), realPath(c.Locate(p)))
		if err != nil || !filepath.IsLocal(rel) {
			return "", fault.New(fault.InvalidRequest, "%s does not lie in base %s; give a folder that holds all of paths", quote(p), quote(c.Text("base")))
		}
		return filepath.ToSlash(rel), nil
	}
	if clean := filepath.Clean(p); filepath.IsLocal(clean) && !strings.HasPrefix(p, "~") {
		return filepath.ToSlash(clean), nil
	}
	name := filepath.Base(realPath(c.Locate(p)))
	if name == string(filepath.Separator) {
		name = "."
	}
	return name, nil
}

// archiveFault is an error of making or unpacking an archive.
func archiveFault(doing string, err error) error {
	var known *fault.Error
	if errors.As(err, &known) && !strings.HasPrefix(known.Message, "cannot ") {
		return &fault.Error{Kind: known.Kind, Message: "cannot " + doing + ": " + known.Message, Cause: err, Details: known.Details}
	}
	return fileFault(doing, err)
}
