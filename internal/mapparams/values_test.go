package mapparams

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// TestValues: what a request says of one or more inputs, by class of value.
func TestValues(t *testing.T) {
	now := time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)
	in := func(name string, typ value.Type, description string) Input {
		return Input{Name: name, Type: typ, Required: true, Description: description}
	}
	text := func(name, description string) Input { return in(name, value.String, description) }
	whole := func(name, description string) Input { return in(name, value.Integer, description) }
	decimal := func(name, description string) Input { return in(name, value.Number, description) }
	list := func(name, description string) Input { return in(name, value.Array, description) }
	maybe := func(in Input) Input { in.Required = false; return in }
	for _, c := range []struct {
		class, request string
		inputs         []Input
		want           string
	}{
		// numbers with units
		{"a sign of a unit is no million", "heat the gas to 298K", []Input{whole("temp", "The temperature in Kelvin")}, `{"temp":298}`},
		{"millimetres are no millions", "smooth it at 6mm", []Input{whole("smooth", "Smoothing, in mm")}, `{"smooth":6}`},
		{"units tell numbers apart", "a person of 70kg who is 1.75m tall", []Input{whole("weight_kg", "The weight"), decimal("height_m", "The height")}, `{"height_m":1.75,"weight_kg":70}`},
		{"units named by the description", "it went 450 meters in 20 seconds", []Input{whole("distance", "How far, in meters"), whole("time", "How long, in seconds")}, `{"distance":450,"time":20}`},
		{"a number behind its unit's input", "a house with 3 bedrooms, 2 bathrooms", []Input{whole("bathrooms", "How many bathrooms"), whole("bedrooms", "How many bedrooms")}, `{"bathrooms":2,"bedrooms":3}`},
		{"a decimal for percent", "at a rate of 5%", []Input{decimal("rate", "The rate as a decimal: 5% is 0.05")}, `{"rate":0.05}`},
		// signs
		{"a sign behind =", "with a=1, b=-3, c=2", []Input{whole("a", "x squared"), whole("b", "x"), whole("c", "constant")}, `{"a":1,"b":-3,"c":2}`},
		{"a coordinate in the west", "at 37.5 N, 119.25 W", []Input{decimal("latitude", ""), decimal("longitude", "")}, `{"latitude":37.5,"longitude":-119.25}`},
		// lists
		{"brackets", "add [-5, 10, 2.5] up", []Input{list("numbers", "")}, `{"numbers":[-5,10,2.5]}`},
		{"lists of lists", "multiply [[1, 2], [3, 4]]", []Input{list("matrix", "")}, `{"matrix":[[1,2],[3,4]]}`},
		{"two of them", "compare vector A [3, 2, 1] and vector B [1, 2, 3]", []Input{list("vector1", ""), list("vector2", "")}, `{"vector1":[3,2,1],"vector2":[1,2,3]}`},
		{"names", "the weather for Rome, Paris and Oslo", []Input{list("cities", "Names of cities")}, `{"cities":["Rome","Paris","Oslo"]}`},
		{"a list of one", "the weather for Rome", []Input{list("cities", "Names of cities")}, `{"cities":["Rome"]}`},
		{"an object", `send {"a": 1}`, []Input{in("body", value.Object, "")}, `{"body":{"a":1}}`},
		// periods and days
		{"a year", "films of the year 2010", []Input{whole("year", "")}, `{"year":2010}`},
		{"years of a range", "cases from 2010 to 2015", []Input{whole("from_year", "The start year"), whole("to_year", "The end year")}, `{"from_year":2010,"to_year":2015}`},
		{"days counted back", "prices over the past 5 days", []Input{whole("days", "Number of days")}, `{"days":5}`},
		{"a week in days", "the forecast for the next week", []Input{whole("days", "Number of days")}, `{"days":7}`},
		{"a month fills both ends", "sales in May 2023", []Input{text("start_date", "YYYY-MM-DD"), text("end_date", "YYYY-MM-DD")}, `{"end_date":"2023-05-31","start_date":"2023-05-01"}`},
		{"a quarter", "sales of Q3 2023", []Input{text("start_date", ""), text("end_date", "")}, `{"end_date":"2023-09-30","start_date":"2023-07-01"}`},
		{"the last quarter", "sales of last quarter", []Input{text("start_date", ""), text("end_date", "")}, `{"end_date":"2023-12-31","start_date":"2023-10-01"}`},
		{"this week's", "show this week's sales", []Input{text("start_date", ""), text("end_date", "")}, `{"end_date":"2024-01-21","start_date":"2024-01-15"}`},
		{"times", "a meeting from 9am to 5pm", []Input{text("start_time", ""), text("end_time", "")}, `{"end_time":"17:00","start_time":"09:00"}`},
		{"the day and the time of a moment", "a visit on 3 May 2024 at 10 am", []Input{text("visit_date", ""), text("visit_time", "")}, `{"visit_date":"2024-05-03","visit_time":"10:00"}`},
		{"or both in one", "a visit on 3 May 2024 at 10 am", []Input{text("visit_date", "Date and time of it")}, `{"visit_date":"2024-05-03T10:00:00"}`},
		{"the parts of a day", "born on 3 May 1990", []Input{whole("year", ""), whole("month", ""), whole("day", "")}, `{"day":3,"month":5,"year":1990}`},
		{"an open range says its day", "filed after January 1, 2021", []Input{text("start_date", "")}, `{"start_date":"2021-01-01"}`},
		{"between", "a number between 10 and 20", []Input{whole("max", ""), whole("min", "")}, `{"max":20,"min":10}`},
		// names, codes, addresses
		{"two names", "the way between New York City and Los Angeles", []Input{text("destination", "The city"), text("origin", "The city")}, `{"destination":"Los Angeles","origin":"New York City"}`},
		{"what joins no name", "the density for Brazil", []Input{text("country", "")}, `{"country":"Brazil"}`},
		{"a town and its country", "the time in London, UK", []Input{text("city", ""), text("country", "")}, `{"city":"London","country":"UK"}`},
		{"or both", "the time in London, UK", []Input{text("location", "")}, `{"location":"London, UK"}`},
		{"a telephone number", "call 800-555-1234", []Input{text("phone_number", "")}, `{"phone_number":"800-555-1234"}`},
		{"an address of the network", "scan the address 192.168.0.5", []Input{text("target_ip", "The IP address")}, `{"target_ip":"192.168.0.5"}`},
		{"a code that begins with a digit", "the campaign with ID 6gnuuPDezqVB", []Input{text("campaign_id", "The campaign")}, `{"campaign_id":"6gnuuPDezqVB"}`},
		{"a name of one letter", "copy A to B", []Input{text("source_path", "The file to copy"), text("dest_path", "Its new path")}, `{"dest_path":"B","source_path":"A"}`},
		{"a capital inside", "set columnCount to 12", []Input{whole("value", ""), text("name", "The variable")}, `{"name":"columnCount","value":12}`},
		{"a URL in quotes", `read "https://example.org/a"`, []Input{text("url", "")}, `{"url":"https://example.org/a"}`},
		{"an unclosed quote", `find "The Count of Monte Cristo.`, []Input{text("title", "")}, `{"title":"The Count of Monte Cristo"}`},
		{"currencies", "change 150 euros to Canadian dollars", []Input{decimal("amount", ""), text("from_currency", ""), text("to_currency", "")}, `{"amount":150,"from_currency":"EUR","to_currency":"CAD"}`},
		// examples and closed sets
		{"an example of the description", "films of the thriller kind", []Input{maybe(text("genre", "The genre (e.g., action, thriller)"))}, `{"genre":"thriller"}`},
		{"in its other form", "how manta rays swim", []Input{text("fish", "Such as tuna, manta ray")}, `{"fish":"manta ray"}`},
		{"several of a list", "avoid ferries and tolls", []Input{maybe(list("avoid", "What to avoid: one of tolls, highways, ferries."))}, `{"avoid":["tolls","ferries"]}`},
		{"several of a closed set", "temperature and noise of it", []Input{{Name: "metrics", Type: value.Array, Enum: []any{"temperature", "humidity", "noise"}}}, `{"metrics":["temperature","noise"]}`},
		{"a number that its description explains", "one who offers ironing in Oslo", []Input{whole("service_id", "The id: '1' represents a cleaning service, '2' represents an ironing service"), whole("city_id", "1 for Rome, 2 for Oslo, etc.")}, `{"city_id":2,"service_id":2}`},
		{"a value of a closed set by what it stands for", "only the free ones", []Input{{Name: "entry", Type: value.String, Enum: []any{"True", "False"}, Description: "Use 'True' for free ones, 'False' for those with a fee"}}, `{"entry":"True"}`},
		{"what stands before what it is of", "find rock concerts", []Input{text("genre", "Genre of the concert")}, `{"genre":"rock"}`},
		{"a period as it is said", "concerts of next month", []Input{text("date", "When it is")}, `{"date":"next month"}`},
		{"or its first day", "concerts of next month", []Input{text("date", "YYYY-MM-DD")}, `{"date":"2024-02-01"}`},
		{"who is in it", "a film directed by Jim Henson and featuring Ana de Armas", []Input{maybe(text("cast", "The lead actors")), maybe(text("directed_by", "The director of the film"))}, `{"cast":"Ana de Armas","directed_by":"Jim Henson"}`},
		// what nothing says
		{"what an input is called is no value", "the IP address of it", []Input{text("target_ip", "The IP address")}, `{}`},
		{"how many there are is no value", "the divisor of two numbers: 40 and 50", []Input{whole("num1", "The first number"), whole("num2", "The second number")}, `{"num1":40,"num2":50}`},
		{"who made it is no title", "songs by Ariana Grande", []Input{maybe(text("album", "The name of the album")), maybe(text("artist", "The name of the artist"))}, `{"artist":"Ariana Grande"}`},
	} {
		if diff := cmp.Diff(c.want, value.JSON(mapped(t, c.request, c.inputs, "", now).Extracted)); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", c.class, c.request, diff)
		}
	}
}
