package payload

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

func values(texts ...string) (out []*commonpb.Payload) {
	for _, text := range texts {
		out = append(out, &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(text)})
	}
	return out
}

func storing() converter.StorageDriverStoreContext {
	return converter.StorageDriverStoreContext{Context: context.Background()}
}

func retrieving() converter.StorageDriverRetrieveContext {
	return converter.StorageDriverRetrieveContext{Context: context.Background()}
}

// environment is one of a test.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// holds stores values, reads them back, and refuses what it did not store.
func holds(t *testing.T, d converter.StorageDriver) []converter.StorageDriverClaim {
	t.Helper()
	want := values(strings.Repeat("large ", 100_000), "small", "")
	var claims []converter.StorageDriverClaim
	for range 2 { // what is there already stays
		var err error
		if claims, err = d.Store(storing(), want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.Retrieve(retrieving(), claims)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !proto.Equal(want[i], got[i]) {
			t.Errorf("value %d: got %d bytes", i, len(got[i].Data))
		}
	}
	for _, sum := range []string{"", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 62)} {
		_, err := d.Retrieve(retrieving(), []converter.StorageDriverClaim{{ClaimData: map[string]string{sumKey: sum}}})
		if err == nil || !strings.Contains(err.Error(), "names no stored value") {
			t.Errorf("%q: %v", sum, err)
		}
	}
	_, err = d.Retrieve(retrieving(), []converter.StorageDriverClaim{{ClaimData: map[string]string{sumKey: strings.Repeat("a", 64)}}})
	if err == nil || !strings.Contains(err.Error(), strings.Repeat("a", 64)) {
		t.Errorf("a value that is not there: %v", err)
	}
	return claims
}

func TestFiles(t *testing.T) {
	f := newFiles(filepath.Join(t.TempDir(), "payloads"))
	claims := holds(t, f)
	path := f.path(claims[1].ClaimData[sumKey])
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Retrieve(retrieving(), claims[1:2]); err == nil || !strings.Contains(err.Error(), "is not what was stored") {
		t.Errorf("a value that was changed: %v", err)
	}
	if _, err := f.Store(storing(), values("small")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Retrieve(retrieving(), claims[1:2]); err != nil {
		t.Errorf("a value that was changed and stored again: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// bucket is a server of S3's protocol with one bucket.
func bucket(t *testing.T) func(string) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("values"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return environment("AWS_ENDPOINT_URL", server.URL, "AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret", "AWS_REGION", "us-east-1")
}

func TestS3(t *testing.T) {
	env := bucket(t)
	s, err := newS3("s3://values/some/runs/", env)
	if err != nil {
		t.Fatal(err)
	}
	claims := holds(t, s)
	if got := s.key(claims[0].ClaimData[sumKey]); !strings.HasPrefix(got, "some/runs/") {
		t.Errorf("a value stands at %s", got)
	}
	elsewhere, err := newS3("s3://none", env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := elsewhere.Store(storing(), values("x")); err == nil || !strings.Contains(err.Error(), "cannot be put into the bucket none") {
		t.Errorf("a bucket that is not there: %v", err)
	}
}

var (
	firstKey = base64.StdEncoding.EncodeToString([]byte("12345678901234567890123456789012"))
	nextKey  = hex.EncodeToString([]byte("abcdefghijklmnopqrstuvwxyzabcdef"))
)

func TestCodec(t *testing.T) {
	env := environment("OLD", firstKey, "NEW", nextKey)
	old, err := newCodec("OLD", env)
	if err != nil {
		t.Fatal(err)
	}
	want := values("readable text", "", strings.Repeat("long ", 10_000))
	kept, err := old.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range kept {
		if text := p.String(); strings.Contains(text, "readable") || strings.Contains(text, "json/plain") {
			t.Errorf("value %d can be read: %s", i, text)
		}
	}
	again, err := old.Encode(want)
	if err != nil || proto.Equal(again[0], kept[0]) {
		t.Errorf("a value is encrypted twice in the same way: %v", err)
	}
	both, err := newCodec("NEW, OLD", env)
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := both.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]*commonpb.Payload{kept, renewed, want} { // what was kept before there was a key, too
		got, err := both.Decode(list)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !proto.Equal(want[i], got[i]) {
				t.Errorf("value %d is not what it was", i)
			}
		}
	}
	if _, err := old.Decode(renewed); err == nil || !strings.Contains(err.Error(), both.first) {
		t.Errorf("a key that is not there: %v", err)
	}
	kept[0].Data[len(kept[0].Data)-1] ^= 1
	if _, err := old.Decode(kept[:1]); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a value that was changed: %v", err)
	}
	kept[1].Data = kept[1].Data[:5]
	if _, err := old.Decode(kept[1:2]); err == nil || !strings.Contains(err.Error(), "is cut off") {
		t.Errorf("a value that was cut: %v", err)
	}
}

func TestConfigure(t *testing.T) {
	home := func() (string, error) { return "/home", nil }
	for _, c := range []struct{ store, keys, driver, want string }{
		{"files", "", "files", ""},
		{"files", "KEY", "files", ""},
		{"./values", "", "files", ""},
		{"s3://values", "", "s3", ""},
		{"none", "", "", ""},
		{"s4://values", "", "", `is "s4://values": want files`},
		{"s3://", "", "", `want s3://BUCKET/PREFIX`},
		{"none", "SHORT", "", "SHORT is not 32 bytes"},
		{"none", "KEY,ABSENT", "", "ABSENT is not set"},
	} {
		var o client.Options
		err := Configure(&o, Options{Store: c.store, Home: home, Keys: c.keys, Getenv: environment("KEY", firstKey, "SHORT", "abc", "AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "s")})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "abc") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if (c.driver != "") != (len(o.ExternalStorage.Drivers) == 1) || c.driver != "" && o.ExternalStorage.Drivers[0].Name() != c.driver {
			t.Errorf("%+v: %v", c, o.ExternalStorage.Drivers)
		}
		if (c.keys != "") != (o.DataConverter != nil) || (c.keys != "") != (o.FailureConverter != nil) {
			t.Errorf("%+v: the converters are %v and %v", c, o.DataConverter, o.FailureConverter)
		}
	}
	if _, err := newS3("s3://values", environment("AWS_ENDPOINT_URL", "example.org")); err == nil || !strings.Contains(err.Error(), "want a URL") {
		t.Error(err)
	}
	if _, err := newS3("s3://values", environment()); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Error(err)
	}
}
