package main

import (
	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

func (a *app) experimentCompareCommand() *cobra.Command {
	var format, out, variantA, variantB string
	var details detailsFlag
	g := &gateFlags{}
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two past experiments on the cases they have in common",
		Long: `Compare one variant of each of two experiments, named by ids, their beginnings, or names, case by case, on the cases that both ran: A is the baseline. By
default it is the last variant of each, what the experiment was about. Cases whose expectations differ are left out.`,
		Example: "  pflow experiment compare first second\n  pflow experiment compare first second --variant-a keyword --variant-b careful --format markdown",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			failOn, failIf, err := g.read()
			if err != nil {
				return err
			}
			var stores []*experiment.Store
			for _, id := range args {
				s, err := a.readExperiment(id)
				if err != nil {
					return err
				}
				defer s.Close()
				stores = append(stores, s)
			}
			r, err := experiment.CompareStores(stores[0], stores[1], variantA, variantB)
			if err != nil {
				return usage("%s", fileError(err))
			}
			r.FailOn = append(r.FailOn, failOn...)
			if err := a.writeReport(r, format, out, details.cases()); err != nil {
				return err
			}
			return gate(r, failOn, failIf)
		},
	}
	fl := c.Flags()
	fl.StringVar(&variantA, "variant-a", "", "the `VARIANT` of A (default its last)")
	fl.StringVar(&variantB, "variant-b", "", "the `VARIANT` of B (default its last)")
	fl.StringVar(&format, "format", "", "one of text, json, junit, markdown, html (default text)")
	fl.StringVarP(&out, "output", "o", "", "write the report to this `FILE`")
	details.add(c)
	g.add(c)
	return c
}
