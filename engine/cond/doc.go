// Package cond compiles and runs the expressions of flows, in expr or in CEL, behind one interface: a Compiler makes a
// Program from a source and the names it can see (Env), a Scope holds the values of one run, and Program.Eval brings the
// two together. It is the only importer of both languages.
//
// # What both languages have in common
//
// The conditions of a flow must not mean one thing in one language and another in the other, nor be false where a value
// is missing. So the operations where the two differ, or keep silent, are replaced by ours (ops.go), in the syntax tree,
// before the language's own compiler sees it:
//
//   - store, params, prep, vars and run are closed records. An undeclared member is a problem with what was probably meant; the
//     record itself is no value. So are run.visits and run.usage, whose members are read by names that are written out.
//   - Other values are open. A member that is not there, any member of null, and a list index out of range fail with kind
//     missing_key; a?.b and a?.[k] (expr), a.?b and a[?k] (CEL), and "b" in a ask. A negative index counts from the end.
//   - Null is null. nil is an unknown name.
//   - and, or and ?: look from left to right and stop at what decides; an error is never forgotten. `missing || true` is an
//     error in CEL too, whose own || would give true.
//   - Only true and false are conditions; null is not false.
//   - What can be one of several values (a conditional, ??, orValue, a reduce, the items of a list) has the join of their
//     types: the one that all have, else any.
//   - Integers and numbers compare and compute with each other, integers without rounding. Integers that pass 64 bits,
//     division by zero, what is not finite, and an integer made a number that cannot hold it are errors of kind type.
//   - == compares by value, deeply; comparing types that can never be equal is a problem.
//   - string(x) takes every value and gives JSON for what is no string.
//   - Objects are walked in key order: keys, values, toPairs in expr, every macro in CEL.
//   - The functions of Functions. now() and today() are constants of the run; the languages' own clocks, dates and durations
//     are off.
//   - The work of one evaluation is bounded (kind invalid_request), as is the size of a source.
//   - Results are the normalised values of package value; positions are byte offsets into the source.
//
// # What stays different
//
// Each language keeps its syntax and its own functions, and where they disagree on what an operation means, its meaning:
//
//   - 7 / 2 is 3.5 in expr and 3 in CEL, which divides integers as integers; 7.0 / 2 is 3.5 in both.
//   - After a.?b the rest of a CEL path is asked for too. In expr only a null before ?. ends the path: with no b in a,
//     `a?.b.c` fails.
//   - a?.b ?? x gives x also where b is null; a.?b.orValue(x) only where b is missing.
//   - A CEL macro over an object gets its keys; expr's predicates take lists only: use keys(x).
//   - type(x) gives expr's names as strings, and a type in CEL.
//   - Optionals are CEL's alone and no value: one that is compared or given as a result is an error.
package cond
