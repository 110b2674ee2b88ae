package web

import (
	"net/http"
	"net/url"
	"slices"
)

// scheduleForm is the form of a schedule that is not there yet.
type scheduleForm struct {
	*runForm
	When    string // cron, every, at or watch
	Wrong   string // the field that the error is of; "" for others
	Said    map[string]string
	Preview *scheduleRow // what would be approved
}

// scheduleTexts are the fields of the form that are handed on as they are.
var scheduleTexts = []string{"as", "timezone", "input", "missed", "overlap", "jitter", "on_failure", "on_success"}

func (f *scheduleForm) view(status int) *view {
	return &view{Template: "schedule_new", Title: "Schedule " + f.Name, Section: "library", Data: f, Status: status}
}

func (s *Server) scheduleForm(r *http.Request, workflow string) (*scheduleForm, error) {
	r.SetPathValue("name", workflow)
	w, err := s.workflow(r)
	if err != nil {
		return nil, err
	}
	return &scheduleForm{runForm: newRunForm(w), When: "cron", Said: map[string]string{}}, nil
}

func (s *Server) newSchedule(r *http.Request) (view, error) {
	name := r.URL.Query().Get("workflow")
	if name == "" {
		return view{}, &Error{Status: http.StatusBadRequest, Message: "no workflow is named", Do: "open a workflow of the library, and choose Schedule"}
	}
	f, err := s.scheduleForm(r, name)
	if err != nil {
		return view{}, err
	}
	if when := r.URL.Query().Get("when"); isKind(when) {
		f.When = when
	}
	return *f.view(0), nil
}

// scheduleKinds are the kinds of triggers, as flags and as people call them.
var scheduleKinds = []struct{ Name, Label string }{{"cron", "At times"}, {"every", "Interval"}, {"at", "Once"}, {"watch", "On a file"}}

// scheduleLabels are what the form calls what it is given.
var scheduleLabels = map[string]string{"cron": "Times", "every": "Interval", "at": "Moment", "watch": "Folder", "timezone": "Time zone", "input": "The input that takes the file",
	"as": "Name of the schedule", "jitter": "Put each time off by less than", "missed": "Times that passed while nothing ran schedules", "overlap": "A time that comes while a run goes on",
	"on_failure": "After a run that failed, run", "on_success": "After a run that is done, run"}

// wrong shows why it cannot be, beside the field that it is of.
func (f *scheduleForm) wrong(why *Error) {
	f.Wrong, f.Error, f.Preview = why.Where, why.labelled(scheduleLabels), nil
}

// Kinds are the kinds of triggers that can be chosen.
func (f *scheduleForm) Kinds() []struct{ Name, Label string } { return scheduleKinds }

func isKind(name string) bool {
	return slices.ContainsFunc(scheduleKinds, func(k struct{ Name, Label string }) bool { return k.Name == name })
}

// addSchedule shows what would be approved; what was shown and agreed to is kept.
func (s *Server) addSchedule(r *http.Request) (string, *view, error) {
	f, err := s.scheduleForm(r, r.PostFormValue("workflow"))
	if err != nil {
		return "", nil, err
	}
	p := Params{"workflow": f.Name, "inputs": f.read(r), "dry_run": true}
	if when := r.PostFormValue("when"); isKind(when) {
		f.When = when
	}
	for _, name := range append([]string{f.When}, scheduleTexts...) {
		f.Said[name] = r.PostFormValue(name)
		if f.Said[name] != "" {
			p[name] = f.Said[name]
		}
	}
	if f.When != "watch" {
		delete(p, "input")
	}
	if p[f.When] == nil {
		f.wrong(&Error{Where: f.When, Message: "say when it runs"})
		return "", f.view(http.StatusUnprocessableEntity), nil
	}
	f.Preview = &scheduleRow{}
	res, why, err := s.foreseeSchedule(r, "addSchedule", p, f.Preview)
	if err != nil {
		return "", nil, err
	}
	if why != nil {
		if res != nil {
			f.fail(res)
		}
		if f.Preview = nil; len(f.Lacks()) == 0 {
			f.wrong(why)
		}
		return "", f.view(http.StatusUnprocessableEntity), nil
	}
	if r.PostFormValue("do") != "approve" {
		return "", f.view(0), nil
	}
	if why := disagreed(r, f.Preview); why != "" {
		f.Error = &Error{Message: why}
		return "", f.view(http.StatusConflict), nil
	}
	delete(p, "dry_run")
	p["approve"] = approvedBy(f.Preview)
	if err := s.Call(r.Context(), "addSchedule", p, nil); err != nil {
		return "", nil, err
	}
	return "/schedules/" + url.PathEscape(f.Preview.Name), nil, nil
}
