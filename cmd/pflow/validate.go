package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

func (a *app) validateCommand() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "validate NAME|FILE",
		Short: "Check a workflow without running it",
		Long: `Check a workflow without running it: its form, the types and params of its nodes, and the data that flows between them.
A file that ends in .yaml or .yml is read as YAML. Exit status 2 if it has errors.

--from FILE.jsonl checks many: each line is {"id": …, "ir": …}, and each gets one line of the result, in order:
{"id", "valid", "diagnostics": [{"severity", "code", "message", …}]}. Then the exit status is 0.

Of a workflow with more than 50 findings the first 50 are shown, and how many more there are; with --json that is "omitted".`,
		Example: "  pflow validate ./greet.json\n  pflow validate greet --json\n  pflow validate --from plans.jsonl",
		Args:    atMostOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.library().List().Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case from != "" && len(args) > 0:
				return usage("pflow validate: give a workflow or --from, not both")
			case from != "":
				return a.validateLines(c.Context(), from)
			case len(args) == 0:
				return usage("pflow validate: name a saved workflow or a file, or give --from FILE.jsonl")
			}
			return a.validateOne(c.Context(), args[0])
		},
	}
	c.Flags().StringVar(&from, "from", "", "a `FILE.jsonl` of workflows; - is standard input")
	a.nodeFlags(c)
	return c
}

// validated is the document of `validate --json`.
type validated struct {
	Schema   string `json:"schema"`
	Workflow string `json:"workflow"`
	File     string `json:"file"`
	Valid    bool   `json:"valid"`
	diag.Report
}

func (a *app) validateOne(ctx context.Context, ref string) error {
	out := validated{Schema: "pflow.validation/v1", Workflow: ref}
	var found diag.List
	r, src, err := a.findWorkflow(ref)
	var findings *diag.Err
	switch {
	case errors.As(err, &findings):
		out.File = a.workflowFile(ref)
		if found, err = a.formErrors(ctx, out.File, findings.List); err != nil {
			return err
		}
	case err != nil:
		out.File = a.workflowFile(ref)
		if found = a.noDocument(out.File); a.asJSON && found.HasErrors() {
			out.Report = found.Report()
			if err := a.printJSON(out); err != nil {
				return err
			}
		}
		return err
	default:
		out.Workflow, out.File = src.Name, src.File
		if found, err = a.checkWorkflow(ctx, r, src); err != nil {
			return err
		}
	}
	out.Valid = !found.HasErrors()
	if a.asJSON {
		out.Report = found.Report()
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else {
		io.WriteString(a.stdout, found.Text())
		if out.Valid && !a.quiet {
			fmt.Fprintf(a.stdout, "%s: ok\n", ref)
		}
	}
	if !out.Valid {
		return fail(exitUsage, "%s has %s", ref, count(found.Errors(), "error"))
	}
	return nil
}

// workflowFile is the file that a reference leads to.
func (a *app) workflowFile(ref string) string {
	if ir.IsFile(ref) {
		return ref
	}
	name, _, _ := strings.Cut(ref, "@")
	return a.library().Path(name)
}

// noDocument says what keeps a file from being a workflow; a file that cannot be read has no findings.
func (a *app) noDocument(file string) diag.List {
	data, err := a.readRegular(file)
	if err != nil {
		return nil
	}
	text, err := workflowfile.Read(file, data)
	if err != nil {
		return nil // which has findings
	}
	_, list := ir.Decode(text.JSON)
	return text.Places(list)
}

// formErrors are all errors of form of a file: reading it told of those that keep it from being read. A record's stay
// what they are.
func (a *app) formErrors(ctx context.Context, file string, read diag.List) (diag.List, error) {
	data, err := a.readRegular(file)
	if err != nil {
		return nil, err
	}
	text, err := workflowfile.Read(file, data)
	if err != nil || !text.Bare() {
		return read, nil
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	_, list := workflow.Check(text.JSON, shelf.Catalogue, a.nodeTypes(), ir.Options{})
	return text.Locate(list).Sort(), nil
}

// validatedLine is one result line of `validate --from`.
type validatedLine struct {
	ID    any  `json:"id"`
	Valid bool `json:"valid"`
	diag.Report
	found diag.List
}

// lines is what --from reads, until its context is done.
type lines struct {
	io.Reader
	io.Closer
}

// openLines opens the file of --from; - is standard input. A file may be a pipe that nobody writes to, which would not
// even open: standard input may be one, too.
func (a *app) openLines(ctx context.Context, file string) (io.ReadCloser, error) {
	if file == "-" {
		return lines{a.in.until(ctx), io.NopCloser(nil)}, nil
	}
	select {
	case <-ctx.Done():
		return nil, fail(exitFailed, "stopped while %s was opened", file)
	case o := <-fault.Async(func() (*os.File, error) { return os.Open(file) }):
		if o.Err != nil {
			return nil, usage("--from %s", fileError(o.Err))
		}
		return lines{newPatient(o.Value).until(ctx), o.Value}, nil
	}
}

// maxLine bounds one line of a file of workflows, in bytes.
const maxLine = 64 << 20

func (a *app) validateLines(ctx context.Context, file string) error {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	in, err := a.openLines(ctx, file)
	if err != nil {
		return err
	}
	defer in.Close()
	types := a.nodeTypes()
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 64<<10), maxLine)
	n := 1
	for ; ctx.Err() == nil && scan.Scan(); n++ {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		if err := a.printLine(validateLine(scan.Bytes(), n, shelf.Catalogue, types)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return fail(exitFailed, "stopped at line %d", n)
	}
	if err := scan.Err(); err != nil {
		return fail(exitFailed, "%s: %v", file, reason(err))
	}
	return nil
}

// validateLine checks one line; a line that is none is a result too.
func validateLine(line []byte, n int, c *ir.Catalogue, types map[string]nodetype.Type) validatedLine {
	var read struct {
		ID json.RawMessage `json:"id"`
		IR json.RawMessage `json:"ir"`
	}
	var out validatedLine
	bad := func(format string, args ...any) validatedLine {
		out.found = append(out.found, diag.Finding{Severity: diag.Error, Kind: ir.MalformedJSON,
			Message: fmt.Sprintf("line %d: ", n) + fmt.Sprintf(format, args...)})
		return out
	}
	if err := json.Unmarshal(line, &read); err != nil {
		return bad("want {\"id\": …, \"ir\": …}: %v", err)
	}
	if len(read.ID) > 0 {
		out.ID, _ = value.ParseJSON(read.ID)
	}
	if len(read.IR) == 0 {
		return bad(`the key "ir" is missing`)
	}
	document := []byte(read.IR)
	if document[0] == '"' { // the text of a document, as a model wrote it
		var text string
		if err := json.Unmarshal(document, &text); err != nil {
			return bad("%v", err)
		}
		document = []byte(text)
	}
	_, out.found = workflow.Check(document, c, types, ir.Options{})
	out.Valid = !out.found.HasErrors()
	return out
}

// printLine writes one result line: JSON, or text for people.
func (a *app) printLine(r validatedLine) error {
	if !a.asJSON {
		state := "ok"
		if !r.Valid {
			state = count(r.found.Errors(), "error")
		}
		_, err := fmt.Fprintf(a.stdout, "%s: %s\n%s", ir.Text(r.ID), state, r.found.Text())
		return err
	}
	r.Report = r.found.Report()
	return a.encodeJSON(r, "")
}
