package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestStartWithRoom: no garbage is collected until the room is taken, then as ever; the environment's settings stand.
func TestStartWithRoom(t *testing.T) {
	percent, limit := debug.SetGCPercent(77), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	settings := func() (percent, limit uint64) {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
		metrics.Read(now)
		return now[0].Value.Uint64(), now[1].Value.Uint64()
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		startWithRoom(func(n string) string { return map[string]string{name: "off"}[n] })
		if percent, limit := settings(); percent != 77 || limit != math.MaxInt64 {
			t.Errorf("%s is set, yet the settings became %d and %d", name, percent, limit)
		}
	}
	debug.FreeOSMemory() // what other tests took
	startWithRoom(func(string) string { return "" })
	if percent, limit := settings(); limit != roomAtStart || percent != math.MaxUint64 {
		t.Errorf("at the start: %d and %d", percent, limit)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		percent, limit := settings()
		if percent == 77 && limit == math.MaxInt64 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after collections: %d and %d", percent, limit)
		}
	}
}
