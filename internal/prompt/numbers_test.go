package prompt

import (
	"fmt"
	"testing"

	"pflow/internal/fault"
)

// TestNumbers fills templates in whose numbers are whole or not, in either way of writing them.
func TestNumbers(t *testing.T) {
	vars := map[string]any{
		"i": 1500, "f": 2.5, "w": 2.0, "two": 2, "big": 1<<53 + 1, "s": "a%!b", "list": []any{"x", "y", "z"}, "null": nil,
		"o": map[string]any{"k": 1.0}, "yes": true, "odd": float64(1 << 53),
	}
	for _, c := range []struct{ text, want string }{
		{`{{printf "%.2f" .i}}`, "1500.00"},
		{`{{printf "%.2f|%8.1f|%-6.1f|%+.0f" .f .i .w .two}}`, "2.50|  1500.0|2.0   |+2"},
		{`{{printf "%g %e %G" .i .i .f}}`, "1500 1.500000e+03 2.5"},
		{`{{printf "%d %05d %x %X %o %b %c" .w .two .i .i .w .w 65.0}}`, "2 00002 5dc 5DC 2 10 A"},
		{`{{printf "%v %v %v %v %v" .w .f .list .null .o}}`, `2 2.5 ["x","y","z"]  {"k":1}`},
		{`{{printf "%s|%s|%5s|%q" .i .f .w .two}}`, `1500|2.5|    2|"2"`},
		{`{{printf "%.1f" .big}}`, "9007199254740993.0"},
		{`{{printf "%*d|%.*f|%-*d|" 5.0 .i 1 .f 4 .two}}`, " 1500|2.5|2   |"},
		{`{{printf "%[2]d %[1]s" "a" .w}}`, "2 a"},
		{`{{printf "%s 100%%" .s}}`, "a%!b 100%"},
		{`{{printf "%t %x" .yes "az"}}`, "true 617a"},
		{`{{.i | printf "%.1f"}}`, "1500.0"},
		{`{{printf "%d" .f}}`, `type 1:3: printf: %d takes a whole number, got number 2.5`},
		{`{{printf "%d" .s}}`, `type 1:3: printf: %d takes a whole number, got string "a%!b"`},
		{"one\n two {{printf \"%.2f\" .list}}", `type 2:8: printf: %.2f takes a number, got array ["x","y","z"]`},
		{`{{printf "%d"}}`, `type 1:3: printf: %d has no value: there are 0`},
		{`{{printf "%d" 1 2}}`, `type 1:3: printf: the format "%d" leaves 1 of its 2 values over`},
		{`{{printf "%z" 1}}`, `type 1:3: printf: %z: there is no verb z; for numbers there are d, f, e, g and x, for text s and q, for any value v`},
		{`{{printf "5%" 1}}`, `type 1:3: printf: % at the end of the format has no verb; write %% for a percent sign`},
		{`{{printf "%[3]d" 1}}`, `type 1:3: printf: %[3]d has no value: there are 1`},
		{`{{printf "%*d" "a" 1}}`, `type 1:3: printf: %*d: a width or precision is an integer, got string "a"`},
		{`{{printf "%t" 1}}`, `type 1:3: printf: %t takes true or false, got integer 1`},
		{`{{eq .two 2.0}} {{eq .w 2}} {{eq .f 2.5}} {{eq .two 1 2.0}} {{eq .big .odd}}`, "true true true true false"},
		{`{{ne .two 2.0}} {{ne .w 3}}`, "false true"},
		{`{{lt .two 2.5}} {{le .w 2}} {{gt .i 2.0}} {{ge .two 2.0}} {{gt .f 2}} {{lt "a" "b"}} {{gt .big .odd}}`, "true true true true true true true"},
		{`{{eq .null nil}} {{eq .s nil}} {{ne .s "x"}} {{eq .list .list}}`, "true false true true"},
		{`{{eq .s 1}}`, `type 1:3: eq cannot compare string "a%!b" with integer 1`},
		{`{{lt .s 1}}`, `type 1:3: lt compares two numbers or two texts, got string "a%!b" and integer 1`},
		{`{{index .list .w}} {{index .list 1}} {{index .o "k"}} {{index .list (len .s | printf "%d" | len)}}`, "z y 1 y"},
		{`{{index .list 2.5}}`, `type 1:3: index: an item of a list is named by a whole number, not by number 2.5`},
		{`{{index .list 3}}`, `missing_key 1:3: index: 3 is out of range; the list has 3 items`},
		{`{{slice .list 1.0}} {{slice .s 0 .w}}`, `["y","z"] a%`},
		{`{{print .w .f "a" .o}} {{println .i .w}}`, "2 2.5a{\"k\":1} 1500 2\n"},
		{`{{if gt .w 1.5}}more{{end}}{{range .list}}{{if eq . "y"}}!{{end}}{{end}}`, "more!"},
		{`{{/* a */}}{{.s}} %!d(none)`, "a%!b %!d(none)"},
	} {
		p, err := New("t", c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, err := p.Render(t.Context(), vars)
		if err != nil {
			e := fault.Of(err)
			cause := err.Error()
			for i := len(cause) - 1; i > 0; i-- {
				if after := "error calling "; len(cause) > i+len(after) && cause[i:i+len(after)] == after {
					cause = cause[i+len(after):]
					break
				}
			}
			for i := range cause {
				if cause[i] == ' ' {
					cause = cause[i+1:]
					break
				}
			}
			got = fmt.Sprintf("%s %d:%d: %s", e.Kind, e.Place.Line, e.Place.Col, cause)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
