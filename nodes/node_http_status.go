package nodes

import (
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// acceptStatusPort is the param by which a workflow looks at a status instead of failing with it.
func acceptStatusPort() ir.Port {
	return ir.Port{Key: "accept_status", Type: value.Array, Default: []any{},
		Description: "Statuses from 400 on that are no error: numbers such as 404, or classes such as 4xx and 5xx."}
}

// readAcceptStatus reads a list of statuses and classes of them.
func readAcceptStatus(v any) (accepts func(status int) bool, err error) {
	list, _ := v.([]any)
	accepted := map[string]bool{}
	for _, item := range list {
		text := strings.ToLower(strings.TrimSpace(ir.Text(item)))
		status := len(text) == 3 && text[0] >= '1' && text[0] <= '5' && (text[1:] == "xx" || strings.Trim(text[1:], "0123456789") == "")
		if !status {
			return nil, fault.New(fault.InvalidRequest, "accept_status holds %s: give statuses such as 404, or classes such as 4xx", quote(ir.Text(item)))
		}
		accepted[text] = true
	}
	return func(status int) bool {
		text := ir.Text(status)
		return accepted[text] || accepted[text[:1]+"xx"]
	}, nil
}

func checkAcceptStatus(params map[string]any) []ir.Problem {
	list, ok := params["accept_status"].([]any)
	if !ok {
		return nil
	}
	for i, item := range list {
		if strings.ContainsRune(ir.Text(item), '$') {
			continue
		}
		if _, err := readAcceptStatus([]any{item}); err != nil {
			return []ir.Problem{{Path: "accept_status[" + ir.Text(i) + "]", Message: err.Error()}}
		}
	}
	return nil
}
