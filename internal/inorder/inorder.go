// Package inorder does much work at the same time and hands on what comes of it in the order in which it was begun: how the
// lines of a file are planned, and run.
package inorder

import (
	"context"
	"errors"
	"io"

	"pflow/internal/fault"
)

// Work is one piece: Do gives its result, Broke what stands for it where Do panics.
type Work[T any] struct {
	Do    func() T
	Broke func(error) T
}

// Run begins the work that next gives, until that is io.EOF, at most n at the same time, and gives each result to put, one
// at a time and in order; after an error of put no more. Once ctx is done no more is begun. It returns when all that was
// begun is done: first is the error of next, second that of put.
func Run[T any](ctx context.Context, n int, next func() (Work[T], error), put func(T) error) (first, second error) {
	results := make(chan chan T, n) // its room bounds how many are under way
	written := make(chan error, 1)
	fault.Go(func() {
		var failed error
		for r := range results {
			if v := <-r; failed == nil {
				failed = put(v)
			}
		}
		written <- failed
	}, func(err error) {
		for r := range results { // those who work must not wait for a writer that has ended
			<-r
		}
		written <- err
	})
	slots := make(chan struct{}, n)
	for ctx.Err() == nil {
		work, err := next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				first = err
			}
			break
		}
		done := make(chan T, 1)
		slots <- struct{}{}
		results <- done
		fault.Go(func() {
			done <- work.Do()
			<-slots
		}, func(err error) {
			done <- work.Broke(err)
			<-slots
		})
	}
	close(results)
	return first, <-written
}
