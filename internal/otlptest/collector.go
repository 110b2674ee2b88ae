// Package otlptest is an OpenTelemetry collector for tests: it holds what it is sent to the protocol, by the messages of its own
// definition, and keeps it.
package otlptest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Collector takes spans at any path.
type Collector struct {
	URL    string
	server *httptest.Server

	mu       sync.Mutex
	answer   func(w http.ResponseWriter, n int) bool
	requests []*http.Request // without their bodies
	bodies   [][]byte
	resource map[string]any
	spans    []Span
	wrong    []error
}

// Span is a span that was taken.
type Span struct {
	*trace.Span
	ID, In, Trace string // in hex
	Attributes    map[string]any
}

// Start starts a collector on loopback.
func Start() *Collector {
	c := &Collector{}
	c.server = httptest.NewServer(http.HandlerFunc(c.serve))
	c.URL = c.server.URL
	return c
}

// Answer has f answer in the collector's place, unless it gives false: n counts the requests, from 1.
func (c *Collector) Answer(f func(w http.ResponseWriter, n int) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = f
}

// Close ends it.
func (c *Collector) Close() {
	c.server.CloseClientConnections()
	c.server.Close()
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	c.requests = append(c.requests, r)
	n, answer := len(c.requests), c.answer
	c.mu.Unlock()
	if err != nil || answer != nil && answer(w, n) {
		return
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			c.take(func() error { return err })
		}
	}
	c.take(func() error {
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			return fmt.Errorf("%s of %s", r.Method, r.Header.Get("Content-Type"))
		}
		c.bodies = append(c.bodies, body)
		return c.read(body)
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{}")
}

func (c *Collector) take(f func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := f(); err != nil {
		c.wrong = append(c.wrong, err)
	}
}

// read takes a body. OTLP/JSON is the JSON of protocol buffers but for ids, which are hex, and enums, which are numbers.
func (c *Collector) read(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return err
	}
	if err := binaryIDs("", tree); err != nil {
		return err
	}
	asProto, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	var got collector.ExportTraceServiceRequest
	if err := protojson.Unmarshal(asProto, &got); err != nil { // also of a field that there is not
		return err
	}
	for _, rs := range got.ResourceSpans {
		if c.resource, err = attributes(rs.Resource.GetAttributes()); err != nil {
			return err
		}
		if name, _ := c.resource["service.name"].(string); name == "" {
			return fmt.Errorf("the resource has no service.name")
		}
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				if err := c.span(s); err != nil {
					return fmt.Errorf("span %q: %w", s.Name, err)
				}
			}
		}
	}
	return nil
}

func (c *Collector) span(s *trace.Span) error {
	about, err := attributes(s.Attributes)
	out := Span{s, hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId), hex.EncodeToString(s.TraceId), about}
	switch {
	case err != nil:
		return err
	case s.Name == "" || s.Kind == trace.Span_SPAN_KIND_UNSPECIFIED:
		return fmt.Errorf("it has no name or no kind")
	case s.StartTimeUnixNano == 0 || s.EndTimeUnixNano < s.StartTimeUnixNano:
		return fmt.Errorf("it begins at %d and ends at %d", s.StartTimeUnixNano, s.EndTimeUnixNano)
	case slices.ContainsFunc(c.spans, func(other Span) bool { return other.ID == out.ID && other.Trace == out.Trace }):
		return fmt.Errorf("another of its trace has its id")
	}
	for _, e := range s.Events {
		if _, err := attributes(e.Attributes); err != nil || e.Name == "" || e.TimeUnixNano < s.StartTimeUnixNano || e.TimeUnixNano > s.EndTimeUnixNano {
			return fmt.Errorf("the event %q at %d: %v", e.Name, e.TimeUnixNano, err)
		}
	}
	c.spans = append(c.spans, out)
	return nil
}

