package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pflow/internal/experiment"
)

// rate reports whether a metric is one from 0 to 1.
func rate(metric string) bool { return experiment.Metric(metric).Rate() }

// amount is a size of a metric as people say it: a rate in points.
func amount(metric string, v float64) string {
	switch {
	case rate(metric):
		return fmt.Sprintf("%.1f points", v*100)
	case metric == "cost_usd":
		return fmt.Sprintf("$%.4f", v)
	case strings.HasPrefix(metric, "latency"):
		return took(v)
	}
	return fmt.Sprintf("%.1f", v)
}

// level is a value of a metric: a rate in percent.
func level(metric string, v float64) string {
	if rate(metric) {
		return percent(v)
	}
	return amount(metric, v)
}

// changeOf is a difference of a metric with its sign.
func changeOf(metric string, v float64) string {
	sign := "+"
	if v < 0 {
		sign = "−"
	}
	return sign + amount(metric, math.Abs(v))
}

func percent(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(math.Round(v*1000)/10, 'f', 1, 64), ".0") + "%"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// numberOr reads a number of a form or a query; what is none is orElse.
func numberOr(text string, orElse int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > 1<<30 {
		return orElse
	}
	return n
}
