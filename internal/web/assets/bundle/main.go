// Command bundle makes the page's assets: ../dist from ../src and the npm packages that packages.json pins by version and
// hash, without Node. make assets runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

func main() {
	tests := flag.Bool("tests", false, "only fetch what the tests of pages use, to the cache")
	flag.Parse()
	if err := run(*tests); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(tests bool) error {
	packages, err := readPackages("packages.json")
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	registry := os.Getenv("NPM_REGISTRY")
	if registry == "" {
		registry = "https://registry.npmjs.org"
	}
	s := store{registry: registry, dir: filepath.Join(cache, "pflow", "npm"), client: &http.Client{Timeout: 2 * time.Minute}}
	ctx := context.Background()
	for _, p := range packages {
		if p.Tests {
			if _, err := s.tarball(ctx, p); err != nil {
				return err
			}
		}
	}
	if tests {
		return nil
	}
	return build(ctx, s, packages, "..", filepath.Join("..", "dist"))
}
