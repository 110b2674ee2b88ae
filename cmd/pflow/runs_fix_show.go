package main

import (
	"fmt"
	"io"
	"strings"

	"pflow/internal/flowdiff"
	"pflow/internal/outcome"
	"pflow/internal/printable"
	"pflow/ir"
)

// showFix says what a fix changes, and why.
func (a *app) showFix(to io.Writer, x *fix) error {
	by := "by a rule"
	if x.By == "model" {
		by = "in the words of the model"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s failed: %s\n", x.Name, printable.Line(fmt.Sprintf("node %s: %s [%s]", x.failure.Step, x.failure.Message, x.failure.Kind)))
	fmt.Fprintf(&b, "fix, %s: %s\n", by, printable.Line(x.Why))
	b.WriteString(printable.Text(flowdiff.Text(x.Changes)))
	if len(x.NewEffects) > 0 {
		fmt.Fprintf(&b, "new effects: %s\n", strings.Join(x.NewEffects, ", "))
	}
	when := " once its run is done"
	if x.saveOnly {
		when = ""
	}
	switch {
	case x.moved != "":
		b.WriteString(strings.Replace(x.moved, "this one is saved as", "this one will be saved as", 1) + "\n")
	case x.Next:
		fmt.Fprintf(&b, "next version of %s\n", x.SaveAs)
	case x.SaveAs != "" && ir.IsFile(x.base.source.File):
		fmt.Fprintf(&b, "will be saved as %s%s; %s stays as it is\n", x.SaveAs, when, x.base.source.File)
	case x.SaveAs != "":
		fmt.Fprintf(&b, "will be saved as %s%s\n", x.SaveAs, when)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// unfixed is the error of a fix that was not found: why there is none, and what can be done instead.
func (a *app) unfixed(x *fix) error {
	text := fmt.Sprintf("no fix was found for %s: node %s: %s [%s]", x.Name, x.failure.Step, x.failure.Message, x.failure.Kind)
	if x.Why != "" {
		text += "\nwhy not: " + x.Why
	}
	edit := "change it, or what it needs,"
	if a.isSaved(x.Name) {
		edit = "change it with pflow workflow edit " + x.Name + ", or what it needs,"
	} else if file := x.base.source.File; file != "" {
		edit = "change " + file + ", or what it needs,"
	}
	do := fmt.Sprintf("\n%s and run it again with: %s", edit, a.runsHint("retry", x.row.ID))
	if has, err := a.hasModel(); err == nil && !has {
		do += "\na model may know more; pflow model list shows what can be configured"
	}
	return outcome.Advise(fail(exitUnplanned, "%s", text), "%s", do)
}
