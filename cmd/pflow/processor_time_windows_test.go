package main

import "time"

var processBegan = time.Now()

// processorTime is wall time here.
func processorTime() time.Duration { return time.Since(processBegan) }
