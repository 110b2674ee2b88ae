package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/diag"
	"pflow/internal/home"
	"pflow/internal/value"
)

// Listing is what a server said of itself and its tools when it was last asked. One file for each server in the folder mcp of
// the home keeps it, so that nothing is started to know what there is.
type Listing struct {
	Schema  string   `json:"schema"` // pflow.mcp-tools/v1
	Server  string   `json:"server"`
	Config  string   `json:"config"`  // the digest of how the server was started or reached
	Version string   `json:"version"` // the name and version that it gave itself
	Tools   []*Tool  `json:"tools"`   // in its own order
	LeftOut []string `json:"left_out,omitempty"`
}

const listingSchema = "pflow.mcp-tools/v1"

// Tool is one tool as its server describes it.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Input       map[string]any `json:"input"`            // a JSON Schema
	Output      map[string]any `json:"output,omitempty"` // a JSON Schema; nil: it answers with text
	Hints       Hints          `json:"hints"`
}

// Hints are what the server says of a tool's effects; nobody checks that they are true.
type Hints struct {
	ReadOnly    bool  `json:"read_only,omitempty"`
	Destructive *bool `json:"destructive,omitempty"` // nil: it does not say, which counts as true
	Idempotent  bool  `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"` // nil: it does not say, which counts as true
}

// Bounds on what is kept of a tool.
const (
	maxToolName    = 128       // bytes
	maxDescription = 4000      // bytes
	maxSchema      = 256 << 10 // bytes of each schema
)

// add takes a tool into the listing, or notes why it is left out.
func (l *Listing) add(from *sdk.Tool) {
	t := &Tool{Name: from.Name, Description: cut(from.Description, maxDescription)}
	if t.Description == "" {
		t.Description = cut(from.Title, maxDescription)
	}
	leftOut := func(format string, args ...any) {
		l.LeftOut = append(l.LeftOut, fmt.Sprintf("%q: ", cut(from.Name, 60))+fmt.Sprintf(format, args...))
	}
	if a := from.Annotations; a != nil {
		t.Hints = Hints{a.ReadOnlyHint, a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint}
	}
	var err error
	if t.Input, err = schemaOf(from.InputSchema); err != nil {
		leftOut("its inputSchema %v", err)
		return
	}
	if from.OutputSchema != nil {
		if t.Output, err = schemaOf(from.OutputSchema); err != nil {
			leftOut("its outputSchema %v", err)
			return
		}
	}
	if t.Name == "" || len(t.Name) > maxToolName {
		leftOut("its name has %d bytes; 1 to %d can be used", len(t.Name), maxToolName)
		return
	}
	if l.Tool(t.Name) != nil {
		leftOut("it is listed twice")
		return
	}
	l.Tools = append(l.Tools, t)
}

// schemaOf reads a schema as the SDK hands it over.
func schemaOf(v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if len(data) > maxSchema {
		return nil, fmt.Errorf("has more than %d KB", maxSchema>>10)
	}
	doc, err := value.ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is no object")
	}
	return object, nil
}

// Tool gives the tool of a name, nil if there is none.
func (l *Listing) Tool(name string) *Tool {
	if l == nil {
		return nil
	}
	for _, t := range l.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Nearest is the tool that a name was probably meant to be, or "".
func (l *Listing) Nearest(name string) string {
	var names []string
	for _, t := range l.Tools {
		names = append(names, t.Name)
	}
	return diag.Nearest(name, names)
}

// Digest is a checksum of what can be relied on: what the tool takes, gives and is said to do. Its description is not part
// of it.
func (t *Tool) Digest() string {
	data, err := json.Marshal([]any{t.Name, t.Hints})
	if err != nil {
		panic("mcp: " + err.Error()) // of texts and truths
	}
	sum := sha256.New()
	sum.Write(data)
	sum.Write(value.AppendJSON(nil, t.Input))
	if t.Output != nil {
		sum.Write(value.AppendJSON(nil, t.Output))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Difference says what of a listing is another since the one before, in words: "added: a, b; gone: c; changed: d", or "".
func (l *Listing) Difference(before *Listing) string {
	var added, gone, changed, told []string
	for _, t := range l.Tools {
		switch old := before.Tool(t.Name); {
		case old == nil:
			added = append(added, t.Name)
		case old.Digest() != t.Digest():
			changed = append(changed, t.Name)
		case old.Description != t.Description:
			told = append(told, t.Name)
		}
	}
	for _, t := range before.Tools {
		if l.Tool(t.Name) == nil {
			gone = append(gone, t.Name)
		}
	}
	out := ""
	for _, part := range []struct {
		what  string
		names []string
	}{{"added", added}, {"gone", gone}, {"changed", changed}, {"described anew", told}} {
		if len(part.names) > 0 {
			if out != "" {
				out += "; "
			}
			out += part.what + ": " + diag.Names(part.names, 10)
		}
	}
	return out
}

func listingPath(h home.Home, server string) string { return h.Path("mcp", server+".json") }

// ReadListing reads what is known of a server's tools; nil if nothing is.
func ReadListing(h home.Home, server string) (*Listing, error) {
	path := listingPath(h, server)
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &Listing{}
	if err := value.Decode(data, l); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if l.Schema != listingSchema || l.Server != server {
		return nil, fmt.Errorf("%s is no list of the tools of %s", path, server)
	}
	for _, t := range l.Tools {
		if t == nil || t.Name == "" {
			return nil, fmt.Errorf("%s: a tool without a name", path)
		}
		for _, s := range []*map[string]any{&t.Input, &t.Output} {
			if *s == nil {
				continue
			}
			v, err := value.Normalize(*s)
			if err != nil {
				return nil, fmt.Errorf("%s: the tool %q: %w", path, t.Name, err)
			}
			*s, _ = v.(map[string]any)
		}
	}
	return l, nil
}

// Keep writes the listing into the home.
func (l *Listing) Keep(h home.Home) error {
	path := listingPath(h, l.Server)
	if path == "" {
		return home.ErrNone
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	l.Schema = listingSchema
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

// Forget removes what is known of a server's tools.
func Forget(h home.Home, server string) error {
	err := os.Remove(listingPath(h, server))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
