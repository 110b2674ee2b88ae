package outbound

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// resolver answers every question for an A record with one address, and every other with none.
func resolver(t *testing.T, ip net.IP) *net.Resolver {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			end := 12
			for end < n && buf[end] != 0 { // the name
				end += int(buf[end]) + 1
			}
			question := buf[12 : end+5]
			reply := append([]byte{}, buf[:2]...)
			isA := binary.BigEndian.Uint16(question[len(question)-4:]) == 1
			answers := byte(0)
			if isA {
				answers = 1
			}
			reply = append(reply, 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0)
			reply = append(reply, question...)
			if isA {
				reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4), ip.To4()...)
			}
			_, _ = c.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(Asks(t.Context(), u), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// TestNamesThatResolveToLinkLocal asks a resolver of its own: the name of an ordinary host is reached, one that resolves to a
// link-local address is not.
func TestNamesThatResolveToLinkLocal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	good := Transport(&net.Dialer{Resolver: resolver(t, net.IPv4(127, 0, 0, 1))})
	defer good.CloseIdleConnections()
	if body, err := get(t, &http.Client{Transport: good}, "http://good.example.:"+port); err != nil || body != "here" {
		t.Fatalf("%q, %v", body, err)
	}
	bad := Transport(&net.Dialer{Resolver: resolver(t, net.IPv4(169, 254, 169, 254))})
	_, err := get(t, &http.Client{Transport: bad}, "http://bad.example.:"+port)
	if err == nil || !strings.Contains(err.Error(), "169.254.169.254 is a link-local address") {
		t.Errorf("%v", err)
	}
}

// TestRedirectsToLinkLocal follows redirects to every way to write such an address.
func TestRedirectsToLinkLocal(t *testing.T) {
	for _, to := range []string{"169.254.169.254", "169.254.0.1:8080", "[fe80::1]", "[febf::1%25lo]:99", "[::ffff:169.254.169.254]", "[::ffff:a9fe:1]"} {
		server := httptest.NewServer(http.RedirectHandler("http://"+to+"/latest/meta-data", http.StatusFound))
		_, err := get(t, &http.Client{Transport: Transport(nil)}, server.URL)
		server.Close()
		if err == nil || !strings.Contains(err.Error(), "is a link-local address") {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestMayDial(t *testing.T) {
	asks := func(text string) context.Context {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return Asks(t.Context(), u)
	}
	for _, c := range []struct {
		asks, dials string
		may         bool
	}{
		{"http://169.254.1.2/x", "169.254.1.2:80", true},
		{"http://169.254.1.2/x", "[::ffff:169.254.1.2]:80", true},
		{"http://[fe80::1%25eth0]/x", "[fe80::1%eth0]:80", true},
		{"http://169.254.1.2/x", "169.254.1.3:80", false},
		{"http://169.254.169.254.example.com/x", "169.254.169.254:80", false},
		{"http://example.com/169.254.169.254", "169.254.169.254:80", false},
		{"http://2852039166/", "169.254.169.254:80", false},
		{"http://example.com", "[fe80::1%eth0]:80", false},
		{"http://example.com", "127.0.0.1:80", true},
		{"http://example.com", "10.0.0.1:80", true},
		{"http://example.com", "[2001:db8::1]:80", true},
	} {
		if err := mayDial(asks(c.asks), "tcp", c.dials, nil); (err == nil) != c.may {
			t.Errorf("%s dials %s: %v", c.asks, c.dials, err)
		}
	}
}
