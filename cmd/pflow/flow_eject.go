package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/atomicfile"
	"pflow/internal/diag"
)

func (a *app) flowEjectCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "eject FLOW",
		Short: "Copy a shipped flow, the flows it uses and its prompts into your home, to change them",
		Long: `Copy a shipped flow, the flows it uses and its prompts into your home. From then on pflow uses your copies; delete
them to go back. Nothing is rebuilt. Files that are there already are kept unless --force is given.`,
		Example:           "  pflow flow eject planner-offline\n  pflow flow eject planner-offline --force",
		Args:              one("the flow to copy"),
		ValidArgsFunction: a.completeFlows,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.eject(args[0], force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace files that are there already")
	return c
}

func (a *app) eject(name string, force bool) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if engine.IsPath(name) {
		return usage("%s is a file that you can edit already; eject copies a flow that pflow ships: name one of %s", name, diag.Names(a.shipped(), 20))
	}
	documents, err := a.shippedDocuments(name)
	if err != nil {
		return err
	}
	written, kept := []string{}, []string{}
	for _, d := range documents {
		path := a.home().Path(d.HomePath())
		if _, err := os.Lstat(path); err == nil && !force {
			kept = append(kept, path)
			continue
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail(exitFailed, "%s", fileError(err))
		}
		if err := writeAtomic(path, d.Data); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		written = append(written, path)
	}
	for _, path := range kept {
		fmt.Fprintf(a.stderr, "kept %s; --force replaces it\n", path)
	}
	if a.asJSON {
		return a.printJSON(struct {
			Schema  string   `json:"schema"`
			Written []string `json:"written"`
			Kept    []string `json:"kept"`
		}{"pflow.eject/v1", written, kept})
	}
	for _, path := range written {
		fmt.Fprintln(a.stdout, path)
	}
	if !a.quiet && len(written) > 0 {
		fmt.Fprintf(a.stderr, "from now on pflow uses these; after a change: pflow flow check %s\n", name)
	}
	return nil
}

// onlyShipped looks up what pflow brings along, as if nothing had ever been ejected.
func (a *app) onlyShipped() engine.Folders {
	f := a.folders()
	f.Home = ""
	return f
}

func (a *app) shipped() []string { return a.onlyShipped().Names(engine.FlowDocument, nil) }

// shippedDocuments lists what a shipped flow is made of: itself, its bases, the flows it runs, prompts, schemas, and
// the tests of each flow.
func (a *app) shippedDocuments(name string) ([]engine.Document, error) {
	res := engine.NewRecording(a.onlyShipped())
	if _, err := res.Find(engine.FlowDocument, name, nil); err != nil {
		return nil, usage("pflow ships no flow %q%s", name, didYouMean(name, a.shipped()))
	}
	l := &engine.Loader{Ops: a.host().Ops(), Resources: res}
	if _, found := l.LoadNamed(name); found.HasErrors() {
		return nil, found.Err()
	}
	documents := res.Documents()
	for _, d := range documents {
		if d.Kind != engine.FlowDocument {
			continue
		}
		if test, err := a.onlyShipped().Find(d.Kind, d.Name+testEnding, nil); err == nil {
			documents = append(documents, test)
		}
	}
	return documents, nil
}

// writeAtomic writes a file whole or not at all.
func writeAtomic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}, func(temp string) error { return os.Rename(temp, path) })
}
