package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pflow/internal/fault"
	"pflow/internal/split"
	"pflow/internal/web"
)

// pageAddress is where the page is, unless --listen says otherwise. Where it is taken, another port is.
const pageAddress = "127.0.0.1:7353"

// commands carries out what the page asks for: each command by an app of its own, as a process of its own would.
type commands struct {
	a    *app
	here *runsHere
}

// Carry implements web.Commands.
func (cs commands) Carry(ctx context.Context, c web.Command) (ended web.Ended) {
	args := append([]string(nil), c.Args...)
	one := newApp(bytes.NewReader(c.Stdin), c.Stdout, c.Stderr, cs.a.getenv)
	asked := ctx.Done()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	w := &worker{func() { cancel(&signalError{syscall.SIGINT}) }}
	defer cs.here.ended(w)
	one.files = map[string][]byte{}
	for _, f := range c.Files {
		one.files[f.Name] = f.Data
		args[f.Arg] += f.Name
	}
	one.homeOnce.Do(func() { one.homeGot = cs.a.home() }) // what says where it is stays as it is
	one.stopHere, one.asker, one.known, one.onExperiment = cs.here.stop, split.Client, cs.a.known, c.Experiment
	one.begun = func(run string) {
		cs.here.works(w, run)
		if c.Begun != nil {
			c.Begun(run)
		}
	}
	fault.Go(func() {
		select {
		case <-asked:
			cancel(&signalError{syscall.SIGINT})
		case <-ctx.Done():
		}
	}, func(err error) { cancel(err) })
	one.failed = func(why *exitError) {
		ended.Message, ended.Do, ended.Absent, ended.Repeats, ended.Destroys, ended.Flag = why.Message, why.Do, why.Absent, why.Repeats, why.Destroys, why.Flag
	}
	ended.Exit = one.main(ctx, append(args[:commandEnd(args):commandEnd(args)], append([]string{"--batch", "--no-color"}, args[commandEnd(args):]...)...))
	return ended
}

// commandEnd is where flags end and what "--" begins, if anything does.
func commandEnd(args []string) int {
	for i, arg := range args {
		if arg == "--" {
			return i
		}
	}
	return len(args)
}

// pageOptions are the flags of the page.
type pageOptions struct {
	listen   string
	tls      string // CERT,KEY
	insecure bool
	public   string // the origin that a proxy shows
}

// check refuses flags that do not fit, and gives the certificate where there is one.
func (o *pageOptions) check() (*tls.Certificate, error) {
	if o.listen == "off" {
		if o.tls != "" || o.insecure || o.public != "" {
			return nil, usage("--listen off: there is no page, so --tls, --public and --insecure mean nothing")
		}
		return nil, nil
	}
	if u, err := url.Parse(o.public); o.public != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != o.public) {
		return nil, usage("--public %q: want an origin, https and a name, such as https://pflow.example.com", o.public)
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return nil, usage("--listen %q: want ADDRESS:PORT such as %s, or off", o.listen, pageAddress)
	}
	if o.tls == "" {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !o.insecure && o.public == "" {
			return nil, usage("--listen %s: others can reach this, and would read along: it needs --tls CERT,KEY, --public ORIGIN where a proxy encrypts, or --insecure", o.listen)
		}
		return nil, nil
	}
	if o.insecure {
		return nil, usage("--tls and --insecure exclude each other")
	}
	certFile, keyFile, ok := strings.Cut(o.tls, ",")
	if !ok {
		return nil, usage("--tls %q: want CERT,KEY: the files of the certificate and of its key", o.tls)
	}
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, usage("--tls: %s", fileError(err))
	}
	return &cert, nil
}

// page is a server that answers the requests of the page.
type page struct {
	url    string // with the token
	web    *web.Server
	server *http.Server
}

// servePage begins to answer the requests of the page.
func (a *app) servePage(o *pageOptions, cert *tls.Certificate, log func(string, ...any)) (*page, error) {
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.listen)
	if errors.Is(err, syscall.EADDRINUSE) && o.listen == pageAddress {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fail(exitFailed, "the page cannot be served: %v", err)
	}
	at := netip.MustParseAddrPort(l.Addr().String())
	listening := web.Listening{IP: at.Addr(), Port: int(at.Port()), TLS: cert != nil, Public: o.public}
	if cert != nil {
		listening.Names = cert.Leaf.DNSNames
	}
	s := web.New(web.Options{Commands: commands{a, newRunsHere()}, Version: buildVersion(), Home: a.homeDir(), Dir: dir, Listening: listening, Log: log})
	p := &page{web: s, server: &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it tells of what clients do wrong, in their words
	}}
	serve, scheme := p.server.Serve, "http"
	if cert != nil {
		p.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
		serve, scheme = func(l net.Listener) error { return p.server.ServeTLS(l, "", "") }, "https"
	}
	fault.Go(func() { _ = serve(l) }, func(err error) { log("the page: %v", err) })
	host, problem := pageHost(at, cert)
	if problem != "" && o.public == "" {
		log("--tls: %s: browsers warn of it, or refuse", problem)
	}
	origin := scheme + "://" + host
	if o.public != "" {
		origin = o.public
	}
	p.url = origin + "/?token=" + s.Token()
	return p, nil
}

// pageHost is under which name and port the page is opened: of those that reach it the first that the certificate is for, where it
// listens everywhere one that others can open, too. What browsers will say against the certificate is given beside.
func pageHost(at netip.AddrPort, cert *tls.Certificate) (host, problem string) {
	place := func(name string) string { return net.JoinHostPort(name, strconv.Itoa(int(at.Port()))) }
	ip := at.Addr()
	here := ip.String()
	if ip.IsUnspecified() {
		here = "localhost"
	}
	if cert == nil {
		return place(here), ""
	}
	names := []string{here}
	if ip.IsLoopback() {
		names = append(names, "localhost")
	}
	for _, name := range cert.Leaf.DNSNames {
		if name != "localhost" && !strings.HasPrefix(name, "*") {
			names = append(names, name)
		}
	}
	if ip.IsUnspecified() {
		for _, other := range cert.Leaf.IPAddresses {
			names = append(names, other.String())
		}
		names = append(names[1:], here)
	}
	if now := time.Now(); now.After(cert.Leaf.NotAfter) || now.Before(cert.Leaf.NotBefore) {
		problem = fmt.Sprintf("the certificate holds from %s to %s", cert.Leaf.NotBefore.Local().Format(time.DateTime), cert.Leaf.NotAfter.Local().Format(time.DateTime))
	}
	for _, name := range names {
		if cert.Leaf.VerifyHostname(name) == nil {
			return place(name), problem
		}
	}
	return place(here), "the certificate is for no name (subjectAltName) under which this is opened, such as " + here
}

// stop ends what goes on, as a signal does, and answers no more.
func (p *page) stop() {
	p.web.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		p.server.Close()
	}
}
