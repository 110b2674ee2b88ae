package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// roomAtStart is how much memory the program takes before the first garbage is collected, in bytes.
const roomAtStart = 128 << 20

// startWithRoom puts the first collection of garbage off until the program has taken roomAtStart; from then on the
// usual rule holds. Most commands end before: collecting the garbage of a heap of 4 MB, over and over, was a third of
// their time. What GOGC and GOMEMLIMIT say stands.
func startWithRoom(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(roomAtStart)
	percent := debug.SetGCPercent(-1)
	first := &struct{ self any }{} // garbage as soon as it is made, so the first collection finds it
	runtime.AddCleanup(first, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}, percent)
}

// roomForMany is what the heap may take before garbage is collected while the program makes thousands of plans, in bytes. Each plan leaves
// much behind and little that stays: by the usual rule a fifth of the time would go to collecting it.
const roomForMany = 160 << 20

// keepRoom lets the heap grow to roomForMany between collections; where more than half of that stays, to twice what stays, which is the
// usual rule. The room is a limit: what stays may grow at once, as when a report is made.
func keepRoom(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	const usual, rare = 2, 400
	var collected func(struct{})
	collected = func(struct{}) {
		stays := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(stays)
		debug.SetMemoryLimit(max(roomForMany, usual*int64(stays[0].Value.Uint64())))
		debug.SetGCPercent(rare)
		runtime.AddCleanup(&struct{ self any }{}, collected, struct{}{})
	}
	collected(struct{}{})
}
