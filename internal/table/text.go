package table

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/value"
)

// Aligned writes rows for a reader: the names of the columns, then a line for each row, the columns under one another. What
// would not stay on its line is written as JSON has it.
func Aligned(columns []string, rows []any) string {
	if len(columns) == 0 {
		return ""
	}
	lines := [][]string{make([]string, len(columns))}
	for i, name := range columns {
		lines[0][i] = onLine(name)
	}
	for _, row := range rows {
		m, _ := row.(map[string]any)
		line := make([]string, len(columns))
		for i, name := range columns {
			line[i] = onLine(Text(m[name]))
		}
		lines = append(lines, line)
	}
	width := make([]int, len(columns))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		end := len(line)
		for end > 0 && line[end-1] == "" {
			end--
		}
		for i, cell := range line[:end] {
			b.WriteString(cell)
			if i < end-1 {
				b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func onLine(cell string) string {
	if strings.ContainsFunc(cell, unicode.IsControl) || !utf8.ValidString(cell) {
		return value.JSON(cell)
	}
	return cell
}
