package web

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
)

// A form of a page carries, beside the token, a word that is its own (the template "token"). What is sent twice with it, by a second
// click or because a browser tries again, is done once: both get the address that the first led to. A form that led to none, since
// something was wrong with it, did nothing, and may be sent again.

// maxSent bounds how many forms are remembered.
const maxSent = 512

// sentForms are the forms that were sent and did something, or are about to.
type sentForms struct {
	mu    sync.Mutex
	of    map[[sha256.Size]byte]*sentForm
	order [][sha256.Size]byte // of those that are done, the oldest first
}

type sentForm struct {
	done chan struct{} // closed once next is known
	next string
}

// form adds what a form is sent to. It gives the address of the page that follows.
func (s *Server) form(pattern string, f func(r *http.Request) (next string, err error)) {
	s.act(pattern, func(r *http.Request) (string, *view, error) {
		next, err := f(r)
		return next, nil, err
	})
}

// act adds what a form is sent to: it gives the address that follows, or, where something is wrong or to be decided, the form again.
func (s *Server) act(pattern string, f func(r *http.Request) (next string, again *view, err error)) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		next, again, err := s.sent.once(s.jobs.ctx, r, f)
		switch {
		case err != nil:
			s.render(w, r, errorView(r, err))
		case again != nil:
			s.render(w, r, *again)
		default:
			http.Redirect(w, r, next, http.StatusSeeOther)
		}
	})
}

// once carries out what a form asks for, unless the same form, with the same fields, was sent before.
func (o *sentForms) once(serving context.Context, r *http.Request, f func(*http.Request) (string, *view, error)) (next string, again *view, err error) {
	if r.PostFormValue("once") == "" {
		return f(r)
	}
	key := sha256.Sum256([]byte(r.URL.RequestURI() + "\n" + r.PostForm.Encode()))
	var form *sentForm
	for form == nil {
		before, mine := o.take(key)
		if mine != nil {
			form = mine
			break
		}
		select {
		case <-before.done:
		case <-r.Context().Done():
			return "", nil, r.Context().Err()
		}
		if before.next != "" {
			return before.next, nil, nil
		}
	}
	defer func() { o.settle(key, form, next) }()
	// A second click makes a browser leave the first request: what that one began goes on, and the second is told of it.
	return f(r.WithContext(serving))
}

// take gives the form that was sent so before, or makes it one that is under way.
func (o *sentForms) take(key [sha256.Size]byte) (before, mine *sentForm) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before = o.of[key]; before != nil {
		return before, nil
	}
	mine = &sentForm{done: make(chan struct{})}
	o.of[key] = mine
	return nil, mine
}

// settle tells those who wait where a form led to, "" if it did nothing.
func (o *sentForms) settle(key [sha256.Size]byte, form *sentForm, next string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	form.next = next
	close(form.done)
	if next == "" {
		delete(o.of, key)
		return
	}
	if o.order = append(o.order, key); len(o.order) > maxSent {
		delete(o.of, o.order[0])
		o.order = o.order[1:]
	}
}
