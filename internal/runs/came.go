package runs

import (
	"database/sql"
	"strings"
	"time"

	"pflow/engine/journal"
)

// Came is what came of a plan: the run of its workflow that began last, be it its own or one that ran that again.
type Came struct {
	Run    string `json:"run"`
	Status Status `json:"status"`
}

// cameAtOnce is how many plans one query is about.
const cameAtOnce = 500

// came reads the runs of plans, each before the later ones.
const came = `WITH RECURSIVE came (plan, id) AS (
	SELECT parent, id FROM runs WHERE parent IN (?PLANS) AND kind = '` + string(journal.OfWorkflow) + `'
	UNION SELECT came.plan, r.id FROM came JOIN runs r ON r.parent = came.id
		WHERE r.kind = '` + string(journal.OfWorkflow) + `' AND r.started_by IN ('` + journal.ByRetry + `', '` + journal.ByFix + `')
) SELECT came.plan, r.id, r.status FROM came CROSS JOIN runs r ON r.id = came.id ORDER BY r.began, r.id`

// Came tells of those of the rows that are plans what came of them; of those that nobody ran it tells nothing.
func (h *History) Came(rows []Row) error {
	at := map[string]int{}
	var plans []any
	for i := range rows {
		if rows[i].Kind == journal.OfPlan {
			at[rows[i].ID] = i
			plans = append(plans, rows[i].ID)
		}
	}
	if len(plans) == 0 {
		return nil
	}
	return h.with(func(db *sql.DB) error {
		if _, err := h.settle(db, time.Now()); err != nil {
			return err
		}
		for len(plans) > 0 {
			some := plans[:min(len(plans), cameAtOnce)]
			plans = plans[len(some):]
			if err := cameOf(db, some, func(plan string, c Came) { rows[at[plan]].Came = &c }); err != nil {
				return err
			}
		}
		return nil
	})
}

// cameQuery is the query for so many plans.
func cameQuery(plans int) string {
	return strings.Replace(came, "?PLANS", "?"+strings.Repeat(", ?", plans-1), 1)
}

func cameOf(db *sql.DB, plans []any, tell func(plan string, c Came)) error {
	found, err := db.Query(cameQuery(len(plans)), plans...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var plan string
		var c Came
		if err := found.Scan(&plan, &c.Run, &c.Status); err != nil {
			return err
		}
		if c.Status == "" {
			c.Status = Running
		}
		tell(plan, c)
	}
	return found.Err()
}
