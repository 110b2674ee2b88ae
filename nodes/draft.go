package nodes

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"pflow/internal/nodetype"
)

// Draft is what can be read off a command, or off an address, that is to become a node.
type Draft struct {
	Inputs   []string // the names of its templates, each once, in their order
	Programs []string // the programs that it is known to run
	Words    string   // what it runs, up to the first word that is an option, a value or a template
	Destroys string   // why it may destroy what is there, "" if it is known that it does not
}

// DraftShell reads a command line as the node type shell would run it.
func DraftShell(command string) (Draft, error) {
	d, err := draftInputs(command)
	if err != nil {
		return d, err
	}
	for _, p := range shell(Deps{}).Check(map[string]any{"command": command}) {
		return d, fmt.Errorf("character %d: %s", p.Offset+1, p.Message)
	}
	d.Destroys = destroysShell(nodetype.Call{Params: map[string]any{"command": command},
		Resolve: func(string) (any, error) { return nil, fmt.Errorf("not known yet") }}, nil)
	late, _ := readLate(command)
	p := newPlacer(command, late)
	file, err := parseSh(p.text, syntax.LangPOSIX)
	if err != nil {
		return d, nil // a shell may read it that is not this one
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := call.Args[0].Lit()
		if name == "" || len(p.within(call.Args[0])) > 0 {
			return true // it is not known before it runs
		}
		if !slices.Contains(d.Programs, name) {
			d.Programs = append(d.Programs, name)
		}
		if d.Words == "" {
			d.Words = name
			if len(call.Args) > 1 && len(p.within(call.Args[1])) == 0 && isWord(call.Args[1].Lit()) {
				d.Words += " " + call.Args[1].Lit()
			}
		}
		return true
	})
	return d, nil
}

// isWord tells the name of a subcommand from an option, a path and a value.
func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == "" && s[0] != '-'
}

// DraftHTTP reads an address as the node type http would ask it.
func DraftHTTP(url string) (Draft, error) {
	d, err := draftInputs(url)
	if err != nil {
		return d, err
	}
	scheme, rest, ok := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || scheme != "https" && scheme != "http" || host == "" {
		return d, fmt.Errorf("want an address that begins with https:// or http://")
	}
	if !strings.Contains(host, "$") {
		d.Words = host
	}
	return d, nil
}

// draftInputs are the templates of a text, each of which is to be an input.
func draftInputs(text string) (d Draft, err error) {
	late, problems := readLate(text)
	for _, p := range problems {
		return d, fmt.Errorf("character %d: %s", p.Offset+1, p.Message)
	}
	for _, e := range late.exprs {
		ref := e.Alts[0].Ref
		if len(e.Alts) != 1 || ref == nil || len(ref.Path) > 0 {
			return d, fmt.Errorf("character %d: %s is no name of an input; an input is written ${count}", e.Offset+1, e.Text)
		}
		if !strings.HasPrefix(e.Text, "${") {
			return d, fmt.Errorf("character %d: %s could be both: write $%s for a variable of the shell, ${%s} for an input", e.Offset+1, e.Text, e.Text, ref.Root)
		}
		if !slices.Contains(d.Inputs, ref.Root) {
			d.Inputs = append(d.Inputs, ref.Root)
		}
	}
	return d, nil
}
