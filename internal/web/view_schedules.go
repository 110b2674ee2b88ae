package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"
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
