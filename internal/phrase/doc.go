// Package phrase reads a request by a grammar: phrases with slots, each of which stands for a step of a workflow, for what a
// step is given, or for what narrows it. The grammar is data (grammar.go); nothing here knows any component.
//
// A request is cut into tokens (tokens.go). A chart (chart.go) finds every phrase that some stretch of them is, with what it
// means (meaning.go): steps, and the value that they give. Clauses are joined by reference: it, the result (sequence.go).
// A reading accounts for every word, or there is none: what no phrase stands for is not passed over. Of several readings
// the one that costs least is taken: few steps, few words that are taken for names, none that is misspelt.
package phrase
