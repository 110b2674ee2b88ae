package extract

import (
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	check(t, [][2]string{
		{"add 7", "number(7)=7"},
		{"add -7", "number(-7)=-7"},
		{"minus five", "number(minus five)=-5"},
		{"add .5", "number(.5)=0.5"},
		{"add 1,234,567.25", "number(1,234,567.25)=1.23456725e+06"},
		{"1234567890123456789", "number(1234567890123456789)=1234567890123456789"},
		{"two million", "number(two million)=2000000"},
		{"2.5 million", "number(2.5 million)=2500000"},
		{"a hundred", "number(a hundred)=100"},
		{"one hundred and five", "number(one hundred and five)=105"},
		{"two thousand three hundred", "number(two thousand three hundred)=2300"},
		{"ninety-nine", "number(ninety-nine)=99"},
		{"three point one four", "number(three point one four)=3.14"},
		{"two dozen eggs", "number(two dozen)=24"},
		{"a dozen eggs", "number(a dozen)=12"},
		{"two thirds", "number(two thirds)=0.666666666667"},
		{"3/4", "number(3/4)=0.75"},
		{"one and a half", "number(one and a half)=1.5"},
		{"2½", "number(2½)=2.5"},
		{"half", "number(half)=0.5"},
		{"5k", "number(5k)=5000"},
		// no numbers: pronouns, ordinals, codes, and what no float holds
		{"the one that works", ""},
		{"one of them", ""},
		{"abc123", ""},
		{strings.Repeat("9", 400), ""},
	})
}

func TestMoneyAndMeasures(t *testing.T) {
	check(t, [][2]string{
		{"$5", "currency($5)=5 USD"},
		{"usd 20", "currency(usd 20)=20 USD"},
		{"rmb 20", "currency(rmb 20)=20 CNY"},
		{"hk $ 10.05 billion", "currency(hk $ 10.05 billion)=10050000000 HKD"},
		{"20 euros", "currency(20 euros)=20 EUR"},
		{"20 EUR", "currency(20 EUR)=20 EUR"},
		{"20€", "currency(20€)=20 EUR"},
		{"3 canadian dollars", "currency(3 canadian dollars)=3 CAD"},
		{"30 MUSD", "currency(30 MUSD)=30000000 USD"},
		{"50 cents", "currency(50 cents)=0.5 USD"},
		{"20%", "percent(20%)=20 %"},
		{"3.5 pct", "percent(3.5 pct)=3.5 %"},
		{"a 10-mile run", "dimension(10-mile)=10 mi"},
		{"5 kg", "dimension(5 kg)=5 kg"},
		{"25 degrees", "dimension(25 degrees)=25 °"},
	})
}
