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

// roomForMany is what the program may take before garbage is collected while it makes thousands of plans, in bytes. Each plan leaves
// much behind and little that stays: by the usual rule a fifth of the time would go to collecting it.
const roomForMany = 160 << 20

// keepRoom lets the heap grow to roomForMany between collections, as long as half of that is enough for what stays; from there on the
// usual rule holds again.
func keepRoom(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	const live, usual, most = "/gc/heap/live:bytes", 100, 1000
	var collected func(struct{})
	collected = func(struct{}) {
		sample := []metrics.Sample{{Name: live}}
		metrics.Read(sample)
		stays := max(1, sample[0].Value.Uint64())
		debug.SetGCPercent(int(min(most, max(usual, 100*roomForMany/stays-100))))
		runtime.AddCleanup(&struct{ self any }{}, collected, struct{}{})
	}
	collected(struct{}{})
}
