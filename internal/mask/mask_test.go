package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// secretKinds are kinds of secrets that one may have.
var secretKinds = map[string]string{
	"plain":   "hunter2x",
	"four":    "k3y!",
	"quotes":  `s3cr"et'with\quotes` + "`$x",
	"unicode": "pässwörd-漢字-\U0001F511",
	"lines":   "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\n-----END PRIVATE KEY-----\n",
	"percent": "100%25+%zz/abc def",
	"html":    `<a&b>"c"&amp;`,
	"blanks":  "  spaced-out/token \t\n",
	"base64":  "c2VjcmV0Kysvdg+/==",
	"long":    strings.Repeat("Zk9+/a", 60) + "end",
	"slashes": `\\server\\share\n\x41`,
	"json":    `{"type": "service_account", "key": "ab/cd+ef=="}`,
}

func lowerHex(s string) string { return strings.ToLower(s) }

func percentAll(s string, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%"+format, s[i])
	}
	return b.String()
}

func jsonText(s string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.Trim(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

func wrapLines(s string, n int, by string) string {
	var b strings.Builder
	for i := 0; i < len(s); i += n {
		if i > 0 {
			b.WriteString(by)
		}
		b.WriteString(s[i:min(len(s), i+n)])
	}
	return b.String()
}

// encoders are the forms in which a secret may come out.
var encoders = map[string]func(string) string{
	"as it is":          func(s string) string { return s },
	"trimmed":           strings.TrimSpace,
	"json":              func(s string) string { return inner(jsonText(s, false)) },
	"json html":         func(s string) string { return inner(jsonText(s, true)) },
	"json twice":        func(s string) string { return inner(jsonText(jsonText(s, true), true)) },
	"json thrice":       func(s string) string { return inner(jsonText(jsonText(jsonText(s, false), false), false)) },
	"json ascii":        func(s string) string { return inner(strconv.QuoteToASCII(s)) },
	"go":                func(s string) string { return inner(strconv.Quote(s)) },
	"query":             url.QueryEscape,
	"path":              url.PathEscape,
	"query lower":       func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
	"query twice":       func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"percent all":       func(s string) string { return percentAll(s, "%02X") },
	"percent all lower": func(s string) string { return percentAll(s, "%02x") },
	"html":              html.EscapeString,
	"html twice":        func(s string) string { return html.EscapeString(html.EscapeString(s)) },
	"html in json":      func(s string) string { return inner(jsonText(html.EscapeString(s), true)) },
	"html hex": func(s string) string {
		return strings.NewReplacer(`"`, "&#x22;", "&", "&#X26;", "<", "&#060;").Replace(s)
	},
	"shell":         func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
	"shell in json": func(s string) string { return jsonText("'"+strings.ReplaceAll(s, "'", `'\''`)+"'", false) },
	"shell double": func(s string) string {
		return strings.NewReplacer(`"`, `\"`, `\`, `\\`, "$", `\$`, "`", "\\`").Replace(s)
	},
	"csv":               func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` },
	"base64":            func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 raw":        func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 url":        func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64 user":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) },
	"base64 user2":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("me:" + s + "\n")) },
	"base64 user3":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"base64 lines":      func(s string) string { return wrapLines(base64.StdEncoding.EncodeToString([]byte("us:"+s)), 76, "\n") },
	"base64 json lines": func(s string) string { return wrapLines(base64.StdEncoding.EncodeToString([]byte(s)), 64, `\n`) },
	"base64 query":      func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex upper":         func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex spaced":        func(s string) string { return strings.TrimSpace(wrapLines(hex.EncodeToString([]byte(s)), 2, " ")) },
	"hex colons":        func(s string) string { return wrapLines(hex.EncodeToString([]byte(s)), 2, ":") },
	"\\x":               func(s string) string { return strings.ReplaceAll(percentAll(s, "%02x"), "%", `\x`) },
	"octal":             func(s string) string { return strings.ReplaceAll(percentAll(s, "%03o"), "%", `\`) },
}

func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], lowerHex(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// shows reports what of a secret a text still shows, given what the form of it was: a run of at least six characters.
func shows(text, formed string) string {
	const run = 6
	if len(formed) <= run {
		if strings.Contains(text, formed) {
			return formed
		}
		return ""
	}
	for i := 0; i+run <= len(formed); i++ {
		if part := formed[i : i+run]; !strings.Contains(part, "----") && !strings.Contains("-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----", strings.Trim(part, "\\n")) && strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

func TestForms(t *testing.T) {
	for kind, secret := range secretKinds {
		m := New(Env("TOKEN", secret))
		for name, encode := range encoders {
			formed := encode(secret)
			for _, around := range []string{"%s", "before %s after", "x=%s&y", `{"a": "%s"}`, "\n%s\n"} {
				text := fmt.Sprintf(around, formed)
				if name == "base64 lines" || strings.HasPrefix(name, "base64") || strings.HasPrefix(name, "hex") {
					text = fmt.Sprintf(strings.ReplaceAll(around, "x", "."), formed)
				}
				got := m.Text(text)
				want := strings.Trim(encode(strings.TrimSpace(secret)), "\"'\\")
				switch {
				case strings.HasPrefix(name, "base64 user"), name == "base64 lines":
					want = formed[min(8, len(formed)/2):max(len(formed)/2, len(formed)-8)] // what stands around the secret is nobody's
				case strings.HasPrefix(name, "base64"):
					want = formed[:max(4, len(formed)-8)]
				}
				if left := shows(got, want); left != "" {
					t.Errorf("%s as %s in %q\n%q\nshows %q\n%q", kind, name, around, text, left, got)
				}
				if again := m.Text(got); again != got {
					t.Errorf("%s as %s: masked twice %q, once %q", kind, name, again, got)
				}
			}
		}
	}
}

// TestStream cuts texts into pieces at random: what comes out is what comes out of the whole.
func TestStream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for kind, secret := range secretKinds {
		m := New(Env("TOKEN", secret))
		for name, encode := range encoders {
			text := "begin " + encode(secret) + " … " + encode(secret)
			whole, _, _ := m.scan([]byte(text), true)
			for range 4 {
				s := m.Stream()
				var out []byte
				for rest := text; rest != ""; {
					n := 1 + random.IntN(min(len(rest), 12))
					out = append(out, s.Next([]byte(rest[:n]))...)
					rest = rest[n:]
				}
				if out = append(out, s.Rest()...); string(out) != string(whole) {
					t.Fatalf("%s as %s: %q, want %q", kind, name, out, whole)
				}
			}
		}
	}
}

// TestCut cuts each form at every place, with a sign of the cut: nothing of six characters is left.
func TestCut(t *testing.T) {
	for kind, secret := range secretKinds {
		if len(secret) > 120 {
			secret = secret[:120]
		}
		m := New(Env("TOKEN", secret))
		for _, name := range []string{"as it is", "json", "query", "html", "base64", "hex", "go"} {
			formed := encoders[name](strings.TrimSpace(secret))
			from := 7
			if name != "as it is" && !strings.HasPrefix(name, "base64") {
				from = 22 // so many bytes are three escaped characters
			}
			for at := from; at < len(formed); at++ {
				for _, text := range []string{"before " + formed[:at] + "… after", "…" + formed[len(formed)-at:] + " after", "a\n" + formed[:at] + "\n[cut here: 7 more bytes]"} {
					if !strings.Contains(text, "�") {
						text = strings.ToValidUTF8(text, "")
					}
					if left := shows(m.Text(text), formed); left != "" {
						t.Errorf("%s as %s: %q shows %q: %q", kind, name, text, left, m.Text(text))
					}
				}
			}
		}
	}
}

func TestPlainTextStays(t *testing.T) {
	m := New(Env("A", "hunter2x"), Env("PIN", "42"), Env("N", "12345678"), Env("WEB", "https://example.com/hook/abcdef"))
	for text, want := range map[string]string{
		"the answer is 42":                       "the answer is 42",
		"42":                                     `{"$env":"PIN"}`,
		" 42\n":                                  `{"$env":"PIN"}`,
		"hunter2":                                "hunter2",
		"https://example.com":                    "https://example.com",
		"see https://example.com/hook/… there":   `see {"$env":"WEB"}… there`,
		"Wait for it...":                         "Wait for it...",
		"hunter2x42":                             `{"$env":"A"}42`,
		`{"$env":"A"} and {\"$env\":\"A\"}`:      `{"$env":"A"} and {\"$env\":\"A\"}`,
		"\\\\\\\\\\ %%%%25%25 &amp;&amp;&#;&#x;": "\\\\\\\\\\ %%%%25%25 &amp;&amp;&#;&#x;",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	got := m.Value(map[string]any{"k hunter2x": []any{12345678, 42, 43, true, nil, "x"}})
	if text := fmt.Sprint(got); text != `map[k {"$env":"A"}:[{"$env":"N"} {"$env":"PIN"} 43 true <nil> x]]` {
		t.Error(text)
	}
	var none *Masker
	if New() != nil || New(Env("X", "")) != nil || none.Text("x") != "x" || none.Value("x") != "x" || none.Has("x") || string(none.Stream().Next([]byte("x"))) != "x" {
		t.Error("without secrets something is done")
	}
}
