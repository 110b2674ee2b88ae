package main

import (
	"strings"
	"testing"
	"time"
)

func weeklyReport(_ *testing.T, b *bench) {
	b.keep("hours/ada.csv", "date,project,hours\n2026-03-01,Site,9\n2026-03-02,Site,1.25\n2026-03-04,\"Search, fast\",0.5\n")
	b.keep("hours/bob.csv", "project,hours,date\nSite,2,2026-03-08\n\"Search, fast\",7,2026-03-03\nSite,4,2026-03-09\n")
	b.keep("hours/notes.txt", "no table")
	before := b.tree()
	out := b.does("day=2026-03-05")
	b.same("week", out["week"], "2026-W10")
	b.same("hours", out["hours"], []any{
		map[string]any{"project": "Search, fast", "hours": 7.5}, map[string]any{"project": "Site", "hours": 3.25}})
	before["week.csv"] = "project,hours\n\"Search, fast\",7.5\nSite,3.25\n"
	b.is(before)

	b.keep("bad/new.csv", "date,project,hours\n05.03.2026,New,1\n")
	b.refuses("folder=bad", 1, "05.03.2026") // is an error and not left out

	lastWeek := time.Now().AddDate(0, 0, -7).Format(time.DateOnly)
	b.keep("recent/new.csv", "date,project,hours\n"+lastWeek+",New,1\n")
	rows := b.outputs(b.must("pflow run " + b.file + " folder=recent --json 2>&1"))["hours"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["project"] != "New" {
		b.t.Errorf("last week: %v", rows)
	}
}

func invoices(_ *testing.T, b *bench) {
	rows := "customer,number,date,amount\n\"Smith & Sons\",12,2026-02-01,10.10\nÄrzte,13,2026-01-05,7\n\"Smith & Sons\",9,2026-01-20,20.20\n"
	b.keep("invoices.csv", rows)
	want := map[string]string{"invoices.csv": rows,
		"customers/smith-sons.csv": "number,date,amount\n9,2026-01-20,20.20\n12,2026-02-01,10.10\n",
		"customers/arzte.csv":      "number,date,amount\n13,2026-01-05,7\n",
		"totals.csv":               "customer,invoices,total\nSmith & Sons,2,30.3\nÄrzte,1,7\n"}
	b.keep("customers/others.txt", "no invoices\n")
	want["customers/others.txt"] = "no invoices\n"
	for range 2 { // the second time everything is there already
		out := b.does("")
		b.same("totals", out["totals"], []any{map[string]any{"customer": "Smith & Sons", "invoices": 2, "total": 30.3}, map[string]any{"customer": "Ärzte", "invoices": 1, "total": 7}})
		b.same("packed", out["packed"], []any{"customers/arzte.csv", "customers/smith-sons.csv", "totals.csv"})
		b.same("unpacked", b.must("pflow node run unarchive source_path=customers.zip dest_path=out >/dev/null && cat out/totals.csv && rm -r out"), want["totals.csv"])
		got := b.tree()
		delete(got, "customers.zip")
		b.same("files", got, want)
	}
	b.keep("twins.json", `[{"customer": "A b", "number": 1, "date": "", "amount": 1}, {"customer": "a B", "number": 2, "date": "", "amount": 1}]`)
	b.refuses("file=twins.json", 1, `not one customer alone would have the file "a-b.csv"`)
}

func bankStatement(_ *testing.T, b *bench) {
	bank := "Date;Text;Amount\n31.01.2026;Salary   January;2000,00\n03.01.2026;\"SUPERMARKET; 12\";-12,50\n03.01.2026;\"SUPERMARKET; 12\";-12,50\n04.01.2026;Landlord Inc.;-1.800,00\n05.01.2026;Cinema;-9,90\n06.01.2026;Bakery;-3,10\n"
	b.keep("bank.csv", bank)
	out := b.does("file=bank.csv")
	b.same("lines", out["lines"], 5)
	b.is(map[string]string{"bank.csv": bank,
		"clean.csv": "day,what,amount,category\n2026-01-03,SUPERMARKET; 12,-12.5,groceries\n2026-01-04,Landlord Inc.,-1800,rent\n2026-01-05,Cinema,-9.9,other\n2026-01-06,Bakery,-3.1,groceries\n2026-01-31,Salary January,2000,income\n",
		"sums.csv":  "category,lines,sum\nrent,1,-1800\ngroceries,2,-15.6\nother,1,-9.9\nincome,1,2000\n"})
	b.keep("bad.csv", "Date;Text;Amount\n2026-01-31;x;1,00\n")
	b.refuses("file=bad.csv", 1, "2026-01-31")
	b.keep("bad.csv", "Date;Text;Amount\n31.01.2026;x;12.50\n")
	b.refuses("file=bad.csv", 1, "12.50 is no amount such as -1.234,50")
}

func csvTotal(t *testing.T, b *bench) {
	b.keep("sales.csv", "item,amount\na,0.1\nb,0.2\n")
	b.same("total", b.does("file=sales.csv column=amount")["total"], 0.3)
	out, err := b.run("pflow run " + b.file + " file=sales.csv column=price")
	if exitStatus(err) != 1 || !strings.Contains(string(out), `price`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func totals(_ *testing.T, b *bench) {
	b.keep("sales/may.csv", "item,amount\na,1.10\nb,2.20\n")
	b.keep("sales/june.csv", "amount\n3.30\n")
	b.same("total", b.does("")["total"], 6.6)
}

func htmlReport(_ *testing.T, b *bench) {
	b.keep("stock.csv", "item,supplier,count\nZinc,Smith & Sons,12\n\"<script>alert(\"\"1\"\")</script>\",nobody,3\n")
	b.keep("suppliers.csv", "supplier,phone\nSmith & Sons,007\n")
	b.same("items", b.does("")["items"], 2)
	b.same("report", b.tree()["stock.html"], `<!doctype html>
<meta charset="utf-8">
<title>Stock</title>
<table>
<tr><th>Item<th>Count<th>Supplier<th>Phone
<tr class="low"><td>&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;<td>3<td>nobody<td>unknown
<tr><td>Zinc<td>12<td>Smith &amp; Sons<td>007
</table>
`)
}
