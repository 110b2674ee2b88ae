package nodes

import (
	"path"
	"slices"
	"strings"
)

// reading is how a program reads its arguments, as far as its row says.
type reading struct {
	options   []optionGiven
	operands  []argument
	behind    int        // of the operands, how many stand behind --
	rest      []argument // behind the operands that were asked for, with the first that is no option
	uncertain bool       // a word that the shell fills in may be an option, or none
}

type optionGiven struct {
	name     string // -x or --long
	value    argument
	given    bool // it has a value
	attached bool // --long=VALUE
}

// read reads the arguments of a program. With a limit, what follows that many operands is rest; -1 reads them all.
func (r *programRow) read(args []argument, limit int) (p reading) {
	dashes := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !dashes && a.text == "--":
			dashes = true
			continue
		case !dashes && i == 0 && r.bundle && a.fixed() && a.text != "" && a.text[0] != '-':
			for _, c := range a.text {
				o := optionGiven{name: "-" + string(c)}
				if r.takesNext(o.name) && i+1 < len(args) { // their values are the next words, one after the other
					i++
					o.value, o.given = args[i], true
				}
				p.options = append(p.options, o)
			}
			continue
		case !dashes && len(a.text) > 1 && a.text[0] == '-':
			if r.option(&p, a, args, i) {
				i++
			}
			if r.assigns && slices.Contains(r.code, p.options[len(p.options)-1].name) { // env -S: the text takes the place of the word
				p.rest = args[min(i+1, len(args)):]
				return p
			}
			continue
		case r.assigns && (isAssignment(a.text) || !dashes && a.text == "-"):
			continue
		}
		if limit >= 0 && len(p.operands) == limit {
			p.rest = args[i:]
			return p
		}
		p.operands = append(p.operands, a)
		if dashes {
			p.behind++
		} else if a.loose {
			p.uncertain = true
		}
	}
	return p
}

// option reads one word of options. It reports whether the next word is its value.
func (r *programRow) option(p *reading, a argument, args []argument, i int) (next bool) {
	name, value, has := strings.Cut(a.text, "=")
	has = has && strings.HasPrefix(name, "--")
	add := func(name string, value argument, given bool) {
		p.options = append(p.options, optionGiven{name, value, given, has && given})
	}
	following := func() argument {
		if i+1 < len(args) {
			return args[i+1]
		}
		return argument{}
	}
	switch {
	case strings.HasPrefix(a.text, "--") || r.singleDash(name):
		name = r.full(name)
		switch {
		case has:
			add(name, argument{text: value, loose: a.loose}, true)
		case r.takesNext(name):
			add(name, following(), true)
			return true
		default:
			add(name, argument{}, false)
		}
		return false
	}
	for at, c := range a.text[1:] {
		o := "-" + string(c)
		switch {
		case c == hole || c == unknown:
			p.uncertain = true
		case r.takesNext(o):
			if rest := a.text[1+at+len(string(c)):]; rest != "" {
				add(o, argument{text: rest, loose: a.loose}, true)
				return false
			}
			add(o, following(), true)
			return true
		}
		add(o, argument{text: a.text[1+at+len(string(c)):]}, false)
	}
	return false
}

// takesNext reports whether the value of an option is the next word.
func (r *programRow) takesNext(option string) bool {
	return slices.Contains(r.valued, option) || slices.Contains(r.code, option)
}

// full completes an abbreviated long option. What may be several is no option of the program.
func (r *programRow) full(name string) string {
	if len(name) < 4 || !strings.HasPrefix(name, "--") {
		return name
	}
	found := name
	for _, long := range r.long {
		switch {
		case long == name:
			return name
		case strings.HasPrefix(long, name) && found != name:
			return name
		case strings.HasPrefix(long, name):
			found = long
		}
	}
	return found
}

// excused reports whether an option is given with which the program destroys nothing. It counts only if all options are
// known: another may take it back, or the letter may belong to the value of one that is not known.
func (p *reading) excused(r *programRow) bool {
	return !p.uncertain && slices.ContainsFunc(r.unless, func(e excuse) bool {
		return slices.ContainsFunc(p.options, func(o optionGiven) bool { return o.among(e.any) }) &&
			!slices.ContainsFunc(p.options, func(o optionGiven) bool {
				return !o.among(e.any) && !o.among(e.beside) && !slices.Contains(r.valued, o.name) && !slices.Contains(r.code, o.name)
			})
	})
}

// unnamed gives an option that the row does not name, so that the next word may be its value or not.
func (p *reading) unnamed(r *programRow) (string, bool) {
	names := slices.Collect(r.names)
	for _, o := range p.options {
		if !o.attached && !slices.Contains(names, o.name) {
			return o.name, true
		}
	}
	return "", false
}

// among reports whether a list holds the option: by its name, or as NAME=VALUE if it has a value of its own.
func (o optionGiven) among(list []string) bool {
	return slices.Contains(list, o.name) && !o.attached || o.given && slices.Contains(list, o.name+"="+o.value.text)
}

// onlyAsks reports whether kill or one of its like lists signals, or sends signal 0, which asks whether a process is there.
func onlyAsks(args []argument) bool {
	if len(args) == 0 {
		return false
	}
	rest := args[1:]
	switch args[0].text {
	case "-l", "-L", "--list", "--table", "-0":
	case "-s", "-n", "--signal":
		if len(rest) == 0 || rest[0].text != "0" {
			return false
		}
		rest = rest[1:]
	default:
		return false
	}
	return !slices.ContainsFunc(rest, func(a argument) bool { return strings.HasPrefix(a.text, "-") && a.text != "--" })
}

// singleDash reports whether a name is one of the long options that the row writes with one dash, such as -delete.
func (r *programRow) singleDash(name string) bool {
	if len(name) < 3 {
		return false
	}
	return slices.Contains(slices.Collect(r.names), name)
}

// given finds an option of a list among those that are given.
func (p *reading) given(list []string) (optionGiven, bool) {
	for _, o := range p.options {
		if slices.Contains(list, o.name) || slices.Contains(list, o.name+"="+o.value.text) || o.given && slices.Contains(list, o.name+"=") {
			return o, true
		}
	}
	return optionGiven{}, false
}

// wanted finds an option that makes a program destroy. A long one may be abbreviated.
func (p *reading) wanted(list []optionWanted) (string, bool) {
	for _, o := range p.options {
		for _, w := range list {
			if o.name != w.name && !(strings.HasPrefix(o.name, "--") && len(o.name) > 3 && strings.HasPrefix(w.name, o.name)) {
				continue
			}
			if w.value != nil && o.value.fixed() && !w.value.MatchString(o.value.text) || o.given && harmlessFile(o.value) {
				continue
			}
			return o.name, true
		}
	}
	return "", false
}

// harmlessFile reports whether a file is a device that keeps nothing.
func harmlessFile(a argument) bool {
	if !a.fixed() {
		return false
	}
	switch name := path.Clean(strings.TrimPrefix(a.text, "of=")); name {
	case "-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full":
		return true
	default:
		return strings.HasPrefix(name, "/dev/fd/")
	}
}

// isStream reports whether a file is an open descriptor, or a device: what it holds cannot be known.
func isStream(a argument) bool {
	name := path.Clean(a.text)
	return a.text == "-" || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "dev/") ||
		strings.HasSuffix(name, "/dev/stdin") || strings.Contains(name, "/dev/fd/") || strings.Contains(name, "/proc/self/")
}

// isAssignment reports whether a word is NAME=VALUE.
func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && variableName.MatchString(name)
}
