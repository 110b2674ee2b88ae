package planner

import "pflow/internal/home"

// Key gives the key by which a home knows the plans that it made: 32 bytes, made at first need.
func Key(dir string) ([]byte, error) { return home.Secret(dir, "key") }
