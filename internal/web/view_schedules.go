package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"pflow/internal/outcome"
)

func (s *Server) scheduleRoutes() {
	s.page("GET /schedules", s.listSchedules)
	s.page("GET /schedules/_new", s.newSchedule)
	s.act("POST /schedules/_new", s.addSchedule)
	s.page("GET /schedules/{name}", s.showSchedule)
	s.page("GET /schedules/{name}/approve", s.approveSchedule)
	s.act("POST /schedules/{name}/resume", s.resumeSchedule)
	for part, call := range map[string]string{"pause": "pauseSchedule", "remove": "removeSchedule"} {
		s.form("POST /schedules/{name}/"+part, func(r *http.Request) (string, error) {
			if part == "remove" && r.PostFormValue("sure") != "yes" {
				return "", &Error{Status: http.StatusBadRequest, Message: "nothing was removed", Do: "tick that it shall be"}
			}
			name := r.PathValue("name")
			err := s.Call(r.Context(), call, Params{"name": name}, nil)
			if part == "remove" {
				return "/schedules", err
			}
			return "/schedules/" + url.PathEscape(name), err
		})
	}
	s.act("POST /schedules/{name}/run", s.runSchedule)
}

// scheduleRow is a schedule.
type scheduleRow struct {
	Name, Workflow          string
	Version                 int
	Words                   string
	Next                    *time.Time
	Status, Waiting, Untold string
	Dir                     string
	Missed, Overlap, Jitter string
	Params                  map[string]any
	Phrases                 map[string]struct{ Text string }
	Approved                struct {
		Effects     []string
		Digest      string // of all that runs
		Destructive bool
	}
	Trigger struct {
		At, Text string
		Watch    *struct{ Path, Pattern, Input string }
	}
	Last *struct {
		Run             string
		Due, At         time.Time
		Status, Message string
	}
	Running []struct {
		Run string
		Due time.Time
	}
	Queued    int
	Nodes     []string
	OnFailure *noticeShown `json:"on_failure"`
	OnSuccess *noticeShown `json:"on_success"`
	Gone      []string     // the workflows that it names and that are saved no more
	Upcoming  []time.Time
	Destroys  string
}

// State is how it stands, as badges have it.
func (s scheduleRow) State() string {
	switch s.Status {
	case "active":
		return stateDone
	case "paused":
		return "skipped"
	case "over":
		return "not_reached"
	}
	return s.Status
}

// Unapproved reports whether it would destroy what is there, which nobody agreed to: its runs are refused then.
func (s scheduleRow) Unapproved() bool { return s.Destroys != "" && !s.Approved.Destructive }

// Resumable reports whether somebody has to let it run again.
func (s scheduleRow) Resumable() bool { return s.Status == "paused" || s.Status == "waiting" }

// schedulesShown are all schedules of the home.
type schedulesShown struct {
	Schedules []scheduleRow
	Server    string // what carries them out: "" nobody
}

// of gives the schedules of a workflow.
func (s *schedulesShown) of(workflow string) (out []scheduleRow) {
	for _, one := range s.Schedules {
		if one.Workflow == workflow {
			out = append(out, one)
		}
	}
	return out
}

func (s *Server) schedules(r *http.Request) (*schedulesShown, error) {
	got := &schedulesShown{}
	err := s.Call(r.Context(), "listSchedules", Params{}, got)
	return got, err
}

