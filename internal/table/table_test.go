package table

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/value"
)

func text(s string) Source {
	return Source{Name: `"t"`, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

// read gives all rows of a text as lines of name=value, then the warnings.
func read(s string, o Options) (string, error) {
	r, err := Open(text(s), o)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var out strings.Builder
	for {
		rec, err := r.Read()
		if err == io.EOF {
			for _, w := range r.Warnings() {
				out.WriteString("! " + w + "\n")
			}
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
		for i, name := range rec.Names {
			fmt.Fprintf(&out, "%s=%s|", name, Text(rec.Cells[i]))
		}
		out.WriteString("\n")
	}
}

func utf16of(s string, little bool) string {
	var b []byte
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(s))...) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

// TestRead reads tables of every kind.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"plain":                    {"a,b\n1,2\n", Options{}, "a=1|b=2|\n"},
		"no last line break":       {"a,b\r\n1,2", Options{}, "a=1|b=2|\n"},
		"quotes and lines in them": {"a,b\n\"x, \"\"y\"\"\nz\",2\n", Options{}, "a=x, \"y\"\nz|b=2|\n"},
		"UTF-8 mark":               {"\xEF\xBB\xBFa,b\n1,2\n", Options{}, "a=1|b=2|\n"},
		"mark before a quote":      {"\xEF\xBB\xBF\"a\",b\n1,2\n", Options{}, "a=1|b=2|\n"},
		"UTF-16 LE":                {utf16of("a\tb\n1\té😀\n", true), Options{}, "a=1|b=é😀|\n"},
		"UTF-16 BE":                {utf16of("a,b\n1,ü\n", false), Options{}, "a=1|b=ü|\n"},
		"Latin-1":                  {"a,b\n1,\xE9\xFF\n", Options{Latin1: true}, "a=1|b=éÿ|\n"},
		"semicolons with commas":   {"name;price\nAda;12,5\nBob;9,1\n", Options{}, "name=Ada|price=12,5|\nname=Bob|price=9,1|\n"},
		"commas in quotes only":    {"a|b\n\"1,2,3\"|\"4,5,6\"\n", Options{}, "a=1,2,3|b=4,5,6|\n"},
		"one column":               {"name\nAda\nBob\n", Options{}, "name=Ada|\nname=Bob|\n"},
		"sep line":                 {"sep=;\na;b,c\n1;2\n", Options{}, "a=1|b,c=2|\n"},
		"given delimiter":          {"a,b;c\n1,2;3\n", Options{Delimiter: ";"}, "a,b=1,2|c=3|\n"},
		"TSV":                      {"a\tb\n1,0\t2\n", Options{Format: TSV}, "a=1,0|b=2|\n"},
		"no header":                {"1,2\n3,4\n", Options{NoHeader: true}, "column_1=1|column_2=2|\ncolumn_1=3|column_2=4|\n"},
		"names twice or missing": {"x,,x\n1,2,3\n", Options{}, "x=1|column_2=2|x_2=3|\n" +
			"! \"t\": column 2 has no name in the header; it is called column_2\n! \"t\": the header names \"x\" twice; the one of column 3 is called x_2\n"},
		"padded": {"a,b\n1\n1,2,\n", Options{Ragged: RaggedPad}, "a=1|b=|\na=1|b=2|\n" +
			"! \"t\": line 2 has 1 field, and the header names 2; it is filled with empty fields\n! \"t\": line 3 has 3 fields, and the header names 2; what it has more is empty, and left out\n"},
		"skipped":             {"a,b\n1\n3,4\n", Options{Ragged: RaggedSkip}, "a=3|b=4|\n! \"t\": line 2 has 1 field, and the header names 2; the row is left out\n"},
		"empty":               {"", Options{}, ""},
		"header alone":        {"a,b\n", Options{}, ""},
		"JSON lines":          {"{\"b\":1.10,\"a\":\"x\"}\n\n{\"c\":[1, 2.50],\"b\":null}", Options{Format: Lines}, "b=1.10|a=x|\nc=[1,2.50]|b=|\n"},
		"JSON array":          {" [ {\"n\": 12345678901234567890123}, {\"n\": true} ] ", Options{Format: Array}, "n=12345678901234567890123|\nn=true|\n"},
		"JSON array, nothing": {"[]", Options{Format: Array}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(c.text, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestReadRefuses names the line of what is no table.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"short row":        {"a,b\n1,2\n\"x\ny\",2\n3\n", Options{}, "\"t\": line 5 has 1 field, and the header names 2; mend the line, or set ragged to pad (fill short rows) or skip (leave such rows out)"},
		"padding loses":    {"a\n1,2\n", Options{Ragged: RaggedPad}, `"t": line 2 has 2 fields, and the header names 1: padding would lose "2"; set ragged to skip to leave such rows out`},
		"quote in a field": {"a,b\n1,x\"y\n", Options{}, `"t": line 2, column 4: bare " in non-quoted-field; a field that holds a quote stands in quotes, and the quote in it is written twice`},
		"open quote":       {"a,b\n1,2\n\"x,y\nz,1\n", Options{}, `"t": line 4, column 5: extraneous or missing " in quoted-field; the quote that opens on line 3 is not closed before`},
		"not UTF-8":        {"a,b\n1,\xE9\n", Options{}, "\"t\": line 2, field 2 is no UTF-8 text; set encoding to latin-1 if that is what wrote it, or save the table as UTF-8"},
		"old Mac":          {"a,b\r1,2\r", Options{}, "\"t\": its lines end in carriage returns alone, as on old Macs; save it with other line ends"},
		"half of UTF-16":   {"\xFF\xFEa\x00,", Options{}, "\"t\": it begins as UTF-16 and ends in the middle of a letter; save it as UTF-8"},
		"delimiter":        {"a", Options{Delimiter: ",,"}, `"t": a delimiter is one character such as ";" or a tab, got ",,"`},
		"long row":         {"a,b\n1,\"" + strings.Repeat("x", maxRecord+2*sample), Options{}, "\"t\": after line 1: a row is longer than 16 MB: is a quote not closed, or is this no table?"},
		"lines: broken":    {"{\"a\":1}\n{\"a\":}\n", Options{Format: Lines}, "\"t\": line 2, column 6: invalid character '}' looking for beginning of value"},
		"lines: two":       {"{} {}\n", Options{Format: Lines}, "\"t\": line 1, column 5: text follows the object; JSON lines have one object on each line"},
		"lines: list":      {"[1]\n", Options{Format: Lines}, "\"t\": line 1, column 2: a row is an object with a value for each column, such as {\"name\": \"Ada\"}"},
		"lines: twice":     {"{\"a\":1,\"a\":2}\n", Options{Format: Lines}, "\"t\": line 1, column 11: the key \"a\" stands there twice"},
		"array: object":    {"{\"rows\":[]}", Options{Format: Array}, "\"t\": it holds no array; a table in JSON is an array of objects: read it with read-file and pick the array with transform, or set format to jsonl if there is an object on each line"},
		"array: broken":    {"[{\"a\":1},\n{\"a\" 2}]", Options{Format: Array}, "\"t\": item 2, line 2: expected colon after object key"},
		"array: cut":       {"[{\"a\":1},\n{\"a\":", Options{Format: Array}, "\"t\": item 2, line 2: the text ends too early"},
		"array: more":      {"[] []", Options{Format: Array}, "\"t\": line 1: text follows the array"},
		"array: empty":     {"", Options{Format: Array}, "\"t\": it is empty; a table in JSON is an array of objects, [] if there are none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text, c.o)
			if err == nil {
				t.Fatalf("no error, want %s", c.want)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// shaped runs a shape over a text and writes what it gives.
func shaped(t *testing.T, in string, o Options, s *Shape, w WriteOptions) (string, error) {
	t.Helper()
	r, err := Open(text(in), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if w.Columns == nil {
		all, err := Columns(text(in), o)
		if err != nil {
			t.Fatal(err)
		}
		if w.Columns, err = s.Final(all); err != nil {
			return "", err
		}
		if s.Columns != nil {
			w.Columns = s.Columns
		}
	}
	out, err := NewWriter(&b, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background(), r, out.Write); err != nil {
		return "", err
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), nil
}

func TestShape(t *testing.T) {
	const sales = "name,country,price,code\nCid,Spain,9.50,007\nAda,France,100,08\nBob,Spain,,1\nAda,Norway,12.25,n/a\n"
	over := func(row map[string]any) (bool, error) {
		c, ok := value.Compare(row["price"], 10)
		return ok && c > 0, nil
	}
	numbers := Types{Of: map[string]value.Type{"price": value.Number}}
	for name, c := range map[string]struct {
		s    Shape
		w    WriteOptions
		want string
	}{
		"numbers keep their text": {Shape{Types: numbers, Where: over}, WriteOptions{Format: CSV}, "name,country,price,code\nAda,France,100,08\nAda,Norway,12.25,n/a\n"},
		"sorted as numbers":       {Shape{Sort: []Key{ParseKey("price desc")}, Columns: []string{"price"}}, WriteOptions{Format: CSV}, "price\n100\n12.25\n9.50\n\"\"\n"},
		"texts after numbers":     {Shape{Sort: []Key{ParseKey("code")}, Columns: []string{"code"}}, WriteOptions{Format: CSV}, "code\n1\n007\n08\nn/a\n"},
		"first of two":            {Shape{Sort: []Key{ParseKey("name asc"), ParseKey("price")}, Limit: 2, Columns: []string{"name", "price"}}, WriteOptions{Format: CSV, Delimiter: ";"}, "name;price\nAda;12.25\nAda;100\n"},
		"the last":                {Shape{Places: Places{Last: 2}, Columns: []string{"name", "price"}}, WriteOptions{Format: CSV}, "name,price\nBob,\nAda,12.25\n"},
		"more than there are":     {Shape{Places: Places{Last: 9}, Columns: []string{"name"}}, WriteOptions{Format: CSV}, "name\nCid\nAda\nBob\nAda\n"},
		"the last of the sorted":  {Shape{Sort: []Key{ParseKey("price")}, Places: Places{Last: 2}, Columns: []string{"price"}}, WriteOptions{Format: CSV}, "price\n100\n\"\"\n"},
		"columns by their places": {Shape{Sort: []Key{ParseKey("#1")}, Columns: []string{"#-1", "#2"}, Limit: 1}, WriteOptions{Format: Lines}, "{\"code\":\"08\",\"country\":\"France\"}\n"},
		"each once in all":        {Shape{Unique: []string{"*"}, Columns: []string{"name"}}, WriteOptions{Format: CSV}, "name\nCid\nAda\nBob\nAda\n"},
		"by every column":         {Shape{Sort: []Key{ParseKey("* desc")}, Columns: []string{"name", "price"}}, WriteOptions{Format: CSV}, "name,price\nCid,9.50\nBob,\nAda,12.25\nAda,100\n"},
		"by their places":         {Shape{Places: Places{First: 2, Until: 3}, Columns: []string{"name"}}, WriteOptions{Format: CSV}, "name\nAda\nBob\n"},
		"sorted, from a place on": {Shape{Sort: []Key{ParseKey("price")}, Places: Places{First: 2}, Limit: 1, Columns: []string{"price"}}, WriteOptions{Format: CSV}, "price\n12.25\n"},
		"sorted, one place":       {Shape{Sort: []Key{ParseKey("price desc")}, Places: Places{First: 3, Until: 3}, Columns: []string{"price"}}, WriteOptions{Format: CSV}, "price\n9.50\n"},
		"past the end":            {Shape{Places: Places{First: 9, Until: 9}, Columns: []string{"name"}}, WriteOptions{Format: CSV}, "name\n"},
		"each once":               {Shape{Unique: []string{"name"}, Without: []string{"price", "code"}}, WriteOptions{Format: TSV}, "name\tcountry\nCid\tSpain\nAda\tFrance\nBob\tSpain\n"},
		"renamed":                 {Shape{Rename: map[string]string{"name": "who"}, Columns: []string{"code", "who"}, Limit: 1}, WriteOptions{Format: CSV}, "code,who\n007,Cid\n"},
		"to JSON, as it was":      {Shape{Limit: 1}, WriteOptions{Format: Array}, "[\n  {\"name\":\"Cid\",\"country\":\"Spain\",\"price\":\"9.50\",\"code\":\"007\"}\n]\n"},
		"to JSON, typed":          {Shape{Types: numbers, Typed: true, Columns: []string{"name", "price"}}, WriteOptions{Format: Lines}, "{\"name\":\"Cid\",\"price\":9.5}\n{\"name\":\"Ada\",\"price\":100}\n{\"name\":\"Bob\",\"price\":null}\n{\"name\":\"Ada\",\"price\":12.25}\n"},
		"added": {Shape{Types: numbers, Limit: 1, Columns: []string{"price", "twice"}, Add: []Added{{"twice", func(row map[string]any) (any, error) { return row["price"].(float64) * 2, nil }},
			{"price", func(row map[string]any) (any, error) { return row["price"], nil }}}}, WriteOptions{Format: CSV}, "price,twice\n9.5,19\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := shaped(t, sales, Options{}, &c.s, c.w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for want, s := range map[string]*Shape{
		`columns: there is no column "nam"; did you mean "name"? There are: name, country, price, code`:             {Columns: []string{"nam"}},
		`unique_by: there is no column "mail". There are: name, country, price, code`:                               {Unique: []string{"mail"}},
		`types: there is no column "prize"; did you mean "price"? There are: name, country, price, code`:            {Types: Types{Of: map[string]value.Type{"prize": value.Number}}},
		`rename: two columns would have the name "country"; give one of them another, or leave it out with without`: {Rename: map[string]string{"name": "country"}},
		`line 5, column "code": "n/a" is no number`:                                                                 {Types: Types{Of: map[string]value.Type{"code": value.Number}}, Typed: true},
	} {
		w := WriteOptions{Format: CSV, Columns: []string{}}
		if _, err := shaped(t, sales, Options{}, s, w); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestJSONToCSV gives every column that any row has, and keeps the text of numbers and of what is nested.
func TestJSONToCSV(t *testing.T) {
	const in = `[{"id":1,"price":1.10},{"id":12345678901234567890123,"tags":["a", 1.0]},{"id":null,"price":"x,y"}]`
	got, err := shaped(t, in, Options{Format: Array}, &Shape{}, WriteOptions{Format: CSV})
	want := "id,price,tags\n1,1.10,\n12345678901234567890123,,\"[\"\"a\"\",1.0]\"\n,\"x,y\",\n"
	if err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// TestWrittenIsRead: what is written is read as it was, a lone empty field too.
func TestWrittenIsRead(t *testing.T) {
	for _, in := range []string{"a\n\"\"\nx\n\"\"\n", "a,b\n\"x\ny\",\"\"\"\"\n", "a,b\n,\n"} {
		got, err := shaped(t, in, Options{}, &Shape{}, WriteOptions{Format: CSV})
		if err != nil || got != in {
			t.Errorf("%v: %q became %q", err, in, got)
		}
	}
}

func TestTypes(t *testing.T) {
	comma := Types{Decimal: ","}
	for _, c := range []struct {
		types Types
		cell  any
		want  any // a string: the error
	}{
		{Types{}, "12", 12}, {Types{}, " -1.50 ", -1.5}, {Types{}, "007", 7}, {Types{}, "1e3", 1000}, {Types{}, "+.5", 0.5},
		{Types{}, "9223372036854775807", 9223372036854775807},
		{Types{}, "9223372036854775808", "the integer 9223372036854775808 does not fit in 64 bits; leave the column a text"},
		{Types{}, "12,5", `"12,5" is no number; if the comma begins the fraction, set decimal to ","`},
		{Types{}, "1 000", `"1 000" is no number`}, {Types{}, "0x10", `"0x10" is no number`}, {Types{}, "NaN", `"NaN" is no number`}, {Types{}, "1e999", "1e999 is out of range"},
		{comma, "12,5", 12.5}, {comma, "1.000", `"1.000" is no number whose fraction follows a comma`},
		{Types{}, true, "want a number, got true"},
	} {
		got, err := c.types.Number(c.cell)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: got %v (%[2]T), want %v", c.cell, got, c.want)
		}
	}
	var found Types
	if err := found.Infer(text("n,code,flag,mixed,none,big\n1,007,true,1,,1e5\n-2.5,8,false,x,,2\n,9,true,2,,3\n"), Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]value.Type{"n": value.Number, "flag": value.Boolean}, found.Of); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func summarise(t *testing.T, in string, groupBy []string, measures map[string]string) ([]any, error) {
	t.Helper()
	s := &Summary{GroupBy: groupBy}
	for _, name := range value.SortedKeys(measures) {
		m, err := ParseMeasure(name, measures[name])
		if err != nil {
			return nil, err
		}
		s.Measures = append(s.Measures, m)
	}
	r, err := Open(text(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background(), r, &Shape{}); err != nil {
		return nil, err
	}
	return s.Rows()
}

func TestSummary(t *testing.T) {
	const sales = "country,price,when\nSpain,0.1,2026-01-03\nFrance,9,2026-01-02\nSpain,0.2,2025-12-31\nSpain,,2026-02-01\n"
	for name, c := range map[string]struct {
		by   []string
		of   map[string]string
		want string
	}{
		"all rows": {nil, map[string]string{"n": "count", "priced": "count price", "sum": "sum price", "mean": "mean price", "mid": "median price", "least": "min price", "most": "max price", "first": "min when", "places": "distinct country"},
			`[{"first":"2025-12-31","least":0.1,"mean":3.1,"mid":0.2,"most":9,"n":4,"places":2,"priced":3,"sum":9.3}]`},
		"grouped":  {[]string{"country"}, map[string]string{"sum": "sum price", "mid": "median price"}, `[{"country":"Spain","mid":0.15,"sum":0.3},{"country":"France","mid":9,"sum":9}]`},
		"distinct": {[]string{"country"}, nil, `[{"country":"Spain"},{"country":"France"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := summarise(t, sales, c.by, c.of)
			if err != nil {
				t.Fatal(err)
			}
			if value.JSON(got) != c.want {
				t.Errorf("got  %s\nwant %s", value.JSON(got), c.want)
			}
		})
	}
	if got, err := summarise(t, "country,price\n", nil, map[string]string{"sum": "sum price", "mean": "mean price", "n": "count"}); err != nil || value.JSON(got) != `[{"mean":null,"n":0,"sum":0}]` {
		t.Errorf("of nothing: %v %v", got, err)
	}
	for want, c := range map[string]map[string]string{
		`line 2, column "when": "2026-01-03" is no number; leave such rows out with where`:                                                        {"x": "sum when"},
		`measures.x: there is no column "prize"; did you mean "price"? There are: country, price, when`:                                           {"x": "sum prize"},
		`there is no measure "average". They are: sum, mean, median, min, max, count, distinct, each with a column after it, such as "sum price"`: {"x": "average price"},
		`"sum" names no column; write "sum COLUMN"`:                                                                                               {"x": "sum"},
	} {
		if _, err := summarise(t, sales, nil, c); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := summarise(t, "a\n1\nx\n", nil, map[string]string{"m": "max a"}); fault.Of(err).Kind != fault.Type {
		t.Errorf("max of numbers and texts: %v", err)
	}
}

// TestSummaryColumn: a summary is sorted by what is computed as well as by the name of that.
func TestSummaryColumn(t *testing.T) {
	s := &Summary{GroupBy: []string{"country"}, Measures: []Measure{{"total", Sum, "price"}, {"n", Count, ""}}}
	for name, want := range map[string]string{"total": "total", "Countries": "country", "prices": "total", "sum": "total", "number": "n"} {
		if got, err := s.Column(name); err != nil || got != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	s.Measures[0].Name = "price of all"
	if got, err := s.Column("total"); err != nil || got != "price of all" {
		t.Errorf("total: %q %v", got, err)
	}
	s.Measures = append(s.Measures, Measure{"most", Max, "price"})
	if got, err := s.Column("price"); err == nil {
		t.Errorf("price is %q; two measures are of it", got)
	}
}

// TestTotal: sums of decimals are exact, whatever their size.
func TestTotal(t *testing.T) {
	for _, c := range []struct {
		of   []any
		want string
	}{
		{[]any{0.1, 0.2}, "0.3"}, {[]any{1e15, 0.01, -1e15}, "0.01"}, {[]any{9223372036854775807, 1, -1}, "9223372036854775807"},
		{[]any{-9223372036854775808, -1, 1}, "-9223372036854775808"}, {[]any{1e300, 1.5, -1e300}, "1.5"}, {[]any{1e-12, 1}, "1.000000000001"}, {nil, "0"},
	} {
		var total Total
		for _, v := range c.of {
			total.Add(v)
		}
		got, err := total.Sum()
		if err != nil || value.JSON(got) != c.want {
			t.Errorf("%v: %v %v, want %s", c.of, got, err, c.want)
		}
	}
	var total Total
	for range 1_000_000 {
		total.Add(0.1)
	}
	if got, _ := total.Sum(); got != 100_000 {
		t.Errorf("a million times 0.1 is %v", got)
	}
}

func TestJoin(t *testing.T) {
	const sales = "id,customer,name\n1,7,pen\n2,9,ink\n3,7,pad\n4,,tip\n"
	const customers = "customer,name,city\n7,Ann,Oslo\n8,Bob,Rome\n7,Anna,Bern\n,Nobody,None\n"
	for all, want := range map[bool]string{
		false: "id=1|customer=7|name=pen|name_2=Ann|city=Oslo|\nid=1|customer=7|name=pen|name_2=Anna|city=Bern|\nid=3|customer=7|name=pad|name_2=Ann|city=Oslo|\nid=3|customer=7|name=pad|name_2=Anna|city=Bern|\n",
		true: "id=1|customer=7|name=pen|name_2=Ann|city=Oslo|\nid=1|customer=7|name=pen|name_2=Anna|city=Bern|\nid=2|customer=9|name=ink|name_2=|city=|\n" +
			"id=3|customer=7|name=pad|name_2=Ann|city=Oslo|\nid=3|customer=7|name=pad|name_2=Anna|city=Bern|\nid=4|customer=|name=tip|name_2=|city=|\n",
	} {
		a, _ := Open(text(sales), Options{})
		b, _ := Open(text(customers), Options{})
		var got strings.Builder
		err := Join{Left: "customer", Right: "customer", All: all}.Run(t.Context(), a, b, func(r *Record) error {
			for i, name := range r.Names {
				fmt.Fprintf(&got, "%s=%s|", name, Text(r.Cells[i]))
			}
			got.WriteString("\n")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// FuzzRead: no text is read without end, and none panics.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "sep=;\na;b", "\xFF\xFEa\x00", "[{\"a\":1}]", "{\"a\":[1]}\n", "\"", "a\r\nb\r\n"} {
		for format := range 4 {
			f.Add(s, format)
		}
	}
	f.Fuzz(func(t *testing.T, s string, format int) {
		o := Options{Format: []Format{CSV, TSV, Lines, Array}[max(format, -format)&3], Ragged: RaggedPad, NoHeader: format < 0}
		_, _ = read(s, o)
	})
}
