//go:build unix

// Package cputime tells how long processors have worked for this process: benchmarks that compare two things measure with
// it, since what else runs on the machine moves it far less than the time on the clock.
package cputime

import (
	"syscall"
	"time"
)

// Used is how long processors have worked for this process so far, in its own code and in the system's.
func Used() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
