// Package workflowtest runs workflows without touching anything: what their nodes would do outside is answered by canned
// results, by values that are made up of what the components declare to give, or not at all. Node types that only compute run
// as they are, waits pass at once, and every run begins at the same instant.
//
//	Parse, File.Run   the tests of a workflow, NAME_test.yaml: canned results, expected params and outputs
//	Fake              one run in which all is made up that nobody canned: `pflow run --fake`
//	Rehearse          what fails in a workflow whatever its nodes give: a check of plans
//	FromRun           a first test, made of what a run was
//
// It is a driver over the engine's Step, with flowtest's clock and package workflow's StandIn.
package workflowtest
