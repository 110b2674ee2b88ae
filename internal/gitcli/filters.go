package gitcli

import (
	"cmp"
	"context"
	"strings"

	"pflow/internal/fault"
)

const filterKeys = `^filter\..*\.(clean|smudge|process|required)$`

// withoutFilters turns off, for what only reads, the filters of content that the repository's own configuration names: to
// compare a file that was touched git would run them. Those of the user and the machine (git-lfs, say) stay.
func (g *Git) withoutFilters(ctx context.Context) error {
	if g.filtering {
		return nil
	}
	all, err := g.filters(ctx)
	if err != nil || len(all) == 0 {
		g.filtering = err == nil
		return err
	}
	trusted := map[string]string{}
	for _, where := range []string{"--system", "--global"} {
		found, err := g.filters(ctx, where)
		if err != nil {
			return err
		}
		for _, f := range found {
			trusted[f.key] = f.value
		}
	}
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.key] {
			continue
		}
		seen[f.key] = true
		if strings.ContainsAny(f.key, "=\n") {
			return fault.New(fault.Refused, "the configuration of the repository names a filter %q, which cannot be turned off; take it out of .git/config", f.key)
		}
		g.unfilter = append(g.unfilter, f.key+"="+cmp.Or(trusted[f.key], harmless(f.key)))
	}
	g.filtering = true
	return nil
}

// harmless is what stands for a filter that is turned off. An empty command would do, but before 2.2 git takes KEY= for a
// boolean and fails; process is newer than that, and must be empty.
func harmless(key string) string {
	switch {
	case strings.HasSuffix(key, ".required"):
		return "false"
	case strings.HasSuffix(key, ".process"):
		return ""
	}
	return "cat"
}

type setting struct{ key, value string }

func (g *Git) filters(ctx context.Context, where ...string) (out []setting, err error) {
	args := append([]string{"config"}, where...)
	r, err := g.call(ctx, reading, "", nil, append(args, "--includes", "-z", "--get-regexp", filterKeys)...)
	if err != nil {
		return nil, err
	}
	for _, f := range fields(r.Stdout) { // status 1: there are none; of a file that is not there, too
		key, value, _ := strings.Cut(f, "\n")
		out = append(out, setting{key, value})
	}
	return out, nil
}
