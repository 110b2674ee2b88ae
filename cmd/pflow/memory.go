package main

import (
	"math"
	"runtime"
	"runtime/debug"
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
