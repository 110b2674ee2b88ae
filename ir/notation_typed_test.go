package ir

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// TestNotationTyped reads what a person types.
func TestNotationTyped(t *testing.T) {
	for _, c := range []struct{ text, nodes, edges string }{
		{`read-file path=README.md >> write-file file_path=b.txt content='${read-file.content}'`,
			`[{"id":"read-file","params":{"file_path":"README.md"},"type":"read-file"},{"id":"write-file","params":{"content":"${read-file.content}","file_path":"b.txt"},"type":"write-file"}]`,
			`[{"from":"read-file","to":"write-file"}]`},
		// One after the other: ids of their own, quotes as in a shell, a line that goes on, a template with blanks.
		{"read-file path=\"a \\\"b\\\" c.txt\" >>\n  read-file path='x'\" y\"\\\n >> write-file path=a\\ b content=${read-file-2.content ?? \"no one\"} --append",
			`[{"id":"read-file","params":{"file_path":"a \"b\" c.txt"},"type":"read-file"},{"id":"read-file-2","params":{"file_path":"x y"},"type":"read-file"},` +
				`{"id":"write-file","params":{"append":true,"content":"${read-file-2.content ?? \"no one\"}","file_path":"a b"},"type":"write-file"}]`,
			`[{"from":"read-file","to":"read-file-2"},{"from":"read-file-2","to":"write-file"}]`},
		// Values have the types of the interface: text stays text, lists and objects are JSON.
		{`shell command="ls -l \d" --args ["a", "b c"] --env {"N": "1 2"} stdin=007>>github-get-issue issue_number=12 repo=12`,
			`[{"id":"shell","params":{"args":["a","b c"],"command":"ls -l \\d","env":{"N":"1 2"},"stdin":"007"},"type":"shell"},` +
				`{"id":"github-get-issue","params":{"issue_number":12,"repo":"12"},"type":"github-get-issue"}]`,
			`[{"from":"shell","to":"github-get-issue"}]`},
		// How a step runs, and where its actions lead.
		{"pick: classify text=x\n  # Which it is\n  retry: 3 attempts, wait 1s\n  bug >> tell, note\n  error >> note\ntell: llm prompt='say it' \n  batch: once per word of [\"a\", \"b\"], 2 at once\nnote: summarize-repo repo=a/b",
			`[{"id":"pick","params":{"text":"x"},"purpose":"Which it is","retry":{"attempts":3,"wait":"1s"},"type":"classify"},` +
				`{"batch":{"as":"word","concurrency":2,"items":["a","b"]},"id":"tell","params":{"prompt":"say it"},"type":"llm"},{"id":"note","params":{"repo":"a/b"},"type":"summarize-repo"}]`,
			`[{"action":"bug","from":"pick","to":"tell"},{"action":"bug","from":"pick","to":"note"},{"action":"error","from":"pick","to":"note"}]`},
		{"read-file --file_path a.txt\n>> delete-file path=a.txt --confirm_delete",
			`[{"id":"read-file","params":{"file_path":"a.txt"},"type":"read-file"},{"id":"delete-file","params":{"confirm_delete":true,"file_path":"a.txt"},"type":"delete-file"}]`,
			`[{"from":"read-file","to":"delete-file"}]`},
	} {
		n := ReadNotation(c.text, testCatalogue())
		if n == nil {
			t.Errorf("%s: not taken for notation", c.text)
			continue
		}
		if len(n.Problems) > 0 {
			t.Error(n.Problems.Text())
		}
		v, err := value.ParseJSON(n.JSON())
		if err != nil {
			t.Fatal(err)
		}
		document := v.(map[string]any)
		if diff := cmp.Diff(c.nodes, value.JSON(document["nodes"])); diff != "" {
			t.Errorf("%s: nodes (-want +got):\n%s", c.text, diff)
		}
		if diff := cmp.Diff(c.edges, value.JSON(document["edges"])); diff != "" {
			t.Errorf("%s: edges (-want +got):\n%s", c.text, diff)
		}
		accounted(t, c.text, n)
	}
}