// binaryIDs writes ids as the JSON of protocol buffers has bytes, and refuses what only that would take: numbers of 64 bits that
// are no text, and names of enums.
func binaryIDs(key string, v any) error {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := binaryIDs("", item); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, item := range v {
			text, isText := item.(string)
			switch k {
			case "traceId", "spanId", "parentSpanId":
				id, err := hex.DecodeString(text)
				if want := map[bool]int{true: 16, false: 8}[k == "traceId"]; err != nil || len(id) != want || strings.Trim(text, "0") == "" {
					return fmt.Errorf("%s: %q is no id", k, text)
				}
				v[k] = base64.StdEncoding.EncodeToString(id)
			case "intValue", "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano":
				if !isText {
					return fmt.Errorf("%s: %v is no text", k, item)
				}
			case "kind", "code":
				if _, isNumber := item.(json.Number); !isNumber {
					return fmt.Errorf("%s: %v is no number", k, item)
				}
			}
			if err := binaryIDs(k, item); err != nil {
				return err
			}
		}
	}
	return nil
}

func attributes(list []*common.KeyValue) (map[string]any, error) {
	out := map[string]any{}
	for _, a := range list {
		if _, twice := out[a.Key]; twice || a.Key == "" || a.Value == nil {
			return nil, fmt.Errorf("the attribute %q has no name or no value, or stands twice", a.Key)
		}
		out[a.Key] = valueOf(a.Value)
	}
	return out, nil
}

func valueOf(v *common.AnyValue) any {
	switch v := v.Value.(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue
	case *common.AnyValue_IntValue:
		return v.IntValue
	case *common.AnyValue_DoubleValue:
		return v.DoubleValue
	case *common.AnyValue_BoolValue:
		return v.BoolValue
	case *common.AnyValue_ArrayValue:
		var out []any
		for _, item := range v.ArrayValue.Values {
			out = append(out, valueOf(item))
		}
		return out
	}
	return nil
}

// Spans are those that were taken so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Resource is what sent the last of them.
func (c *Collector) Resource() map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource
}

// Requests are those that came so far.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// Bodies is all that was sent and taken.
func (c *Collector) Bodies() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(bytes.Join(c.bodies, []byte("\n")))
}

// Wrong is the first thing that is not as the protocol has it, or nil.
func (c *Collector) Wrong() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) > 0 {
		return c.wrong[0]
	}
	return nil
}

// Tree shows the spans: what began first first, each with its attributes, what failed and its events, and under what it is in. One
// whose parent never came says so.
func (c *Collector) Tree() string {
	spans := c.Spans()
	slices.SortStableFunc(spans, func(a, b Span) int {
		if a.StartTimeUnixNano != b.StartTimeUnixNano {
			return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano))
		}
		return strings.Compare(fmt.Sprint(a.Attributes["pflow.step.name"]), fmt.Sprint(b.Attributes["pflow.step.name"]))
	})
	known := map[string]bool{}
	for _, s := range spans {
		known[s.ID] = true
	}
	var b strings.Builder
	var show func(in, indent string)
	show = func(in, indent string) {
		for _, s := range spans {
			top := s.In == "" || !known[s.In]
			if in == "" && !top || in != "" && s.In != in {
				continue
			}
			lost := ""
			if s.In != "" && top {
				lost = " (of another process)"
			}
			fmt.Fprintf(&b, "%s%s%s%s\n", indent, s.Name, lost, s.about())
			show(s.ID, indent+"  ")
		}
	}
	show("", "")
	return b.String()
}

func (s Span) about() string {
	var keys []string
	for k := range s.Attributes {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%v", k, s.Attributes[k])
	}
	if s.Status != nil {
		b.WriteString(" " + strings.TrimPrefix(s.Status.Code.String(), "STATUS_CODE_") + " " + strconv.Quote(s.Status.Message))
	}
	for _, e := range s.Events {
		about, _ := attributes(e.Attributes)
		fmt.Fprintf(&b, " [%s %v]", e.Name, about)
	}
	for range s.Links {
		b.WriteString(" [link]")
	}
	return b.String()
}
