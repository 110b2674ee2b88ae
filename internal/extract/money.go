package extract

var currencySigns = map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₪": "ILS", "₺": "TRY"}

var currencyCodes = map[string]bool{
	"usd": true, "eur": true, "gbp": true, "jpy": true, "cny": true, "inr": true, "cad": true, "aud": true, "chf": true, "hkd": true, "sgd": true,
	"nzd": true, "sek": true, "nok": true, "dkk": true, "krw": true, "mxn": true, "brl": true, "zar": true, "rub": true, "try": true, "pln": true,
	"btc": true, "eth": true,
}

var currencyWords = map[string]string{
	"dollar": "USD", "dollars": "USD", "buck": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP", "sterling": "GBP",
	"yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "rmb": "CNY", "rupee": "INR", "rupees": "INR", "franc": "CHF", "francs": "CHF", "won": "KRW",
	"peso": "MXN", "pesos": "MXN", "ruble": "RUB", "rubles": "RUB", "krona": "SEK", "kronor": "SEK", "kroner": "NOK",
}

// nationalities qualify a currency's word or sign.
var nationalities = map[string]string{
	"us": "USD", "american": "USD", "australian": "AUD", "canadian": "CAD", "hk": "HKD", "c": "CAD", "a": "AUD", "nz": "NZD", "swiss": "CHF",
	"british": "GBP", "singapore": "SGD", "japanese": "JPY", "chinese": "CNY", "indian": "INR",
}

// money reads an amount of a currency.
func (p *reader) money(i int) (Entity, int) {
	// hk $ 10.05 billion, $5, usd 20
	unit, n := p.currencyBefore(i)
	if n > 0 {
		if v, m := p.amount(i + n); m > 0 {
			return Entity{Kind: Currency, Value: tidyNumber(v), Unit: unit}, n + m
		}
	}
	v, n := p.amount(i)
	if n == 0 {
		return Entity{}, 0
	}
	if unit, m := p.currencyBehind(i + n); m > 0 {
		return Entity{Kind: Currency, Value: tidyNumber(v), Unit: unit}, n + m
	}
	// 30 MUSD
	if w := p.word(i + n); len(w) == 4 && currencyCodes[w[1:]] && (w[0] == 'm' || w[0] == 'k') {
		return Entity{Kind: Currency, Value: tidyNumber(v * shortScales[w[:1]]), Unit: upper(w[1:])}, n + 1
	}
	if p.is(i+n, "cent", "cents") {
		return Entity{Kind: Currency, Value: tidyNumber(v / 100), Unit: "USD"}, n + 1
	}
	return Entity{}, 0
}

func (p *reader) currencyBefore(i int) (string, int) {
	w := p.word(i)
	if unit, ok := currencySigns[w]; ok {
		return unit, 1
	}
	if currencyCodes[w] && w != "try" && w != "eth" || w == "rmb" {
		if w == "rmb" {
			return "CNY", 1
		}
		return upper(w), 1
	}
	if unit, ok := nationalities[w]; ok && p.is(i+1, "$", "£") {
		return unit, 2
	}
	return "", 0
}

func (p *reader) currencyBehind(i int) (string, int) {
	w := p.word(i)
	if unit, ok := currencySigns[w]; ok {
		if _, n := p.amount(i + 1); n > 0 && !p.is(i+1, ",") {
			return "", 0 // the sign belongs to what follows
		}
		return unit, 1
	}
	if unit, ok := nationalities[w]; ok && currencyWords[p.word(i+1)] != "" {
		return unit, 2
	}
	if w != "try" && currencyCodes[w] {
		return upper(w), 1
	}
	if unit, ok := currencyWords[w]; ok && w != "won" {
		return unit, 1
	}
	return "", 0
}

// CurrencyOf is the code of the currency that lower-case words name, from the first on, and how many they are; "" if they name none.
func CurrencyOf(words ...string) (code string, n int) {
	switch {
	case len(words) == 0:
		return "", 0
	case len(words) > 1 && nationalities[words[0]] != "" && currencyWords[words[1]] != "":
		return nationalities[words[0]], 2
	case currencyWords[words[0]] != "" && words[0] != "won":
		return currencyWords[words[0]], 1
	case currencyCodes[words[0]] && words[0] != "try":
		return upper(words[0]), 1
	}
	return "", 0
}

// UnitOf is the sign of the unit that a lower-case word names, "" if it names none.
func UnitOf(word string) string { return dimensions[word] }

func upper(w string) string {
	b := []byte(w)
	for i := range b {
		b[i] &^= 0x20
	}
	return string(b)
}

var dimensions = map[string]string{
	"km": "km", "kilometer": "km", "kilometers": "km", "kilometre": "km", "kilometres": "km", "meter": "m", "meters": "m", "metre": "m", "metres": "m",
	"cm": "cm", "centimeter": "cm", "centimeters": "cm", "mile": "mi", "miles": "mi", "inch": "in", "inches": "in", "foot": "ft", "feet": "ft", "ft": "ft",
	"yard": "yd", "yards": "yd", "kg": "kg", "kilogram": "kg", "kilograms": "kg", "kilos": "kg", "gram": "g", "grams": "g", "lb": "lb", "lbs": "lb",
	"ounce": "oz", "ounces": "oz", "oz": "oz", "liter": "l", "liters": "l", "litre": "l", "litres": "l", "ml": "ml", "gallon": "gal", "gallons": "gal",
	"kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "pixel": "px", "pixels": "px", "px": "px", "mph": "mph", "kmh": "km/h", "watt": "W", "watts": "W",
	"celsius": "°C", "fahrenheit": "°F", "degrees": "°", "acres": "acre", "acre": "acre", "hectares": "ha", "volts": "V", "hz": "Hz", "khz": "kHz",
}

// measure reads a percentage or a dimension.
func (p *reader) measure(i int) (Entity, int) {
	v, n := p.amount(i)
	if n == 0 {
		return Entity{}, 0
	}
	if p.is(i+n, "%", "percent", "pct") {
		return Entity{Kind: Percent, Value: tidyNumber(v), Unit: "%"}, n + 1
	}
	at := i + n
	if p.is(at, "-") && p.glued(at) && p.glued(at+1) {
		at++
	}
	if unit, ok := dimensions[p.word(at)]; ok && p.toks[i].digits {
		return Entity{Kind: Dimension, Value: tidyNumber(v), Unit: unit}, at - i + 1
	}
	return Entity{}, 0
}
