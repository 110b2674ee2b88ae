package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pflow/internal/atomicfile"
	"pflow/internal/experiment"
	"pflow/internal/mask"
	"pflow/internal/workflow"
)

func (a *app) experimentReportCommand() *cobra.Command {
	var format, out string
	var details detailsFlag
	g := &gateFlags{}
	c := &cobra.Command{
		Use:   "report [ID]",
		Short: "Show the report of an experiment, by default the newest",
		Long: `Work out the report of an experiment, named by its id, the beginning of it, its name, or last, from its rows: as text, JSON, JUnit XML, Markdown, or one page of HTML that needs
nothing else. Equal rows give equal reports, byte for byte. Exit status 100 if a gate fails it.`,
		Example:           "  pflow experiment report\n  pflow experiment report --format html -o report.html\n  pflow experiment report --format junit --fail-if \"errors > 0\"",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeExperiments,
		RunE: func(_ *cobra.Command, args []string) error {
			failOn, failIf, err := g.read()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			r, done, err := a.readReport(id)
			if err != nil {
				return err
			}
			defer done()
			r.FailOn = append(r.FailOn, failOn...)
			if err := a.writeReport(r, format, out, details.cases()); err != nil {
				return err
			}
			return gate(r, failOn, failIf)
		},
	}
	fl := c.Flags()
	fl.StringVar(&format, "format", "", "one of text, json, junit, markdown, html (default text)")
	fl.StringVarP(&out, "output", "o", "", "write the report to this `FILE`")
	details.add(c)
	g.add(c)
	return c
}

// detailsFlag says how much of the cases is told.
type detailsFlag struct {
	most int
	all  bool
}

func (d *detailsFlag) add(c *cobra.Command) {
	c.Flags().IntVar(&d.most, "details", 10, "how many cases each list of text and Markdown has")
	c.Flags().BoolVar(&d.all, "all", false, "list every case, those that pass under all variants too")
}

func (d *detailsFlag) cases() int {
	if d.all {
		return experiment.AllDetails
	}
	return d.most
}

// readReport works out the report of a stored experiment. done must be called once it is written: the page reads its
// details from the store.
func (a *app) readReport(id string) (r *experiment.Report, done func(), err error) {
	store, err := a.readExperiment(id)
	if err != nil {
		return nil, nil, err
	}
	if r, err = experiment.NewReport(store); err != nil {
		store.Close()
		return nil, nil, usage("%s", fileError(err))
	}
	return r, func() { store.Close() }, nil
}

func (a *app) writeReport(r *experiment.Report, format, out string, details int) error {
	if out == "" {
		return a.showReport(r, format, details)
	}
	var whole bytes.Buffer
	if err := a.renderReport(&whole, r, format, details); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(out)); err != nil {
		return usage("-o %s: %v", out, reason(err))
	}
	if err := writeReport(out, whole.Bytes()); err != nil {
		return fail(exitFailed, "-o %s: %v", out, reason(err))
	}
	return nil
}

// writeReport writes a file as a whole, or leaves what is there as it was. What is no file, such as a pipe, is written to.
func writeReport(out string, data []byte) error {
	mode := fs.FileMode(0) // as new files have it
	switch info, err := os.Stat(out); {
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(out, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.Write(data)
		return err
	case err == nil:
		mode = info.Mode()
		if out, err = filepath.EvalSymlinks(out); err != nil {
			return err
		}
	}
	return atomicfile.Write(out, mode, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}, func(temp string) error { return os.Rename(temp, out) })
}

func (a *app) showReport(r *experiment.Report, format string, details int) error {
	if format == "text" || format == "" && !a.asJSON {
		return a.renderReport(a.stdout, r, format, details)
	}
	return a.renderReport(a.results, r, format, details)
}

func (a *app) renderReport(w io.Writer, r *experiment.Report, format string, details int) error {
	if format == "" {
		if format = "text"; a.asJSON {
			format = "json"
		}
	}
	r.Masks = a.reportMasks()
	data, err := r.Format(format, details)
	if err != nil {
		return usage("--format %s: %v", format, err)
	}
	_, err = fmt.Fprint(w, data)
	return err
}

// reportMasks keeps the keys of models out of reports. What stands for one has no sign that JSON, HTML or Markdown would
// have to escape.
func (a *app) reportMasks() *mask.Masker {
	var keys []mask.Secret
	for _, name := range a.host().KeyVariables() {
		if key := a.secrets().Known(name); len(key) >= workflow.ShortestKey {
			keys = append(keys, mask.Secret{Value: key, Mark: "(" + name + ")"})
		}
	}
	return mask.New(keys...)
}
