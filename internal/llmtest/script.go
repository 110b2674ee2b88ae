// Package llmtest is an OpenAI-compatible server on loopback that answers from a script, with the faults that real
// endpoints have. A request that the script does not foresee is answered with status 500 and kept; replies never asked
// for are kept, too: Server.Unused reports both, and New fails its test with them.
//
// A script is a Go value or a YAML file:
//
//	reject: [strict_json_schema]       # requests that use this are refused with status 400; no reply is used for them
//	replies:
//	  - schema: workflow               # the name of the schema that a structured reply is asked for with
//	    match: 'copy .* to'            # a regular expression over the text of all messages
//	    json: {nodes: []}              # as content, or as arguments where a function is demanded
//	  - {last: 'again', text: fine, times: any}
//	  - {tool_calls: [{name: submit, arguments: {ok: true}}]}
//	  - {fault: rate_limit, headers: {Retry-After-Ms: "5"}}
//	  - {json: {nodes: []}, fault: fenced, delay: 20ms, usage: {prompt: 100, cached: 80, completion: 20, reasoning: 5}}
//
// A request gets the first reply that is not used up and whose conditions all hold, so replies without conditions are
// given in their order.
package llmtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Script is what a server answers.
type Script struct {
	Reject  []string // features
	Replies []Reply
	// Answer is asked before Replies, one request at a time; nil, or a reply that is nil: Replies are. What it answers is not
	// kept, since there may be any number of it.
	Answer func(*Request) *Reply
}

// Reply is one answer, and the requests that it is for. Match and Last are regular expressions over the text of all
// messages and of the last; Model is one over the model's name; Schema is the name of the schema of a structured reply,
// which a request tells only where it uses json_schema or a function.
type Reply struct {
	Match, Last, Model, Schema string

	Times int // how often it is given: 0 is once, Any any number of times, also never

	Text      string
	JSON      any // instead of Text
	ToolCalls []ToolCall
	Finish    string // finish_reason; "" is stop, or tool_calls
	Fault     string // one of Faults
	Status    int    // instead of 200, with Text as the message of the error
	Headers   map[string]string
	Delay     time.Duration // before the first byte
	Usage     *Usage        // nil: a quarter of a token for each byte
}

// Any is the Times of a reply that may be given any number of times.
const Any = -1

// ToolCall is a function that the scripted model calls.
type ToolCall struct {
	Name      string
	Arguments any
}

// Usage is what an answer says it used. Of all 0 nothing is said.
type Usage struct{ Prompt, Cached, Completion, Reasoning int }

// Features are what Reject may name.
func Features() []string {
	return []string{"strict_json_schema", "json_schema", "json_object", "tools", "tool_choice", "temperature", "max_tokens", "stream"}
}

// Faults are what can go wrong with a reply. Those of the second group change its text, all others replace it.
func Faults() []string { return slices.Concat(statusFaults(), replyFaults(), textFaults()) }

func replyFaults() []string {
	return []string{
		"slow",          // no answer until the client gives up
		"reset",         // the connection breaks in the middle of the body
		"cut_body",      // half of the body, as if it were all
		"not_json",      // a page of HTML with status 200
		"error_inside",  // an error with status 200
		"empty_choices", // no choice
		"refusal",       // a refusal instead of content
		"huge",          // a text of 10 MB
	}
}

func textFaults() []string {
	return []string{
		"truncated",    // half of the text, finish_reason length
		"fenced",       // in a fence of Markdown
		"python",       // as a Python literal
		"prose",        // with sentences before and after it
		"reasoning",    // with a block of thoughts before it
		"wrong_schema", // an object that fits no schema
	}
}

// compiled is a reply with its expressions compiled and its uses counted.
type compiled struct {
	Reply
	match, last, model *regexp.Regexp
	left               int // -1: any number
	used               int
}

func compile(s Script) ([]*compiled, error) {
	var out []*compiled
	var errs []error
	for _, f := range s.Reject {
		if !slices.Contains(Features(), f) {
			errs = append(errs, fmt.Errorf("reject: there is no feature %q; there are: %s", f, strings.Join(Features(), ", ")))
		}
	}
	for i, r := range s.Replies {
		c := &compiled{Reply: r, left: r.Times}
		if r.Times == 0 {
			c.left = 1
		}
		for _, e := range []struct {
			name, text string
			to         **regexp.Regexp
		}{{"match", r.Match, &c.match}, {"last", r.Last, &c.last}, {"model", r.Model, &c.model}} {
			re, err := regexp.Compile("(?s)" + e.text)
			if err != nil {
				errs = append(errs, fmt.Errorf("reply %d: %s: %w", i, e.name, err))
			}
			*e.to = re
		}
		if r.Fault != "" && !slices.Contains(Faults(), r.Fault) {
			errs = append(errs, fmt.Errorf("reply %d: there is no fault %q; there are: %s", i, r.Fault, strings.Join(Faults(), ", ")))
		}
		if r.Text != "" && r.JSON != nil {
			errs = append(errs, fmt.Errorf("reply %d: text and json exclude each other", i))
		}
		out = append(out, c)
	}
	return out, errors.Join(errs...)
}

func (c *compiled) fits(r *Request) bool {
	last := ""
	if n := len(r.Messages); n > 0 {
		last = r.Messages[n-1].Content
	}
	return c.left != 0 && c.match.MatchString(r.text()) && c.last.MatchString(last) && c.model.MatchString(r.Model) &&
		(c.Schema == "" || c.Schema == r.Schema)
}

// String says which reply it is in messages.
func (c *compiled) String() string {
	var parts []string
	for _, p := range [][2]string{{"match", c.Match}, {"last", c.Last}, {"model", c.Model}, {"schema", c.Schema}, {"fault", c.Fault}} {
		if p[1] != "" {
			parts = append(parts, fmt.Sprintf("%s %q", p[0], p[1]))
		}
	}
	if len(parts) == 0 {
		return "for any request"
	}
	return strings.Join(parts, ", ")
}
