package cond

import (
	"slices"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions that group and order the items of a list by a key. A key is the name of a member that every item has, or
// a list with one key for each item, which can be computed: map(rows, …) in expr, rows.map(r, …) in CEL.
var groupFunctions = []function{
	{
		Function: Function{"group_by", "group_by(list array, by any) array",
			`The items with equal keys together: a list of {key, items}, in the order in which the keys come first. by is the name of a member, or a list with the key of each item.`,
			`group_by([{"n": 1, "s": "open"}, {"n": 2, "s": "done"}, {"n": 3, "s": "open"}], "s")`,
			`[{"items":[{"n":1,"s":"open"},{"n":3,"s":"open"}],"key":"open"},{"items":[{"n":2,"s":"done"}],"key":"done"}]`},
		params: []value.Type{value.Array, value.Any}, result: value.Array,
		call: func(s *Scope, args []any) (any, error) {
			return grouped(s, "group_by", args, "items", func(items []any) (any, error) { return items, nil })
		},
	},
	{
		Function: Function{"count_by", "count_by(list array, by any) array",
			`How many items there are of each key: a list of {key, count}, as group_by has it.`,
			`count_by(["b", "a", "b"], ["b", "a", "b"])`, `[{"count":2,"key":"b"},{"count":1,"key":"a"}]`},
		params: []value.Type{value.Array, value.Any}, result: value.Array,
		call: func(s *Scope, args []any) (any, error) {
			return grouped(s, "count_by", args, "count", func(items []any) (any, error) { return len(items), nil })
		},
	},
	{
		Function: Function{"sum_by", "sum_by(list array, by any, of string) array",
			`The sum of a member over the items of each key: a list of {key, sum}, as group_by has it.`,
			`sum_by([{"who": "Ada", "h": 2}, {"who": "Bob", "h": 1}, {"who": "Ada", "h": 0.5}], "who", "h")`, `[{"key":"Ada","sum":2.5},{"key":"Bob","sum":1}]`},
		params: []value.Type{value.Array, value.Any, value.String}, result: value.Array,
		call: func(s *Scope, args []any) (any, error) {
			of := args[2].(string)
			return grouped(s, "sum_by", args, "sum", func(items []any) (any, error) {
				var total any = 0
				for _, item := range items {
					n, err := member(item, of)
					if err != nil {
						return nil, err
					}
					if _, ok := asFloat(n); !ok {
						return nil, fault.New(fault.Type, "sum_by adds up numbers; %s of an item is %s", value.JSON(of), describe(n))
					}
					if total, err = arithmetic("+", total, n); err != nil {
						return nil, err
					}
				}
				return total, nil
			})
		},
	},
	{
		Function: Function{"sort_by", "sort_by(list array, by any[, order string]) array",
			`The items in the order of their keys, all numbers or all texts; items with equal keys stay as they were. order is "asc" or "desc".`,
			`sort_by([{"n": 2, "id": "a"}, {"n": 1, "id": "b"}, {"n": 2, "id": "c"}], "n", "desc")`, `[{"id":"a","n":2},{"id":"c","n":2},{"id":"b","n":1}]`},
		params: []value.Type{value.Array, value.Any, value.String}, optional: 1, result: value.Array,
		literals: map[int]func(string) string{2: badOrder}, call: sortBy,
	},
}

// keysOf are the keys of a list's items.
func keysOf(s *Scope, name string, list []any, by any) ([]any, error) {
	if err := s.spend(4 * len(list)); err != nil {
		return nil, err
	}
	switch by := by.(type) {
	case []any:
		if len(by) != len(list) {
			return nil, fault.New(fault.Type, "%s got %d items and %d keys; give one for each item", name, len(list), len(by))
		}
		return by, nil
	case string:
		out := make([]any, len(list))
		for i, item := range list {
			key, err := member(item, by)
			if err != nil {
				known := fault.Of(err)
				return nil, fault.New(known.Kind, "%s, item %d: %s", name, i, known.Message)
			}
			out[i] = key
		}
		return out, s.pay(by, reads)
	}
	return nil, fault.New(fault.Type, "%s takes the name of a member, or a list with the key of each item, got %s", name, describe(by))
}

func grouped(s *Scope, name string, args []any, as string, give func(items []any) (any, error)) (any, error) {
	list := args[0].([]any)
	keys, err := keysOf(s, name, list, args[1])
	if err != nil {
		return nil, err
	}
	if err := s.spend(10 * len(list)); err != nil {
		return nil, err
	}
	type group struct {
		key   any
		items []any
	}
	var groups []*group
	at := map[string]*group{}
	for i, key := range keys {
		if f, ok := key.(float64); ok { // 2.0 and 2 are equal, and one group
			if n, ok := value.Integral(f); ok {
				key = n
			}
		}
		text, err := toJSON(s, key)
		if err != nil {
			return nil, err
		}
		g := at[text.(string)]
		if g == nil {
			g = &group{key: key}
			at[text.(string)] = g
			groups = append(groups, g)
		}
		g.items = append(g.items, list[i])
	}
	out := make([]any, len(groups))
	for i, g := range groups {
		v, err := give(g.items)
		if err != nil {
			return nil, err
		}
		out[i] = map[string]any{"key": g.key, as: v}
	}
	return out, nil
}

func badOrder(order string) string {
	if order != "asc" && order != "desc" {
		return `the order is "asc" or "desc", got ` + describe(order)
	}
	return ""
}

func sortBy(s *Scope, args []any) (any, error) {
	list, order := args[0].([]any), textOr(args, 2, "asc")
	if bad := badOrder(order); bad != "" {
		return nil, fault.New(fault.Type, "%s", bad)
	}
	keys, err := keysOf(s, "sort_by", list, args[1])
	if err != nil {
		return nil, err
	}
	if err := s.sorting(len(list)); err != nil {
		return nil, err
	}
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	var failed error
	slices.SortStableFunc(places, func(i, j int) int {
		if failed != nil {
			return 0
		}
		c, err := s.order("<", keys[i], keys[j])
		if s.left < 0 {
			failed = err
		} else if err != nil {
			failed = fault.New(fault.Type, "sort_by cannot order the keys %s and %s", describe(keys[i]), describe(keys[j]))
		}
		if order == "desc" {
			return -c
		}
		return c
	})
	out := make([]any, len(list))
	for i, place := range places {
		out[i] = list[place]
	}
	return out, failed
}
