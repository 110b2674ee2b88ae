package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pflow/engine"
	"pflow/internal/atomicfile"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/runs"
	"pflow/internal/workflow"
	"pflow/internal/workflowtest"
	"pflow/ir"
)

// writeTest writes the tests of a workflow, made of what a run was. name, if not "", is the workflow that they are to be of.
func (a *app) writeTest(ctx context.Context, name string, f *workflowTestFlags) error {
	if f.tests != "" || f.fake {
		return usage("--from-run writes a test; --tests and --fake go with those that are run")
	}
	id, past, documents, err := a.readRun(f.fromRun)
	switch {
	case err != nil:
		return err
	case !workflow.IsDocuments(documents):
		return usage("run %s is no run of a workflow", id)
	case past.Status != engine.Done && past.Status != engine.Failed && past.Status != engine.Limited:
		return usage("run %s did not come to an end of its own; a test is made of one that is done or failed", id)
	}
	r, program, err := a.reload(id, past, documents)
	if err != nil {
		return usage("run %s: %s", id, strings.TrimSpace(err.Error()))
	}
	if name == "" {
		if name, err = a.testedBy(id, r); err != nil {
			return err
		}
	}
	src, env, err := a.rehearsed(ctx, name)
	if err != nil {
		return err
	}
	file, named, err := a.testsFile(name, f.output)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil && !f.force {
		return testsThere(file)
	}
	of := workflowtest.Ended{Name: "as in run " + runs.Short(id), Workflow: named, Program: program, History: &past.History, Status: past.Status,
		Notes: []string{fmt.Sprintf("Made of run %s of %s (%s).", id, past.History.Events[0].Time.Local().Format("2006-01-02 15:04"), past.Status)}}
	if src.Workflow.Hash() != program.Workflow.Hash() {
		of.Notes = append(of.Notes, "The workflow was changed since that run.")
	}
	text, remarks, err := workflowtest.FromRun(ctx, of, src, env)
	if err != nil {
		var findings *diag.Err
		if errors.As(err, &findings) {
			err = errors.New(findings.List[0].Message)
		}
		return usage("no test can be made of run %s for %s: %v", id, src.Name, err)
	}
	if err := writeTests(file, text, f.force); err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.new/v1", "name": src.Name, "file": file})
	}
	fmt.Fprintln(a.stdout, file)
	if !a.quiet {
		if remarks > 0 {
			fmt.Fprintf(a.stderr, "its %s what was cut or left out, and what was otherwise in the run\n", remarksSay(remarks))
		}
		if f.output != "" {
			name = shellQuote(file)
		}
		fmt.Fprintf(a.stderr, "run it with: pflow workflow test %s\n", name)
	}
	return nil
}

func remarksSay(remarks int) string {
	if remarks == 1 {
		return "remark says"
	}
	return fmt.Sprintf("%d remarks say", remarks)
}

// testedBy is the workflow that a run was of: a saved one, a file, or the one that was saved once the run was done.
func (a *app) testedBy(id string, r *workflow.Reloaded) (string, error) {
	ref := r.Source.Name
	if r.Source.Draft == nil && r.Env.Written.Workflow == ref && a.library().Has(ref) {
		return ref, nil
	}
	if file := r.Source.File; r.Source.Draft == nil && r.Env.Written.Workflow != ref && file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.Env.Dir, file)
		}
		if _, err := os.Stat(file); err == nil {
			if dir, err := workingDir(); err == nil {
				if near, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(near) {
					file = "./" + near
				}
			}
			return file, nil
		}
	}
	hash := r.Source.Workflow.Hash()
	for _, saved := range a.library().List().Records {
		if saved.Workflow().Hash() == hash {
			return saved.Name, nil
		}
	}
	return "", usage("the workflow of run %[1]s is not saved, and in no file any more; save it with: pflow workflow save NAME --from-run %[1]s, and say: pflow workflow test NAME --from-run %[1]s", id)
}

// testsFile says where the tests of a workflow are written, and how they name it: "" where they lie beside it.
func (a *app) testsFile(ref, output string) (file, named string, err error) {
	saved := !ir.IsFile(ref)
	of := ref
	if saved {
		name, _, _ := strings.Cut(ref, "@")
		of = a.library().Path(name)
		if name != ref && output == "" {
			return "", "", usage("the tests beside %s are those of its last version; -o FILE writes others", name)
		}
	}
	if output == "" {
		return strings.TrimSuffix(of, filepath.Ext(of)) + library.TestsEnding, "", nil
	}
	if !strings.HasSuffix(output, library.TestsEnding) {
		return "", "", usage("tests are files that end in %s; give -o one, not %s", library.TestsEnding, shellQuote(output))
	}
	if !ir.IsFile(output) {
		output = "./" + output
	}
	beside, _, err := a.testsOf(output, "")
	if err != nil {
		return "", "", err
	}
	full, err := filepath.Abs(of)
	if err != nil {
		return "", "", usage("%v", err)
	}
	if there, e := filepath.Abs(beside); beside != "" && e == nil {
		if there == full && !strings.Contains(ref, "@") {
			return output, "", nil
		}
		return "", "", usage("%s holds the tests of %s, which lies beside it; give -o another file", output, beside)
	}
	if saved {
		return output, ref, nil
	}
	dir, err := filepath.Abs(filepath.Dir(output))
	if err == nil {
		if near, e := filepath.Rel(dir, full); e == nil {
			return output, near, nil
		}
	}
	return output, full, nil
}

func testsThere(file string) error {
	return usage("%s is there already and is left as it is; --force replaces it, -o writes another file", file)
}

// writeTests makes a file of tests, as a whole or not at all.
func writeTests(file string, text []byte, force bool) error {
	place := func(temp string) error { return os.Link(temp, file) }
	if force {
		place = func(temp string) error { return os.Rename(temp, file) }
	}
	err := atomicfile.Write(file, 0o600, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	}, place)
	switch {
	case errors.Is(err, fs.ErrExist):
		return testsThere(file)
	case err != nil:
		return fail(exitFailed, "%s", fileError(err))
	}
	return nil
}
