package github

import (
	"net/url"
	"strings"

	"pflow/internal/fault"
)

// defaultHost is the host of GitHub's own pages.
const defaultHost = "github.com"

// Site is where GitHub is: github.com, or one of one's own.
type Site struct {
	API  *url.URL // of the REST API, ending in /
	Host string   // of the web pages, and of remotes: github.com
	From string   // what says so, for messages: the name of a variable
}

// SiteOf reads the site from the environment: GITHUB_API_URL, as in GitHub Actions, else GH_HOST, as for gh, else it is
// github.com. No workflow says it, since the token goes there.
func SiteOf(getenv func(string) string) (Site, error) {
	s := Site{Host: defaultHost, From: "GITHUB_API_URL"}
	address := strings.TrimSpace(getenv("GITHUB_API_URL"))
	host := strings.TrimSpace(getenv("GH_HOST"))
	switch {
	case address != "":
	case host == "" || strings.EqualFold(host, defaultHost):
		address = "https://api.github.com"
	case strings.HasSuffix(strings.ToLower(host), ".ghe.com"):
		address, s.From = "https://api."+host, "GH_HOST"
	default:
		address, s.From = "https://"+host+"/api/v3", "GH_HOST"
	}
	u, err := url.Parse(strings.TrimSuffix(address, "/") + "/")
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return s, fault.New(fault.InvalidRequest, "%s is no address of an API: want one such as https://api.github.com", s.From)
	}
	s.API, s.Host = u, webHost(u)
	if server, err := url.Parse(strings.TrimSpace(getenv("GITHUB_SERVER_URL"))); err == nil && server.Host != "" && getenv("GITHUB_API_URL") != "" {
		s.Host = server.Host
	}
	return s, nil
}

// webHost is the host of the pages that an API belongs to.
func webHost(api *url.URL) string {
	if rest, ok := strings.CutPrefix(api.Host, "api."); ok && strings.Trim(api.Path, "/") == "" {
		return rest
	}
	return api.Host
}

// Repo is a repository.
type Repo struct{ Owner, Name string }

func (r Repo) String() string { return r.Owner + "/" + r.Name }

// ParseRepo reads OWNER/NAME, or the address of a repository of the site as git's remotes have it: https://HOST/OWNER/NAME.git,
// ssh://git@HOST/OWNER/NAME, git@HOST:OWNER/NAME.git. A host without a dot in one by ssh is a name of ssh's own settings.
func (s Site) ParseRepo(text string) (Repo, error) {
	text = strings.TrimSpace(text)
	none := fault.New(fault.InvalidRequest, "%q is no repository of %s: want OWNER/NAME, such as octo-org/tool", shown(text), s.Host)
	host, path, bySSH := "", text, false
	switch before, after, colon := strings.Cut(text, ":"); {
	case strings.HasPrefix(text, "/"): // a folder of this machine
		return Repo{}, none
	case strings.Contains(text, "://"):
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return Repo{}, none
		}
		host, path, bySSH = u.Host, u.Path, strings.Contains(u.Scheme, "ssh")
		if bySSH {
			host = u.Hostname()
		}
	case colon && !strings.Contains(before, "/"):
		host, path, bySSH = before[strings.LastIndex(before, "@")+1:], after, true
	}
	path = strings.Trim(path, "/")
	if host != "" {
		path = strings.TrimSuffix(path, ".git")
		own := s.Host
		if bySSH {
			own, _, _ = strings.Cut(s.Host, ":")
		}
		alias := bySSH && !strings.Contains(host, ".")
		if !alias && !strings.EqualFold(host, own) && !strings.EqualFold(host, "ssh."+own) && !strings.EqualFold(host, "www."+own) {
			return Repo{}, fault.New(fault.InvalidRequest, "%q is at %s, not at %s; set GH_HOST to the host of your GitHub, or give repo as OWNER/NAME", shown(text), host, s.Host)
		}
	}
	owner, name, ok := strings.Cut(path, "/")
	if !ok || !isName(owner) || !isName(name) {
		return Repo{}, none
	}
	return Repo{owner, name}, nil
}

// isName reports whether text may be the name of an owner or a repository: what is put into the path of a request.
func isName(s string) bool {
	ok := s != "" && s != "." && s != ".." && len(s) <= 100
	for _, r := range s {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	return ok
}

// shown is an address without the user and the password in it.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return clip(text)
	}
	u.User = nil
	return clip(u.String())
}
