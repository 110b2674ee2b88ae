package phrase

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

const smallGrammar = `
words:
  copy: [copy, duplicate, make "copy" of]
  all: [all, every]
filler: [please, the, a]
joins: [and, then]
guards: [not, twice, "if"]
endings: [md]
rules:
- {as: do, says: ["<copy> {source:file} to {dest:path}"], do: copy, with: {from: "${source}", to: "${dest}"}, makes: dest}
- {as: do, says: ["delete {files}"], do: delete, each: files, with: {path: "${files}"}}
- {as: value, says: ["top of {head:files}"], on: list, gives: "files[0]"}
- {as: ask, says: ["give {value}"]}
- {as: do, says: ["tag {name:word}'s copy", "give what's {name:word}'s"], do: tag, with: {name: "${name}"}}
- {as: do, says: ["tag it {name:word}"], do: tag, with: {name: "${name}"}}
- {as: files, says: ["[<all>] {ending} files"], do: list, default: {folder: .}, with: {pattern: "*.${ending}"}, gives: files}
- {as: files, says: ["{files} in {folder}"], on: list, add: {folder: "${folder}"}}
- {as: files, says: ["{paths:file+}"], cost: 0.02}
- {as: files, says: ["{file}"]}
- {as: file, says: [it], prev: true}
- {as: do, says: ["touch {head:files} where they are"], on: list, becomes: swap, params: {pattern: [from, to]}}
- {as: cond, says: ["{file} is there"], do: look, with: {path: "${file}"}, gives: found, makes: file}
- {as: do, says: ["if {cond} {then:do}"], branch: true}
`

func everything(string) bool { return true }

