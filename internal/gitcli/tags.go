package gitcli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
)

// Tag is a name for a commit.
type Tag struct {
	Name, SHA string // SHA: of the commit
	Date      time.Time
	Message   string // the first line, "" of a light tag
	Annotated bool
}

const tagFormat = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objectname)%00%(taggerdate:iso)%00%(committerdate:iso)%00%(contents:subject)"

// Tags lists the tags, sorted by name; those of something else than a commit are left out.
func (g *Git) Tags(ctx context.Context) ([]Tag, error) {
	out, err := g.read(ctx, "for-each-ref", tagFormat, "refs/tags")
	if err != nil {
		return nil, err
	}
	var tags []Tag
	for l := range strings.Lines(out) {
		f := strings.Split(line(l), "\x00")
		if len(f) != 7 {
			continue
		}
		t := Tag{Name: text(strings.TrimPrefix(f[0], "refs/tags/")), SHA: f[2]}
		date := f[5]
		if f[1] == "tag" {
			t.Annotated, t.SHA, date, t.Message = true, f[3], f[4], text(f[6])
		} else if f[1] != "commit" {
			continue
		}
		t.Date, _ = time.Parse("2006-01-02 15:04:05 -0700", date)
		tags = append(tags, t)
	}
	return tags, nil
}

func (g *Git) tagsByCommit(ctx context.Context) (map[string][]string, error) {
	tags, err := g.Tags(ctx)
	out := map[string][]string{}
	for _, t := range tags {
		out[t.SHA] = append(out[t.SHA], t.Name)
	}
	return out, err
}

// lastTag is the nearest tag at or before a commit, "" if there is none.
func (g *Git) lastTag(ctx context.Context, sha string) (string, error) {
	r, err := g.call(ctx, reading, "", nil, "describe", "--tags", "--abbrev=0", sha)
	if err != nil || r.Code != 0 { // git has one status for whatever it cannot describe
		return "", err
	}
	return line(r.Stdout), nil
}

// SortTags sorts tags with the newest first: by date, or by the numbers in their names, where 1.10 comes after 1.9 and a
// pre-release such as 1.0-rc1 before 1.0.
func SortTags(tags []Tag, byVersion bool) {
	slices.SortStableFunc(tags, func(a, b Tag) int {
		if byVersion {
			return compareVersions(b.Name, a.Name)
		}
		return cmp.Or(b.Date.Compare(a.Date), compareVersions(b.Name, a.Name))
	})
}

func compareVersions(a, b string) int {
	for {
		x, restA := part(a)
		y, restB := part(b)
		if x == "" || y == "" {
			switch {
			case x == y:
				return 0
			case x == "":
				return -after(y)
			}
			return after(x)
		}
		m, errM := strconv.ParseUint(x, 10, 64)
		n, errN := strconv.ParseUint(y, 10, 64)
		c := strings.Compare(x, y)
		if errM == nil && errN == nil {
			c = cmp.Or(cmp.Compare(m, n), -cmp.Compare(len(x), len(y)))
		}
		if c != 0 {
			return c
		}
		a, b = restA, restB
	}
}

// after tells how a name compares that goes on with a part where another one ends: 1 for later, -1 for a pre-release.
func after(part string) int {
	if strings.HasPrefix(part, "-") || strings.HasPrefix(part, "~") {
		return -1
	}
	return 1
}

// part is a run of digits, or of anything else, at the beginning of a name.
func part(s string) (first, rest string) {
	digit := func(i int) bool { return s[i] >= '0' && s[i] <= '9' }
	i := 0
	for i < len(s) && digit(i) == digit(0) {
		i++
	}
	return s[:i], s[i:]
}

// Tag makes a tag of a commit: with a message an annotated one. It gives the full name of the commit.
func (g *Git) Tag(ctx context.Context, name, message, ref string) (sha string, err error) {
	if err := g.CheckName(ctx, "tag", name); err != nil {
		return "", err
	}
	if ref == "" {
		ref = "HEAD"
	}
	if sha, err = g.Commit(ctx, ref); err != nil {
		return "", err
	}
	if there, err := g.has(ctx, "refs/tags/"+name); err != nil {
		return "", err
	} else if there {
		return "", told(fault.InvalidRequest, "tag_exists", "there is a tag %s already; choose another name, or delete it first with: git tag -d %s", strconv.Quote(name), name)
	}
	args := []string{"tag"}
	if strings.TrimSpace(message) != "" {
		if err := g.identity(ctx, "GIT_COMMITTER_IDENT"); err != nil {
			return "", err
		}
		args = append(args, "-a", "--cleanup=whitespace", "-F", "-")
	}
	_, err = g.write(ctx, message, nil, append(args, name, sha)...)
	return sha, err
}

// Value is the tag as a value of a workflow.
func (t Tag) Value() map[string]any {
	return map[string]any{"name": t.Name, "commit_sha": t.SHA, "date": t.Date.Format(time.RFC3339), "message": t.Message, "annotated": t.Annotated}
}
