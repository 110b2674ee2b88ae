//go:build !unix

package filelock

import (
	"context"
	"os"
)

// Supported tells whether locks work here.
const Supported = false

// Lock does nothing.
func Lock(context.Context, *os.File) error { return nil }

// Try does nothing.
func Try(*os.File) (bool, error) { return true, nil }

// Held reports false: nobody knows.
func Held(*os.File) bool { return false }
