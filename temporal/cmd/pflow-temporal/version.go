package main

import "runtime/debug"

// version is that of this program, "devel" where it was not built of a release.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