// readSmall reads a request by smallGrammar: the steps on a line each, else what is open of what can be read.
func readSmall(t *testing.T, request string) string {
	t.Helper()
	g, err := Load(everything, fstest.MapFS{"a.yaml": {Data: []byte(smallGrammar)}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := mapparams.Read(context.Background(), request, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Read(context.Background(), read, func(string) *ir.Interface { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Workflow == nil {
		if r.Part == nil {
			return "open"
		}
		var open []string
		for _, o := range r.Part.Open {
			open = append(open, o.Text)
		}
		return "open: " + strings.Join(open, ", ")
	}
	var out []string
	for _, n := range r.Workflow.Nodes {
		text := n.Type + " " + value.JSON(any(n.Params))
		if n.Batch != nil {
			text += fmt.Sprintf(" each %v", n.Batch.Items)
		}
		for name, v := range r.Values {
			text = strings.ReplaceAll(text, "${"+name+"}", fmt.Sprint(v))
		}
		out = append(out, text)
	}
	for _, typo := range r.Typos {
		out = append(out, typo.Was+" is "+typo.As)
	}
	return strings.Join(out, "; ")
}

func TestRead(t *testing.T) {
	for request, want := range map[string]string{
		"please copy a.txt to b.txt":                `copy {"from":"a.txt","to":"b.txt"}`,
		"Duplicate a.txt, to the b":                 `copy {"from":"a.txt","to":"b"}`,
		"copy a.txt to b.txt and tag it v1":         `copy {"from":"a.txt","to":"b.txt"}; tag {"name":"v1"}`,
		"copy a.txt to b.txt and then delete it":    `copy {"from":"a.txt","to":"b.txt"}; delete {"path":"b.txt"}`,
		"delete a.txt":                              `delete {"path":"a.txt"}`,
		"delete a.txt, b.txt and c.txt":             `delete {"path":"${item}"} each [a.txt b.txt c.txt]`,
		"delete every md file in docs":              `list {"folder":"docs","pattern":"*.md"}; delete {"path":"${item}"} each ${list.files}`,
		"tag Ann's copy":                            `tag {"name":"Ann"}`,
		"tag Ann’s copy and give what's Bob's":      `tag {"name":"Ann"}; tag {"name":"Bob"}`,
		"touch md files where they are":             `swap {"folder":".","from":"*.md","to":"*.md"}`,
		"delete .go files":                          `list {"folder":".","pattern":"*.go"}; delete {"path":"${item}"} each ${list.files}`,
		"if a.txt is there delete it":               `look {"path":"a.txt"}; switch {"cases":[{"action":"yes","expr":"holds"}],"inputs":{"holds":"${look.found}"}}; delete {"path":"a.txt"}`,
		"delte a.txt":                               `delete {"path":"a.txt"}; delte is delete`,
		"1. copy a.txt to b.txt\n2. delete c.txt":   `copy {"from":"a.txt","to":"b.txt"}; delete {"path":"c.txt"}`,
		"copy 'my notes.txt' to b.txt":              `copy {"from":"my notes.txt","to":"b.txt"}`,
		"copy a.txt to b.txt twice":                 "open: twice",
		"copy a.txt to b.txt c.txt":                 "open: c.txt",
		"copy a.txt to not":                         "open",
		"delete a.txt if b.txt is there":            "open: if b.txt is there",
		"if a.txt is there delete it and tag it v1": "open: tag it v1",
		"delete proper files":                       "open",
		"delete a.txt delete b.txt":                 "open: delete a.txt",
		"delete md files in docs in src":            "open: in src",
		"tag it v1 and paint the house":             "open: paint, house",
		"copy a.txt and delete b.txt":               "open: copy a.txt",
		"delete it":                                 "open",
		"dalate a.txt":                              "open",
		"":                                          "open",
		"delete \"a.txt\" and \"b.txt\"":            `delete {"path":"${item}"} each [a.txt b.txt]`,
		"copy a.txt to $HOME.txt":                   "open",
	} {
		if got := readSmall(t, request); got != want {
			t.Errorf("%q:\n got %s\nwant %s", request, got, want)
		}
	}
}

// TestGrammarFaults names the file, the place and the pattern of what is wrong.
func TestGrammarFaults(t *testing.T) {
	for text, want := range map[string]string{
		"rules: [{as: do, says: [\"copy {a:file\"], do: x}]":          `phrases/a.yaml: "copy {a:file": want '}'`,
		"rules: [{as: do, says: [\"copy <b>\"], do: x}]":              "there is no list of words <b>",
		"rules: [{as: do, says: [\"[copy]\"], do: x}]":                "it may be nothing",
		"rules: [{as: do, says: [copy], do: x, with: {a: \"${b}\"}}]": "it has no slot {b}",
		"rules: [{as: do, says: [\"{moon} up\"], do: x}]":             "nothing is of the sort moon",
		"rules: [{as: do, sais: [copy]}]":                             "a.yaml:1:18",
		"words: 3":                                                    "a.yaml:1:8",
	} {
		_, err := Load(everything, fstest.MapFS{"a.yaml": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestOwnPhrases adds to lists of words, and rules.
func TestOwnPhrases(t *testing.T) {
	own := "words: {copy: [clone]}\nrules: [{as: do, says: [\"greet {who:word}\"], do: greet, with: {who: \"${who}\"}}]"
	g, err := Load(everything, fstest.MapFS{"a.yaml": {Data: []byte(smallGrammar)}}, fstest.MapFS{"mine.yaml": {Data: []byte(own)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"clone a.txt to b.txt", "greet Ada"} {
		read, _ := mapparams.Read(context.Background(), request, time.Time{})
		if r, err := g.Read(context.Background(), read, func(string) *ir.Interface { return nil }, nil); err != nil || r.Workflow == nil {
			t.Errorf("%s: %v, %v", request, r, err)
		}
	}
}

// TestReadIsBounded reads what is long and what nests.
func TestReadIsBounded(t *testing.T) {
	g, err := Load(everything, fstest.MapFS{"a.yaml": {Data: []byte(smallGrammar)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{strings.Repeat("delete a.txt and ", 7000), strings.Repeat("if a.txt is there ", 30) + "delete it", strings.Repeat("a ", 200), strings.Repeat("'", 5000), strings.Repeat("{", 5000)} {
		read, err := mapparams.Read(context.Background(), request, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Read(context.Background(), read, func(string) *ir.Interface { return nil }, nil); err != nil {
			t.Error(err)
		}
	}
}
