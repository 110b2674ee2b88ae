package main

import (
	"fmt"
	"strings"
	"testing"
)

// git runs commands in the example's repository, which is made the first time; save SUBJECT DAY [AUTHOR] commits.
func (b *bench) git(commands string) {
	b.t.Helper()
	b.must(`test -d .git || git init -q -b main . && git config user.name Ada && git config user.email ada@example.org
		save() { echo "$1" >>code.txt && git add code.txt && GIT_COMMITTER_DATE=$2 GIT_AUTHOR_DATE=$2 git commit -qm "$1" --author "${3:-Ada} <dev@example.org>"; }
		` + commands)
}

// hash is the short name of a commit, so many before the last.
func (b *bench) hash(before int) string {
	b.t.Helper()
	return strings.TrimSpace(b.must(fmt.Sprintf("git rev-parse --short HEAD~%d", before)))
}

func changelog(_ *testing.T, b *bench) {
	b.git(`save "first" 2026-01-01T00:00:00Z; git tag v1
		save "feat(cli): a new command" 2026-02-01T00:00:00Z
		save 'fix: quotes "and $dollars" stay' 2026-02-02T00:00:00Z
		save "words" 2026-02-03T00:00:00Z`)
	b.same("commits", b.does("version=1.1 day=2026-02-04")["commits"], 3)
	first := fmt.Sprintf("## 1.1 (2026-02-04)\n\n### Added\n\n- a new command (%s)\n\n### Changed\n\n- words (%s)\n\n### Fixed\n\n- quotes \"and $dollars\" stay (%s)\n",
		b.hash(2), b.hash(0), b.hash(1))
	b.same("CHANGELOG.md", b.tree()["CHANGELOG.md"], "# Changelog\n\n"+first)

	b.git(`git tag v1.1; save "fix!: more" 2026-02-05T00:00:00Z`) // goes above what is there, and below an introduction
	b.keep("CHANGELOG.md", "# News\n\nOf what we do.\n\n"+first)
	b.refuses("version=1.2", exitDeclined, "it replaces CHANGELOG.md")
	b.does("version=1.2 day=2026-02-06 --yes=destructive")
	b.same("CHANGELOG.md", b.tree()["CHANGELOG.md"], fmt.Sprintf("# News\n\nOf what we do.\n\n## 1.2 (2026-02-06)\n\n### Fixed\n\n- more (%s)\n\n", b.hash(0))+first)

	b.keep("CHANGELOG.md", "caf\xe9\n") // is not lost for being no UTF-8
	b.refuses("version=1.3 --yes=destructive", 1, "UTF-8")
	b.same("CHANGELOG.md", b.tree()["CHANGELOG.md"], "caf\xe9\n")
}

func commitReport(_ *testing.T, b *bench) {
	b.git(`save "before" 2026-02-28T12:00:00Z
		save "one" 2026-03-02T12:00:00Z Bob
		save "two" 2026-03-03T12:00:00Z
		save "three <b>" 2026-03-04T12:00:00Z Bob
		save "after" 2026-03-09T12:00:00Z`)
	b.same("commits", b.does("since=2026-03-02 until=2026-03-08")["commits"], 3)
	b.same("commits.md", b.tree()["commits.md"], fmt.Sprintf("# 3 commits since 2026-03-02\n\n## Bob: 2\n\n- 2026-03-02 one (%s)\n- 2026-03-04 three <b> (%s)\n\n## Ada: 1\n\n- 2026-03-03 two (%s)\n",
		b.hash(3), b.hash(1), b.hash(2)))

	b.git(`save "just now" "$(date -Iseconds)"`) // the last week is what is asked for if nothing is said
	b.same("commits of this week", b.does("")["commits"], 1)
}

func bumpVersion(_ *testing.T, b *bench) {
	b.keep("app.json", `{"minimum": "11.9.4", "version": "1.9.4", "needs": "1.9.4"}`)
	b.keep("other.txt", "no version\n")
	b.git(`git add app.json; save "first" 2026-01-01T00:00:00Z; git tag v1.9.4; git tag v1.10.0-rc; git tag -d v1.10.0-rc`)
	b.refuses(`'paths=["app.json", "other.txt"]' --yes=destructive`, 1, "other.txt does not name the version 1.9.4 [not_found]")
	b.refuses(`part=tiny 'paths=["app.json"]' --yes=destructive`, 1, `part is "tiny"; want major, minor or patch`)
	b.same("file", b.tree()["app.json"], `{"minimum": "11.9.4", "version": "1.9.4", "needs": "1.9.4"}`)
	b.same("outputs", b.does(`part=minor 'paths=["app.json"]' --yes=destructive`), map[string]any{"version": "1.10.0", "tag": "v1.10.0"})
	b.same("commit", b.must("git log -1 --format=%s%d --decorate-refs=refs/tags && git show --stat --format= HEAD | head -1 | cut -d '|' -f 1"), "Version 1.10.0 (tag: v1.10.0)\n app.json \n")
	b.same("committed", b.must("git show HEAD:app.json"), `{"minimum": "11.9.4", "version": "1.10.0", "needs": "1.9.4"}`)
	b.same("left out", b.must("git status --porcelain other.txt"), "?? other.txt\n")
	b.does(`'paths=["app.json"]' --yes=destructive`)
	b.same("patch", b.must("git describe"), "v1.10.1\n")
}
