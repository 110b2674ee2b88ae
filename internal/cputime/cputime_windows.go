package cputime

import "time"

var began = time.Now()

// Used is the time on the clock here.
func Used() time.Duration { return time.Since(began) }
