package journal

import (
	"encoding/json"
	"strconv"
	"time"

	"pflow/engine"
	"pflow/internal/value"
)

// AppendEvent appends an event as a JSON object, as journals have it but without what is a file's own: checksums, the
// process, what the run is. Of an outcome that holds what must not be kept it has what may be.
func AppendEvent(b []byte, ev engine.Event) []byte {
	switch ev.Kind {
	case engine.EventStart:
		b = append(b, `{"e":"start","v":1,"time":`...)
		b = value.AppendString(b, ev.Time.Format(time.RFC3339Nano))
		b = append(b, `,"seed":`...)
		b = strconv.AppendUint(b, ev.Seed, 10)
		b = append(b, beforeInput...)
		b = value.AppendJSON(b, ev.Input)
	case engine.EventCancel:
		b = appendHead(b, recordCancelled, 0, ev.At)
	default:
		b = appendHappened(b, ev)
	}
	return append(b, '}')
}

// ParseEvent reads what AppendEvent wrote.
func ParseEvent(text []byte) (engine.Event, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return engine.Event{}, err
	}
	if r.E == recordCancelled {
		return engine.Event{Kind: engine.EventCancel, At: r.At}, nil
	}
	return r.event()
}
