package archive

import (
	"path"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
)

// Bounds on the names of entries, in bytes and in parts; file systems take 255 bytes for a part.
const (
	maxPart  = 255
	maxName  = 3000
	maxParts = 200
)

// cp437 are the characters from 0x80 on in which names of zip files stand that are not UTF-8.
var cp437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

// safeName gives the path of an entry below the folder, "." for the folder itself. What could lead elsewhere, on this system or
// another, is refused.
func safeName(name string, format Format) (string, error) {
	if !utf8.ValidString(name) {
		if format == Zip {
			var b strings.Builder
			for i := 0; i < len(name); i++ {
				if name[i] < 0x80 {
					b.WriteByte(name[i])
				} else {
					b.WriteRune(cp437[name[i]-0x80])
				}
			}
			name = b.String()
		} else {
			name = strings.ToValidUTF8(name, "_")
		}
	}
	wrong := func(why string) (string, error) {
		shown := name
		if len(shown) > 200 {
			shown = strings.ToValidUTF8(shown[:200], "") + "…"
		}
		return "", fault.New(fault.Permission, "its entry %q %s; nothing of it was unpacked", shown, why)
	}
	if format == Zip { // some programs for Windows write them so
		name = strings.ReplaceAll(name, `\`, "/")
	}
	switch {
	case name == "":
		return wrong("has no name")
	case strings.ContainsRune(name, 0):
		return wrong("holds a NUL character")
	case strings.Contains(name, `\`):
		return wrong("holds a backslash, which leads elsewhere on some systems")
	case name[0] == '/':
		return wrong("is an absolute path")
	case len(name) > 1 && name[1] == ':' && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'):
		return wrong("names a drive")
	case len(name) > maxName:
		return wrong("is longer than any path may be")
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxParts {
		return wrong("lies too deep")
	}
	for _, p := range parts {
		if p == ".." {
			return wrong("leads out of the folder")
		}
		if len(p) > maxPart {
			return wrong("has a name longer than any file may have")
		}
	}
	return path.Clean(name), nil
}

// staysInside reports whether a link at a path below a folder leads to what is in the folder. Only what begins with ".." may
// hold it: behind another link a/.. is not what it looks like.
func staysInside(at, target string) bool {
	if target == "" || len(target) > maxName || path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") || len(target) > 1 && target[1] == ':' {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(target, "/"), "/")
	up := 0
	for up < len(parts) && parts[up] == ".." {
		up++
	}
	for _, p := range parts[up:] {
		if p == ".." || p == "" {
			return false
		}
	}
	return up <= strings.Count(at, "/")
}
