package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
	"pflow/ir"
)

// office is what can be done with files, pages and letters, for the tables.
var office = []*ir.Interface{
	{Name: "read-file", Description: "Reads a file and gives its content.", Effects: []ir.Effect{ir.Reads}, Inputs: []ir.Port{port("file_path", value.String, "Path of the file")}, Outputs: []ir.Port{port("content", value.String)}},
	{Name: "write-file", Description: "Writes or saves text to a file.", Effects: []ir.Effect{ir.Writes}, Inputs: []ir.Port{port("file_path", value.String, "Path of the file"), port("content", value.Any, "What is written")}, Outputs: []ir.Port{port("written", value.Boolean)}},
	{Name: "copy-file", Description: "Copies a file.", Effects: []ir.Effect{ir.Writes}, Inputs: []ir.Port{port("source_path", value.String, "Path of the file"), port("dest_path", value.String, "Path of the copy")}, Outputs: []ir.Port{port("copied", value.Boolean)}},
	{Name: "delete-file", Description: "Deletes a file.", Effects: []ir.Effect{ir.Writes, ir.Destructive}, Inputs: []ir.Port{port("file_path", value.String, "Path of the file")}, Outputs: []ir.Port{port("deleted", value.Boolean)}},
	{Name: "fetch", Description: "Downloads a page from the web.", Effects: []ir.Effect{ir.Reads, ir.Network}, Inputs: []ir.Port{port("url", value.String, "URL of the page")}, Outputs: []ir.Port{port("response", value.String)}},
	{Name: "letter", Description: "Sends an e-mail.", Effects: []ir.Effect{ir.Network}, Inputs: []ir.Port{port("recipient", value.String, "E-mail address"), port("body", value.Any, "What it says")}, Outputs: []ir.Port{port("sent", value.Boolean)}},
	{Name: "calc", Description: "Computes an expression.", Inputs: []ir.Port{{Key: "inputs", Type: value.Object}},
		Params:  []ir.Port{{Key: "expression", Type: value.String, Required: true, Raw: true}},
		Outputs: []ir.Port{port("result", value.Any)},
		Forms: []ir.Form{
			{Says: []string{"Counts the lines of a text: their number."}, Inputs: []ir.Port{port("text", value.String)}, With: map[string]any{"expression": "count(text)", "inputs": map[string]any{"text": "${text}"}}},
			{Says: []string{"Sorts the lines of a text."}, Inputs: []ir.Port{port("text", value.String)}, With: map[string]any{"expression": "sort(text)", "inputs": map[string]any{"text": "${text}"}}},
		}},
}

const (
	reads  = "read-file file_path=${file_path}"
	counts = "calc expression=count(text) inputs={\"text\":\"${read-file.content}\"}"
	sorts  = "calc expression=sort(text) inputs={\"text\":\"${read-file.content}\"}"
)

// TestClauses: what the clauses of a request ask for, in their order.
func TestClauses(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{"read a.txt", reads},
		{"Please read a.txt.", reads},
		{"copy a.txt to b.txt", "copy-file dest_path=${dest_path} source_path=${source_path}"},
		{"read a.txt and write it to b.txt", reads + "\nwrite-file content=${read-file.content} file_path=${write_file_path}"},
		{"read a.txt, then write it to b.txt", reads + "\nwrite-file content=${read-file.content} file_path=${write_file_path}"},
		{"read a.txt. Write it to b.txt.", reads + "\nwrite-file content=${read-file.content} file_path=${write_file_path}"},
		{"read a.txt and print it", reads},
		{"fetch https://example.org/a and save it to a.txt", "fetch url=${url}\nwrite-file content=${fetch.response} file_path=${file_path}"},
		// a reader goes before what takes only content, a writer behind it
		{"sort the lines of a.txt", reads + "\n" + sorts},
		{"count the lines of a.txt", reads + "\n" + counts},
		{"sort the lines of a.txt and save them to b.txt", reads + "\n" + sorts + "\nwrite-file content=${calc.result} file_path=${write_file_path}"},
		{"write the number of lines of a.txt to n.txt", reads + "\n" + counts + "\nwrite-file content=${calc.result} file_path=${write_file_path}"},
		{"delete a.txt", "delete-file file_path=${file_path}"},
		// values that are named again are one input
		{"read a.txt, then delete a.txt", reads + "\ndelete-file file_path=${file_path}"},
		{"send an e-mail to ann@example.org that says \"hello\"", "letter body=${body} recipient=${recipient}"},
		{"read a.txt and send it as an e-mail to ann@example.org", reads + "\nletter body=${read-file.content} recipient=${recipient}"},
	} {
		r := composed(t, c.request, office, Options{})
		if diff := cmp.Diff(c.want, wiring(r)); diff != "" {
			t.Errorf("%q: %s (-want +got):\n%s", c.request, r.Reason, diff)
		}
		if r.Workflow == nil {
			continue
		}
		if found := ir.Validate(r.Workflow, ir.NewCatalogue(office...), ir.Options{}); found.HasErrors() {
			t.Errorf("%q: %s", c.request, found.Text())
		}
	}
}
