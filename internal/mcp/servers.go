package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/diag"
	"pflow/internal/filelock"
	"pflow/internal/home"
	"pflow/internal/value"
)

// File is the name of the servers' file in the home. It is JSON in the shape that other clients use, so that an entry can be
// copied from one to the other:
//
//	{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"TOKEN": "${TOKEN}"}},
//	                "docs": {"type": "http", "url": "https://…", "headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}}}}
const File = "mcp.json"

// section is the one key of the file.
const section = "mcpServers"

// maxFile bounds the file of servers, in bytes.
const maxFile = 4 << 20

// Bad is the kind of findings about servers that are left out.
const Bad = "bad-mcp-server"

// Servers reads the servers of a home, by name. Findings are warnings about entries that are left out; the error is that of
// the file as a whole.
func Servers(h home.Home) ([]*Server, diag.List, error) {
	path := h.Path(File)
	if path == "" {
		return nil, nil, nil
	}
	entries, err := readEntries(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var out []*Server
	var found diag.List
	for _, name := range value.SortedKeys(entries) {
		s, err := read(name, entries[name])
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			found = append(found, diag.Finding{Severity: diag.Warning, Kind: Bad, Place: diag.Place{File: path}, Path: section + "." + name,
				Message: err.Error() + "; its tools are left out"})
			continue
		}
		out = append(out, s)
	}
	return out, found, nil
}

// readEntries reads what stands under mcpServers.
func readEntries(path string) (map[string]any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d MB", path, maxFile>>20)
	}
	doc, err := value.ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	top, _ := doc.(map[string]any)
	entries, ok := top[section].(map[string]any)
	if !ok {
		return nil, fmt.Errorf(`%s: want {"%s": {NAME: {command, args, env} or {url, headers}}}`, path, section)
	}
	return entries, nil
}

// keys are what an entry may have.
var keys = []string{"args", "command", "env", "headers", "timeout", "type", "url"}

// read reads one entry of the file.
func read(name string, entry any) (*Server, error) {
	m, ok := entry.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the server %s: want {command, args, env} or {url, headers}", name)
	}
	s := &Server{Name: name}
	for _, k := range value.SortedKeys(m) {
		wrong := func(want string) error {
			return fmt.Errorf("the server %s: %s: want %s, got %s", name, k, want, value.Describe(m[k]))
		}
		switch k {
		case "command", "url", "type", "timeout":
			text, ok := m[k].(string)
			if !ok {
				return nil, wrong("text")
			}
			switch k {
			case "command":
				s.Command = text
			case "url":
				s.URL = text
			case "type":
				if !slices.Contains([]string{"stdio", "http", "streamable-http", "streamableHttp"}, text) {
					return nil, fmt.Errorf("the server %s: there is no type %q here: stdio and http are", name, text)
				}
			case "timeout":
				d, err := time.ParseDuration(text)
				if err != nil {
					return nil, fmt.Errorf("the server %s: timeout: want a duration such as 30s, got %q", name, text)
				}
				s.Timeout = d
			}
		case "args":
			list, ok := m[k].([]any)
			if !ok {
				return nil, wrong("a list of texts")
			}
			for i, a := range list {
				text, ok := a.(string)
				if !ok {
					return nil, fmt.Errorf("the server %s: args[%d]: want text, got %s", name, i, value.Describe(a))
				}
				s.Args = append(s.Args, text)
			}
		case "env", "headers":
			object, ok := m[k].(map[string]any)
			if !ok {
				return nil, wrong("an object of texts")
			}
			to := map[string]string{}
			for _, key := range value.SortedKeys(object) {
				text, ok := object[key].(string)
				if !ok {
					return nil, fmt.Errorf("the server %s: %s.%s: want text, got %s", name, k, key, value.Describe(object[key]))
				}
				to[key] = text
			}
			if k == "env" {
				s.Env = to
			} else {
				s.Headers = to
			}
		default:
			hint := "; it may have " + strings.Join(keys, ", ")
			if near := diag.Nearest(k, keys); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("the server %s has no key %q%s", name, k, hint)
		}
	}
	return s, nil
}

// Change changes the file of servers as a whole, under a lock: edit is given the entries that are there, also those that
// cannot be used, and may add and delete.
func Change(h home.Home, edit func(entries map[string]any) error) error {
	path := h.Path(File)
	if path == "" {
		return home.ErrNone
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(dir, File+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := readEntries(path)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err = map[string]any{}, nil
	}
	if err != nil {
		return err
	}
	if err := edit(entries); err != nil {
		return err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // addresses hold &
	e.SetIndent("", "  ")
	if err := e.Encode(map[string]any{section: entries}); err != nil {
		return err
	}
	return writeFile(path, b.Bytes())
}

// Entry is what Change keeps of a server.
func (s *Server) Entry() map[string]any { return s.entry(true) }

// writeFile puts a file there as a whole, for its owner alone.
func writeFile(path string, data []byte) error {
	return atomicfile.Write(path, 0o600, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}, func(temp string) error { return os.Rename(temp, path) })
}

// lock waits until no other process changes what a lock file is for.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(context.Background(), f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