func (s *Server) listSchedules(r *http.Request) (view, error) {
	got, err := s.schedules(r)
	if err != nil {
		return view{}, err
	}
	slices.SortStableFunc(got.Schedules, func(a, b scheduleRow) int { // what waits for somebody first, then by the next time
		rank := func(s scheduleRow) int64 {
			switch {
			case s.Status == "waiting":
				return 0
			case s.Next == nil:
				return 1 << 62
			}
			return s.Next.Unix()
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return s.withRuns(r, view{Template: "schedules_list", Title: "Schedules", Section: "library", Data: got})
}

// scheduleFirings is how many of its runs the page of a schedule lists.
const scheduleFirings = 50

func (s *Server) schedule(r *http.Request) (*scheduleRow, error) {
	one := &scheduleRow{}
	return one, s.Call(r.Context(), "showSchedule", Params{"name": r.PathValue("name")}, one)
}

func (s *Server) showSchedule(r *http.Request) (view, error) {
	one, err := s.schedule(r)
	if err != nil {
		return view{}, err
	}
	data := struct {
		*scheduleRow
		Firings []runRow
	}{scheduleRow: one}
	if one.Waiting == "" { // that page shows what it would destroy as well
		var would scheduleRow
		if _, why, err := s.foreseeSchedule(r, "resumeSchedule", Params{"name": one.Name, "dry_run": true}, &would); err == nil && why == nil {
			one.Destroys = would.Destroys
		}
	}
	got, err := s.runs(r.Context(), Params{"by": "schedule:" + one.Name, "limit": scheduleFirings})
	if err != nil {
		return view{}, err
	}
	data.Firings = got.Runs
	return s.withRuns(r, view{Template: "schedule_show", Title: one.Name, Section: "library", Data: data})
}

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

// foreseeSchedule gives what would be approved, or why it cannot be, and what the command came to.
func (s *Server) foreseeSchedule(r *http.Request, call string, p Params, into *scheduleRow) (res *Result, why *Error, err error) {
	res, err = s.carry(r.Context(), s.endpoint(call), p, nil)
	switch {
	case errors.As(err, &why):
		return nil, why, nil
	case err != nil:
		return nil, nil, err
	case res.Exit != outcome.Done:
		return res, res.failure(), nil
	}
	return res, nil, res.decode(into)
}

// disagreed says why what is to be approved is not what was agreed to; "" if it is.
func disagreed(r *http.Request, shown *scheduleRow) string {
	switch {
	case r.PostFormValue("words") != shown.Words || r.PostFormValue("ran") != shown.Workflow || r.PostFormValue("version") != asText(shown.Version), r.PostFormValue("digest") != shown.Approved.Digest:
		return "It is not what was shown any more: look at it again."
	case shown.Destroys != "" && r.PostFormValue("destroys") != shown.Destroys:
		return "It destroys what is there. See what, and agree to it."
	}
	return ""
}

// approvedBy is the approval of what was shown.
func approvedBy(shown *scheduleRow) []any {
	out := []any{"schedule"}
	if shown.Destroys != "" {
		out = append(out, "destructive")
	}
	return out
}

// scheduleApproval is what is to be approved of a schedule that is paused or waits.
type scheduleApproval struct {
	*scheduleRow
	Preview *scheduleRow
	Diff    *workflowDiff // how its workflow changed since it was approved
	Error   string
}

// OnlyDestroys reports whether all there is to agree to is what it would destroy.
func (a *scheduleApproval) OnlyDestroys() bool {
	return a.Waiting == "" && a.Preview != nil && a.Preview.Destroys != "" && !a.Approved.Destructive
}

func (s *Server) scheduleApproval(r *http.Request) (*scheduleApproval, error) {
	one, err := s.schedule(r)
	if err != nil {
		return nil, err
	}
	a := &scheduleApproval{scheduleRow: one, Preview: &scheduleRow{}}
	_, why, err := s.foreseeSchedule(r, "resumeSchedule", Params{"name": one.Name, "dry_run": true}, a.Preview)
	if err != nil {
		return nil, err
	}
	if why != nil {
		a.Error, a.Preview = why.Error(), nil
		return a, nil
	}
	if a.Preview.Version != one.Version {
		a.Diff = &workflowDiff{}
		if err := s.Call(r.Context(), "diffWorkflows", Params{"name": one.Workflow, "from": one.Workflow + "@" + asText(one.Version)}, a.Diff); err != nil {
			a.Diff = nil // the version is not kept any more
		}
	}
	return a, nil
}

func (a *scheduleApproval) view(status int) *view {
	return &view{Template: "schedule_approve", Title: a.Name + ": approve", Section: "library", Data: a, Status: status}
}

func (s *Server) approveSchedule(r *http.Request) (view, error) {
	a, err := s.scheduleApproval(r)
	if err != nil {
		return view{}, err
	}
	return *a.view(0), nil
}

// resumeSchedule lets a schedule run again. One that waits for somebody, or whose runs would be refused, is shown first.
func (s *Server) resumeSchedule(r *http.Request) (string, *view, error) {
	a, err := s.scheduleApproval(r)
	if err != nil {
		return "", nil, err
	}
	p := Params{"name": a.Name}
	switch do := r.PostFormValue("do"); {
	case a.Waiting == "" && do == "as-it-was", a.Waiting == "" && do == "" && !a.OnlyDestroys():
	case a.Error == "" && disagreed(r, a.Preview) == "":
		p["approve"] = approvedBy(a.Preview)
	default:
		if a.Error == "" && (do != "" || !a.OnlyDestroys()) {
			a.Error = disagreed(r, a.Preview)
		}
		return "", a.view(http.StatusConflict), nil
	}
	return "/schedules/" + url.PathEscape(a.Name), nil, s.Call(r.Context(), "resumeSchedule", p, nil)
}

// runSchedule runs a schedule now. Where that is refused because it would destroy what is there, what it would destroy can be agreed to.
func (s *Server) runSchedule(r *http.Request) (string, *view, error) {
	p := Params{"name": r.PathValue("name")}
	if file := r.PostFormValue("file"); file != "" {
		p["file"] = file
	}
	run, why := s.runOf(r, "runSchedule", p)
	if why == nil {
		return "/runs/" + run, nil, nil
	}
	if a, err := s.scheduleApproval(r); err == nil && (a.Waiting != "" || a.OnlyDestroys()) {
		a.Error = cmp.Or(a.Error, "It was not run: "+asError(why).Message)
		return "", a.view(http.StatusConflict), nil
	}
	return "", nil, why
}
