package coverage

import "testing"

// TestLeft weighs what is open of requests against components that say what they do in free text.
func TestLeft(t *testing.T) {
	said := []Said{
		{By: "node:weather", Texts: []string{"getWeatherForecast", "Get the weather forecast of a city for some days.", "city", "days"}},
		{By: "node:hotel", Texts: []string{"bookHotel", "Reserve a room in a hotel.", "hotel name", "nights"}},
	}
	values := []Value{{By: "input:city", Text: "Rome"}, {By: "input:days", Text: "3"}, {By: "input:hotel", Text: "Grand Plaza"}}
	says := []string{"getWeatherForecast Get the weather forecast of a city for some days.", "bookHotel Reserve a room in a hotel."}
	for request, met := range map[string]bool{
		"Get the weather forecast of Rome for 3 days and book a room in the hotel Grand Plaza.":                                    true,
		"I am planning a trip. Could you please provide information about the weather in Rome, and reserve the Grand Plaza hotel?": true,
		"Additionally, I would appreciate details of the forecast in Rome for 3 days.":                                             true,
		"My grandparents celebrate their golden anniversary there. Get the weather forecast of Rome for 3 days.":                   true,
		"Get the weather forecast of Rome for 3 days, sunny mornings, rainy afternoons.":                                           true,

		"My grandparents want a golden anniversary cake. Get the weather forecast of Rome for 3 days.": false,
		"Get the weather forecast of Rome for 3 days and polish the old shoes.":                        false,
		"Get the weather forecast of Rome. Then the old violin has to be tuned.":                       false,
		"Only if the board has voted yes, get the weather forecast of Rome.":                           false,
		"Get the weather forecast of Rome for 3 days, provided that the sensor works.":                 false,
		"Book a room in the hotel Grand Plaza without breakfast.":                                      false,
		"Get the weather forecast of Rome every Monday at seven.":                                      false,
		"Get the weather forecast of Rome for each of our twelve offices.":                             false,
		"Paint the fence in green.": false,
	} {
		c := ByWords(request, said, values, nil)
		if left := c.Left(request, says); (left.Measure(false, false) < 1) != met {
			t.Errorf("%s\nleft %+v, measure %.2f; met is %v\nopen %v", request, left, left.Measure(false, false), met, c.Open)
		}
	}
}

// TestMarksThatLimitNothing are words of limits that do not limit where they stand.
func TestMarksThatLimitNothing(t *testing.T) {
	said := []Said{{By: "node:speed", Texts: []string{"calculate speed of an object by distance and time", "website check mobile search find tickets"}}}
	values := []Value{{By: "input:distance", Text: "450"}, {By: "input:time", Text: "20"}, {By: "input:until", Text: "March 7"}}
	for request, want := range map[string]int{
		"calculate the speed of an object if it traveled 450 meters in 20 seconds": 0,
		"calculate the speed if the light is green":                                1,
		"check if the website is mobile":                                           0,
		"can you tell me if there are tickets":                                     0,
		"find tickets, and if there is rain, stop":                                 1,
		"find tickets with Delta if possible":                                      0,
		"I can't find tickets":                                                     0,
		"I do not want tickets of the old sort":                                    1,
		"find tickets until March 7":                                               0,
		"find tickets until the shop is closed":                                    1,
		"Find tickets. Once the search is done, check the website":                 0,
		"search the website once a day":                                            1,
		"not only the speed but the distance":                                      0,
		"for each of the seven teams search the website, one by one":               2,
		"do it all 12 times":                                                       1,
	} {
		if got := ByWords(request, said, values, nil).Left(request, nil).Marks; got != want {
			t.Errorf("%s: %d marks, want %d", request, got, want)
		}
	}
}

func TestValueInsideAPlace(t *testing.T) {
	const request = "the forecast of the year 2030"
	c := ByWords(request, []Said{{By: "node:a", Texts: []string{"forecast of a year"}}}, []Value{{By: "input:year", Text: "2030"}}, [][2]int{{16, 29}})
	if len(c.Open) > 0 {
		t.Errorf("open: %v, though 2030 is taken", c.Open)
	}
}
