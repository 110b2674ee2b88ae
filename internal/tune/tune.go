// Package tune searches numbers and alternatives of a flow, and says on cases that the search has not seen whether the best
// it found is better than the flow as it is.
//
// In the order of the files:
//
//	space.go     what is searched: dimensions, and candidates, one value of each
//	split.go     the cases, cut once into a part to search on and a part that is held out
//	schedule.go  which candidates see how many cases: successive halving within a budget of plans
//	search.go    the rungs, each an experiment of its own, and the verdict on the held-out part
//	variant.go   the best candidate as a flow over extends
//
// Plans are made, kept and scored by package experiment, and nothing here runs a flow. Successive halving is that of Karnin,
// Koren and Somekh (ICML 2013) and of Jamieson and Talwalkar (AISTATS 2016): a budget is spent in rounds of equal size, and
// after each the better half goes on. All candidates of a rung see the same cases.
package tune
