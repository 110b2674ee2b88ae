package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate is one of a test's own, for these names and addresses, in two files.
type certificate struct {
	cert, key string // files
	leaf      *x509.Certificate
}

func writeCertificate(t testing.TB, dir string, ends time.Time, names ...string) certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pflow"}, NotBefore: ends.Add(-30 * 24 * time.Hour), NotAfter: ends,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	c := certificate{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), leaf}
	for file, block := range map[string]*pem.Block{c.cert: {Type: "CERTIFICATE", Bytes: der}, c.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c certificate) flag() string { return "--tls=" + c.cert + "," + c.key }

// pin is what a browser trusts it by.
func (c certificate) pin() string {
	sum := sha256.Sum256(c.leaf.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// trusting is how a client connects that trusts what is in the file of --tls=CERT,KEY, and finds every name at 127.0.0.1.
func trusting(t testing.TB, flag string) *http.Transport {
	t.Helper()
	file, _, _ := strings.Cut(strings.TrimPrefix(flag, "--tls="), ",")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}}
}

// TestPageTLS: the page is served encrypted, under a name of the certificate, and its cookie goes no other way.
func TestPageTLS(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir(), writeCertificate(t, t.TempDir(), time.Now().Add(time.Hour), "example.com").flag())
	u, err := url.Parse(p.open)
	if err != nil || u.Scheme != "https" || u.Hostname() != "example.com" {
		t.Fatalf("%s: %v", p.open, err)
	}
	if strings.Contains(p.lines.String(), "certificate") {
		t.Errorf("it warns of a certificate that is right: %s", p.lines)
	}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	got := p.do("GET", p.open, nil, nil)
	cookies := (&http.Response{Header: got.Header}).Cookies()
	if got.Status != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("%d %v", got.Status, cookies)
	}
	if got := p.do("GET", "/runs", nil, map[string]string{"Host": "127.0.0.1", "Cookie": p.cookie()}); got.Status != http.StatusOK {
		t.Errorf("by its address: %d", got.Status)
	}
	if got := p.do("GET", "/runs", nil, map[string]string{"Host": "example.org"}); got.Status != http.StatusMisdirectedRequest {
		t.Errorf("by the name of somebody else: %d", got.Status)
	}
}

// TestPageHost: the address that is printed is one that can be opened, and what browsers will say against the certificate is said.
func TestPageHost(t *testing.T) {
	t.Parallel()
	future, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for _, c := range []struct {
		listens string
		ends    time.Time
		names   string
		want    string
		says    string
	}{
		{"127.0.0.1:1", future, "example.com 127.0.0.1", "127.0.0.1:1", ""},
		{"127.0.0.1:1", future, "example.com localhost", "localhost:1", ""},
		{"127.0.0.1:1", future, "*.example.com example.com", "example.com:1", ""},
		{"127.0.0.1:1", future, "10.0.0.1", "127.0.0.1:1", "for no name (subjectAltName) under which this is opened, such as 127.0.0.1"},
		{"127.0.0.1:1", future, "", "127.0.0.1:1", "for no name"},
		{"[::1]:1", future, "::1", "[::1]:1", ""},
		{"10.0.0.1:1", future, "localhost 10.0.0.1", "10.0.0.1:1", ""},
		{"10.0.0.1:1", future, "localhost", "10.0.0.1:1", "for no name"},
		{"0.0.0.0:1", future, "localhost example.com", "example.com:1", ""},
		{"0.0.0.0:1", future, "localhost 10.0.0.1", "10.0.0.1:1", ""},
		{"[::]:1", future, "localhost", "localhost:1", ""},
		{"[::]:1", future, "*.example.com", "localhost:1", "for no name"},
		{"127.0.0.1:1", past, "127.0.0.1", "127.0.0.1:1", "the certificate holds from "},
	} {
		cert := writeCertificate(t, t.TempDir(), c.ends, strings.Fields(c.names)...)
		got, says := pageHost(netip.MustParseAddrPort(c.listens), &tls.Certificate{Leaf: cert.leaf})
		if got != c.want || (says != "") != (c.says != "") || !strings.Contains(says, c.says) {
			t.Errorf("%s, for %q: %s, %q; want %s, %q", c.listens, c.names, got, says, c.want, c.says)
		}
	}
	for listens, want := range map[string]string{"0.0.0.0:1": "localhost:1", "[::1]:1": "[::1]:1", "127.0.0.1:1": "127.0.0.1:1"} {
		if got, says := pageHost(netip.MustParseAddrPort(listens), nil); got != want || says != "" {
			t.Errorf("%s: %s, %q; want %s", listens, got, says, want)
		}
	}
}
