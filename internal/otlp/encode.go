package otlp

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/internal/mask"
	"pflow/internal/value"
)

// longestText bounds a text of a span, in bytes.
const longestText = 1000

// encoder writes one ExportTraceServiceRequest as OTLP/JSON: ids are hex, 64-bit integers text, enums numbers, and keys in
// camelCase.
type encoder struct {
	b       []byte
	own     []*mask.Masker    // of what the exporter knows
	secrets *mask.Masker      // of the span at hand
	masked  map[string]string // short texts, which are much the same from span to span: masking takes more than all else
}

// request encodes spans of one resource.
func (e *encoder) request(resource []attribute, version string, spans []*span) []byte {
	e.b = append(e.b, `{"resourceSpans":[{"resource":{"attributes":`...)
	e.attributes(resource)
	e.b = append(e.b, `},"scopeSpans":[{"scope":{"name":"pflow","version":`...)
	e.text(version)
	e.b = append(e.b, `},"spans":[`...)
	for i, s := range spans {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.span(s)
	}
	e.b = append(e.b, `],"schemaUrl":`...)
	e.text(schemaURL)
	e.b = append(e.b, `}]}]}`...)
	return e.b
}

// The flags of a span: that it is sampled, and that it is known whether its parent is in another process, and whether it is.
const (
	flagSampled     = 0x001
	flagRemoteKnown = 0x100
	flagRemote      = 0x200
)

func (e *encoder) span(s *span) {
	var secrets *mask.Masker
	if s.secrets != nil {
		secrets = s.secrets()
	}
	if e.masked == nil || e.secrets != secrets {
		e.secrets, e.masked = secrets, map[string]string{}
	}
	e.b = append(e.b, `{"traceId":`...)
	e.hex(s.trace[:])
	e.b = append(e.b, `,"spanId":`...)
	e.hex(s.id[:])
	flags := flagSampled | flagRemoteKnown
	if !s.parent.isZero() {
		e.b = append(e.b, `,"parentSpanId":`...)
		e.hex(s.parent[:])
		if s.remote {
			flags |= flagRemote
		}
	}
	e.b = append(e.b, `,"flags":`...)
	e.b = strconv.AppendInt(e.b, int64(flags), 10)
	e.b = append(e.b, `,"name":`...)
	e.text(s.name)
	e.b = append(e.b, `,"kind":`...)
	e.b = strconv.AppendInt(e.b, int64(s.kind), 10)
	e.b = append(e.b, `,"startTimeUnixNano":`...)
	e.time(s.began)
	e.b = append(e.b, `,"endTimeUnixNano":`...)
	e.time(s.began.Add(s.took))
	e.b = append(e.b, `,"attributes":`...)
	e.attributes(s.attributes)
	for i, ev := range s.events {
		e.next(i, `,"events":[`)
		e.b = append(e.b, `{"timeUnixNano":`...)
		e.time(ev.at)
		e.b = append(e.b, `,"name":`...)
		e.text(ev.name)
		e.b = append(e.b, `,"attributes":`...)
		e.attributes(ev.attributes)
		e.b = append(e.b, '}')
	}
	e.end(len(s.events))
	for i, l := range s.links {
		e.next(i, `,"links":[`)
		e.b = append(e.b, `{"traceId":`...)
		e.hex(l.trace[:])
		e.b = append(e.b, `,"spanId":`...)
		e.hex(l.id[:])
		e.b = append(e.b, '}')
	}
	e.end(len(s.links))
	if s.failed {
		e.b = append(e.b, `,"status":{"code":2`...)
		if s.message != "" {
			e.b = append(e.b, `,"message":`...)
			e.text(s.message)
		}
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, '}')
}

func (e *encoder) next(i int, begin string) {
	if i == 0 {
		e.b = append(e.b, begin...)
	} else {
		e.b = append(e.b, ',')
	}
}

func (e *encoder) end(n int) {
	if n > 0 {
		e.b = append(e.b, ']')
	}
}

func (e *encoder) attributes(list []attribute) {
	e.b = append(e.b, '[')
	for i, a := range list {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, `{"key":`...)
		e.b = value.AppendString(e.b, a.key) // no text of a run
		e.b = append(e.b, `,"value":`...)
		e.value(a.value)
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
}

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case string:
		e.b = append(e.b, `{"stringValue":`...)
		e.text(v)
	case int:
		e.b = append(e.b, `{"intValue":"`...)
		e.b = strconv.AppendInt(e.b, int64(v), 10)
		e.b = append(e.b, '"')
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = 0
		}
		e.b = append(e.b, `{"doubleValue":`...)
		e.b = value.AppendJSON(e.b, v)
	case bool:
		e.b = append(e.b, `{"boolValue":`...)
		e.b = strconv.AppendBool(e.b, v)
	case []string:
		e.b = append(e.b, `{"arrayValue":{"values":[`...)
		for i, text := range v {
			if i > 0 {
				e.b = append(e.b, ',')
			}
			e.value(text)
		}
		e.b = append(e.b, `]}`...)
	}
	e.b = append(e.b, '}')
}

// text writes a text without secrets, cut where it is long.
func (e *encoder) text(s string) {
	if s = e.mask(s); len(s) > longestText {
		cut := longestText
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	e.b = value.AppendString(e.b, strings.ToValidUTF8(s, "\uFFFD"))
}

// longestKnown bounds the texts that are kept masked, in bytes.
const longestKnown = 100

func (e *encoder) mask(s string) string {
	if out, ok := e.masked[s]; ok {
		return out
	}
	out := e.secrets.Text(s)
	for _, m := range e.own {
		out = m.Text(out)
	}
	if len(s) <= longestKnown && e.masked != nil {
		e.masked[s] = out
	}
	return out
}

func (e *encoder) hex(id []byte) {
	e.b = append(e.b, '"')
	e.b = hex.AppendEncode(e.b, id)
	e.b = append(e.b, '"')
}

func (e *encoder) time(t time.Time) {
	e.b = append(e.b, '"')
	e.b = strconv.AppendInt(e.b, t.UnixNano(), 10)
	e.b = append(e.b, '"')
}
