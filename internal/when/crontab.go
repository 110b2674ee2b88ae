package when

import (
	"regexp"
	"strings"

	"pflow/internal/trigger"
)

var (
	fiveFields = regexp.MustCompile(`^([0-9*][0-9*/,-]*) +([0-9*][0-9*/,-]*) +([0-9*L][0-9*/,LW-]*) +([0-9A-Za-z*][0-9A-Za-z*/,-]*) +([0-9A-Za-z*][0-9A-Za-z*/,#-]*)`)
	behindCron = regexp.MustCompile(`^($|[\s,:;.)])`)
)

// crontab reads an expression as a crontab has it, at the beginning of a request: 0 6 * * * fetch, cron "*/5 * * * *": ping. Without the
// word it has to leave two days or months in a row open, as no sum does.
func (p *parser) crontab(i int) (t *trigger.Trigger, n int) {
	at := p.skip(i, "with", "on", "as", "using")
	named := p.skip(at, "cron", "crontab", "schedule", "expression", ":")
	called := p.is(at, "cron", "crontab")
	if named >= len(p.toks) || named > i && !called || !p.politeUpTo(i) || p.asks() {
		return nil, 0
	}
	from := p.toks[named]
	said, end := p.request[from.start:], from.end
	if from.quoted {
		said = strings.Trim(from.raw, "\"'`“”‘’")
	}
	m := fiveFields.FindStringSubmatch(said)
	if m == nil || !behindCron.MatchString(said[len(m[0]):]) || from.quoted && (len(m[0]) < len(said) || !called) {
		return nil, 0
	}
	if !called && !(m[4] == "*" && (m[3] == "*" || m[5] == "*")) {
		return nil, 0
	}
	if !from.quoted {
		end = from.start + len(m[0])
	}
	for n = named + 1; n < len(p.toks) && p.toks[n].end <= end; n++ {
	}
	if p.last(n) {
		return nil, 0 // there is nothing to run
	}
	return &trigger.Trigger{Cron: strings.Join(m[1:], " ")}, n - i
}
