package download

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxErrorBody bounds what is read of an answer that is an error.
const maxErrorBody = 8 << 10

// ask sends the request and gives the answer, and the place in the file at which its body begins: the end of what is there,
// or 0 where the server does not go on there.
func ask(ctx context.Context, r Request, part *partial) (resp *http.Response, from int64, err error) {
	from = part.resumes()
	resp, err = send(ctx, r, from, part.version)
	if err != nil {
		return nil, 0, err
	}
	if from > 0 && !continues(resp, from, part) && (resp.StatusCode == http.StatusPartialContent || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable) {
		resp.Body.Close()
		from = 0
		if resp, err = send(ctx, r, 0, ""); err != nil {
			return nil, 0, err
		}
	}
	switch {
	case resp.StatusCode == http.StatusPartialContent && from > 0:
		return resp, from, part.cut(from)
	case resp.StatusCode >= 200 && resp.StatusCode < 300 && resp.StatusCode != http.StatusPartialContent && resp.StatusCode != http.StatusNoContent:
		return resp, 0, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return nil, 0, &StatusError{Status: resp.StatusCode, Body: string(body)}
}

// send asks for the file from a byte on, if it is still of the version.
func send(ctx context.Context, r Request, from int64, version string) (*http.Response, error) {
	req, err := r.New(ctx)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity") // byte for byte: nothing on the way may unpack it
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		req.Header.Set("If-Range", version)
	}
	return r.Client.Do(req)
}

// continues reports whether an answer begins where the file on the disk ends, and is of its version.
func continues(resp *http.Response, from int64, part *partial) bool {
	if resp.StatusCode != http.StatusPartialContent {
		return false
	}
	begin, total, ok := contentRange(resp.Header.Get("Content-Range"))
	if !ok || begin != from || part.total >= 0 && total >= 0 && total != part.total {
		return false
	}
	now := version(resp.Header)
	return now == "" || now == part.version || strings.HasPrefix(now, `"`) != strings.HasPrefix(part.version, `"`)
}

// contentRange reads "bytes 5-9/10"; total is -1 for *.
func contentRange(text string) (begin, total int64, ok bool) {
	text, ok = strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, size, _ := strings.Cut(text, "/")
	first, _, _ := strings.Cut(span, "-")
	begin, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	if err != nil {
		return 0, 0, false
	}
	if total, err = strconv.ParseInt(strings.TrimSpace(size), 10, 64); err != nil {
		total = -1
	}
	return begin, total, true
}

// version is what If-Range takes: a strong ETag, or the time of the last change. "" if the server gives neither.
func version(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}