// TestNotationMistakes: each has its place, what to do, and what was probably meant.
func TestNotationMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"read-file path=a b >> write-file":                                       `:1:18: error: "b" is no param of read-file; write PARAM=value`,
		"read-file path=a.txt | write-file path=b content=c":                     `:1:22: error: "|" is no param of read-file; >> leads to the next step`,
		"read-file path='a >> write-file path=b":                                 ":1:16: error: this quote is not closed",
		"read-file path=\"a\\\"":                                                 ":1:16: error: this quote is not closed",
		"read-file path=a >>":                                                    ":1:18: error: no step follows >>",
		"read-file path=a >> >> write-file path=b":                               ":1:21: error: a step is missing before >>",
		"read-file path=a path=b":                                                `:1:18: error: "file_path" is given twice`,
		"read-file path=a\n  retri: 3 attempts":                                  ":2:3: error: this line below the step \"read-file\" says nothing that is known of one [malformed-notation]\n    retri: 3 attempts\n    ^\n  did you mean \"retry\"?",
		"read-file path=a\n  retry: three times":                                 ":2:9: error: retry is written: retry: 3 attempts, wait 1s, exponential backoff",
		"read-file path=a\n  batch: each of ${x}":                                ":2:9: error: batch is written: batch: once per item of LIST",
		"read-file path=a\n  as written: {\"params\"":                            ":2:15: error: this is no JSON: line 1, column 10: the text ends too early",
		"read-file path=${file}\ninputs:\n  file (string, reqired) = a":          `:3:17: error: "reqired" is said of no input`,
		"read-file path=${file}\ninputs:\n  file (string = a":                    ":3:9: error: the parenthesis is not closed; write file (type)",
		"read-file path=${file}\ninputs:\n  file (string) = a b":                 `:3:21: error: "b" fits nowhere here; quote a value that holds blanks`,
		"read-file path=${file}\ninputs:\n  a file":                              ":3:3: error: an input is written NAME (type) = value: description",
		"readfile path=a >> write-file path=b content=c":                         `:1:1: error: there is no node type "readfile" in the catalogue [unknown-node-type]` + "\n  readfile path=a >> write-file path=b content=c\n  ^\n  did you mean \"read-file\"?",
		"read-file file_pat=a":                                                   `:1:11: error: "file_pat" is no param of read-file [unknown-param]` + "\n  read-file file_pat=a\n            ^\n  did you mean \"file_path\"?",
		"a: read-file path=x >>\nb: github-get-issue --issue_number=many":        `:2:21: error: `,
		"read-file path=ä >> write-file path=b content=${read-file.contents}":    ":1:39: error: ",
		"read-file path=a\n  timeout: soon":                                      `:2:3: error: want a duration`,
		"read-file path=a\n  eror >> b":                                          `:2:11: error: the edge leads to "b"`,
		"begins at a\nb: read-file path=a":                                       `:1:1: error: the workflow starts at "a"`,
		"one: read-file path=a >>\ntwo: delete-file path=b confirm_delete=maybe": ":2:25: error: ",
	} {
		n := ReadNotation(text, testCatalogue())
		if n == nil {
			t.Errorf("%q: not taken for notation", text)
			continue
		}
		_, found := Check(n.JSON(), testCatalogue(), Options{})
		located := n.Locate(found)
		for i := range located {
			located[i].Path = ""
		}
		got := located.Text()
		if !strings.Contains("\n"+got, "\n"+want) {
			t.Errorf("%q: want %s\ngot\n%s", text, want, got)
		}
		accounted(t, text, n)
	}
}

