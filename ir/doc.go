// Package ir is the workflow language: the JSON document that the planner finds or makes and the user keeps.
//
//	Decode     JSON -> Workflow; strict, every mistake a finding at its JSON path (nodes[2].params.prompt)
//	Encode     Workflow -> JSON; decoding, encoding and decoding again changes nothing
//	Compile    a param's value with its templates -> Param; Resolve fills it in, as often as wanted, expanding nothing twice
//	Interface  what a component takes, gives and does; Catalogue holds the components there are
//	Check      Decode and Validate: the three tiers in one validator, used for generating, saving, validating and running
//	Display    a workflow in CLI notation, with nothing hidden; ReadNotation reads it back, and what people type of it
//
// The package knows neither the engine nor any node type. It reads no file, no clock and no environment.
package ir
