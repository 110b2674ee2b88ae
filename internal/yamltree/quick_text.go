package yamltree

import (
	"strconv"
	"strings"
)

// scalar reads a text in one line, inside brackets or not.
func (q *quick) scalar(inside bool) *Value {
	v := q.make(q.at)
	ok := true
	switch c := q.peek(); c {
	case '"', '\'':
		v.Text, ok = q.quoted(c)
		v.Kind, v.Scalar = String, v.Text
		if v.style = singleQuoted; c == '"' {
			v.style = doubleQuoted
		}
	default:
		var problem string
		v.Text, ok = q.plain(inside)
		v.Kind, v.Scalar, problem = resolve(v.Text)
		ok = ok && problem == ""
	}
	if !ok {
		return nil
	}
	return v
}

// plain reads a text without quotes: up to a colon or comment, in brackets to a comma or bracket, too.
func (q *quick) plain(inside bool) (string, bool) {
	switch c := q.peek(); c {
	case '-':
		if q.blankAt(q.at + 1) {
			return "", false
		}
	case 0, ' ', '\n', '\t', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return "", false
	}
	start, end := q.at, q.at // end is behind the last character that is no blank
	for ; q.at < len(q.src); q.at++ {
		switch c := q.src[q.at]; c {
		case '\n':
			goto done
		case '\t':
			return "", false
		case ' ':
			continue
		case '#':
			if q.src[q.at-1] == ' ' {
				goto done
			}
		case ':':
			if q.blankAt(q.at + 1) {
				goto done
			}
			if q.src[q.at+1] == '\t' {
				return "", false
			}
		case ',', ']', '}':
			if inside {
				goto done
			}
		case '[', '{', '?':
			if inside {
				return "", false
			}
		}
		end = q.at + 1
	}
done:
	return q.src[start:end], true
}

// quoted reads a text in quotes, in one line.
func (q *quick) quoted(quote byte) (string, bool) {
	q.at++
	start := q.at
	n := strings.IndexByte(q.src[start:], quote)
	if n < 0 {
		return "", false
	}
	text := q.src[start : start+n]
	if strings.IndexByte(text, '\n') >= 0 || strings.IndexByte(text, '\t') >= 0 {
		return "", false
	}
	q.at = start + n + 1
	if quote == '"' && strings.IndexByte(text, '\\') < 0 || quote == '\'' && q.peek() != '\'' {
		return text, true
	}
	var out strings.Builder
	for q.at = start; q.at < len(q.src); q.at++ {
		c := q.src[q.at]
		switch {
		case c == '\n' || c == '\t':
			return "", false
		case c == quote && quote == '\'' && strings.HasPrefix(q.src[q.at:], "''"):
			q.at++
		case c == quote:
			q.at++
			return out.String(), true
		case c == '\\' && quote == '"':
			if !q.escaped(&out) {
				return "", false
			}
			continue
		}
		out.WriteByte(c)
	}
	return "", false
}

// escaped reads what a backslash stands for; it ends at the last character of that.
func (q *quick) escaped(out *strings.Builder) bool {
	q.at++
	switch c := q.peek(); c {
	case '"', '\\':
		out.WriteByte(c)
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case 'u':
		if len(q.src)-q.at < 5 {
			return false
		}
		n, err := strconv.ParseUint(q.src[q.at+1:q.at+5], 16, 16)
		if err != nil || n >= 0xD800 && n < 0xE000 {
			return false
		}
		out.WriteRune(rune(n))
		q.at += 4
	default:
		return false
	}
	return true
}

// lines reads a block after | or >, inside what is indented by parent.
func (q *quick) lines(parent int) *Value {
	v := q.make(q.at)
	v.Kind, v.style = String, literal
	fold := q.peek() == '>'
	if fold {
		v.style = folded
	}
	q.at++
	keep := "\n"
	if q.peek() == '-' {
		q.at++
		keep = ""
	}
	if q.peek() != '\n' {
		return nil
	}
	q.newline()
	var text strings.Builder
	indent, blank := -1, 0
	for q.at < len(q.src) {
		q.spaces()
		switch c := q.peek(); {
		case c == '\t', q.at == len(q.src), c == '\n' && indent < 0:
			return nil
		case c == '\n' && q.at-q.start <= indent:
			blank++
			q.newline()
			continue
		}
		if indent < 0 {
			if indent = q.at - q.start; indent <= parent || indent == 0 {
				return nil
			}
		}
		if q.at-q.start < indent {
			break
		}
		n := strings.IndexByte(q.src[q.at:], '\n')
		if n < 0 || fold && (blank > 0 || q.at-q.start > indent) {
			return nil // a last line without an end; what does not fold
		}
		for ; blank > 0; blank-- {
			text.WriteByte('\n')
		}
		text.WriteString(q.src[q.start+indent : q.at+n])
		if q.at += n; fold {
			text.WriteByte(' ')
		} else {
			text.WriteByte('\n')
		}
		q.newline()
	}
	here, ok := q.next()
	if !ok || indent < 0 || here > parent {
		return nil
	}
	v.Text = text.String()
	v.Text = v.Text[:len(v.Text)-1] + keep
	v.Scalar = v.Text
	return v
}