// TestNotationOrSentence: words that only look like notation are none.
func TestNotationOrSentence(t *testing.T) {
	for _, text := range []string{
		"", " \n", "open the file a.txt", "please read-file path=a", "workflow", "shell", "switch it off", "transform x=5 into a house and sell it",
		"open x=5 and then tell me what it is", "copy a.txt >> b.txt", "echo hello >> log.txt", "shell: echo a >> b", "set x=5 and y=3", "note: buy milk >> eggs",
		"read-file the path=a", "llm, say path=x", "inputs:", "new workflow x: y", "effects: reads", "# read-file", "classify this text: a >> b",
		"'read-file' path", "read-file: it is broken", "https://example.org/?read-file=a", "{\"read-file\": 1}", strings.Repeat("read-file path=a >> ", 10_000),
	} {
		if n := ReadNotation(text, testCatalogue()); n != nil {
			t.Errorf("%.60q is taken for notation: %.300s", text, n.JSON())
		}
	}
}

// TestNotationIsLinear holds that the time grows with the text, for text that could make a reader begin again and again: an eighth of
// it takes an eighth, where what grows with the square takes a 64th. A busy machine is no fault of the reader, so that it may try often.
func TestNotationIsLinear(t *testing.T) {
	for _, unit := range []string{"read-file path=a >> ", "read-file path='a\n", "read-file path=\"a\n", "read-file path=${a ", "shell args=[1, ", "shell args={\"a\":", "a=[", "${", "'", "\"\\u",
		"read-file path=a\n  # x\n", "read-file path=a\n  error >> read-file\n", "read-file path=a\ninputs:\n  a (string, default b) = c: d\n", "read-file path=a\n  changes: b\n", "read-file path=a b c d ",
		"read-file path=a --", "read-file path=a\\\n", "a: ", "(", "\t", "edges in the document: a >> b, "} {
		took := func(n int) time.Duration {
			text := "read-file path=a >> " + strings.Repeat(unit, n/len(unit))
			start := time.Now()
			ReadNotation(text[:min(len(text), MaxNotation)], testCatalogue())
			return time.Since(start)
		}
		ratio := 0.0
		for range 30 {
			if ratio = float64(took(MaxNotation)) / float64(took(MaxNotation/8)+time.Millisecond); ratio < 40 {
				break
			}
		}
		if ratio >= 40 {
			t.Errorf("%q takes %.1f times as long as an eighth of it", unit, ratio)
		}
	}
}

func FuzzNotation(f *testing.F) {
	for _, text := range []string{
		`read-file --file_path='a b' >> write-file path="\u00e9\n" content=${read-file.content ?? "x"}`,
		"new workflow a: b\nbegins at a\na: read-file --file_path=x\n    # why\n    batch: once per b of ${c}, 2 at once, on_error=fail, retry 2 attempts, wait 1s\n    as written: {\"params\":{\"file_path\":\"${d}/x\"}}\n    error >> b\n" +
			"b: open --'k y'=[1,2]\n    repeat: until 'result.x == 1', 3 rounds at most, wait 2s\n    approval: required\n    timeout: 5s\ninputs:\n  d (string, implied, required) = 'q r': s\noutputs:\n  o (any) = ${b.x}: y\nmappings (unused): {}\neffects: reads\n",
		"classify text=a\n  bug >> b, c\nb: summarize-repo repo=a depth=1.0",
	} {
		f.Add(text)
	}
	c := testCatalogue()
	f.Fuzz(func(t *testing.T, text string) {
		n := ReadNotation(text, c)
		if n == nil {
			return
		}
		accounted(t, text, n)
		w, found := Check(n.JSON(), c, Options{})
		for _, p := range n.Locate(found) {
			if p.Place.Line < 1 || p.Place.Col < 1 {
				t.Errorf("%v has no place in %q", p, text)
			}
		}
		if len(n.Problems) == 0 && !found.HasErrors() {
			readBack(t, "what was read", w, DisplayOptions{Catalogue: c, Values: n.Values})
		}
	})
}
