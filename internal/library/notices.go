package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pflow/internal/consent"
	"pflow/internal/fault"
)

// noticesFile says which workflows tell how the runs of others ended. It lies beside the documents, since it is no part of what
// they do: a next version keeps it, and nobody agrees to it by taking over a file.
const noticesFile = ".notices"

// Notices gives what tells of the runs of a workflow.
func (l *Library) Notices(name string) (consent.Notices, error) {
	all, err := l.readNotices()
	return all[name], err
}

// AllNotices gives what tells of the runs of each workflow that has something.
func (l *Library) AllNotices() (map[string]consent.Notices, error) { return l.readNotices() }

func (l *Library) readNotices() (map[string]consent.Notices, error) {
	data, err := l.bytes(noticesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]consent.Notices{}, nil
	}
	all := map[string]consent.Notices{}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s; put it right, or remove it: nothing tells of runs then", filepath.Join(l.dir, noticesFile), reason(err))
	}
	return all, nil
}

// ChangeNotices changes what tells of the runs of a workflow, and gives what does then.
func (l *Library) ChangeNotices(ctx context.Context, name string, change func(*consent.Notices)) (now consent.Notices, err error) {
	if err := l.ValidName(name); err != nil {
		return now, err
	}
	err = l.locked(ctx, func(d *os.Root) error {
		if _, _, err := l.current(name); errors.Is(err, fs.ErrNotExist) {
			return l.unknown(name)
		}
		return l.rewriteNotices(d, func(all map[string]consent.Notices) {
			now = all[name]
			change(&now)
			all[name] = now
		})
	})
	return now, err
}

// rewriteNotices changes the file of a folder that is locked; where there is none and would be nothing in it, none is made.
func (l *Library) rewriteNotices(d *os.Root, change func(map[string]consent.Notices)) error {
	all, err := l.readNotices()
	if err != nil {
		return fault.New(fault.Malformed, "%v", err)
	}
	before := len(all)
	change(all)
	for name, n := range all {
		if n == (consent.Notices{}) {
			delete(all, name)
		}
	}
	if before+len(all) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return failed(err)
	}
	return write(d, noticesFile, append(data, '\n'))
}
