package github

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v82/github"

	"pflow/internal/fault"
)

// rawMedia asks for the bytes of a file, which may then be 100 MB long; as JSON it may be 1 MB.
const rawMedia = "application/vnd.github.raw+json"

// File reads a file of a repository at a branch, tag or commit; ref "" is the default branch.
func (c *Client) File(ctx context.Context, r Repo, path, ref string) ([]byte, error) {
	path = strings.Trim(path, "/")
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return nil, fault.New(fault.InvalidRequest, "%q is no path of a file in a repository: want one such as docs/guide.md", path)
		}
		parts = append(parts, url.PathEscape(part))
	}
	at := "repos/" + r.String() + "/contents/" + strings.Join(parts, "/")
	what := "file " + path
	if ref != "" {
		at += "?ref=" + url.QueryEscape(ref)
		what += " at " + ref
	}
	var data bytes.Buffer
	var header http.Header
	err := c.do(ctx, c.about("read the", what, r).no(what+" in "+r.String()), func(ctx context.Context) (*github.Response, error) {
		data.Reset()
		req, err := c.api.NewRequest(http.MethodGet, at, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", rawMedia)
		resp, err := c.api.Do(ctx, req, &data)
		if resp != nil {
			header = resp.Header
		}
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if kind := header.Get("Content-Type"); strings.HasPrefix(kind, "application/json") { // of a folder: a file has the raw type
		var list []struct{ Name string }
		if json.Unmarshal(data.Bytes(), &list) == nil {
			var names []string
			for _, entry := range list {
				names = append(names, entry.Name)
			}
			return nil, fault.New(fault.InvalidRequest, "%s of %s is a folder; name a file in it: %s", path, r, clip(strings.Join(names, ", ")))
		}
	}
	return data.Bytes(), nil
}

// no says what a 404 means.
func (w call) no(what string) call {
	w.what = what
	return w
}
