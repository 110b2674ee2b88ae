package payload

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// The metadata of an encrypted value.
const (
	encrypted = "binary/encrypted"
	keyID     = "encryption-key-id"
)

// codec encrypts values with AES-256 in Galois/Counter Mode. Each value has its own nonce, and names the key that it wants.
type codec struct {
	first string // the id of the key that encrypts
	keys  map[string]cipher.AEAD
}

// newCodec reads keys from environment variables.
func newCodec(names string, getenv func(string) string) (*codec, error) {
	c := &codec{keys: map[string]cipher.AEAD{}}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		key, err := keyOf(name, getenv)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("pflow key id: "), key...))
		id := hex.EncodeToString(sum[:8])
		if c.first == "" {
			c.first = id
		}
		c.keys[id] = aead
	}
	return c, nil
}

// keyOf reads one key: 32 bytes in base64 or hexadecimal digits. The error does not quote it.
func keyOf(name string, getenv func(string) string) ([]byte, error) {
	text := strings.TrimSpace(getenv(name))
	if text == "" {
		return nil, fmt.Errorf("the key in the environment variable %s is not set; make one with: openssl rand -base64 32", name)
	}
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.StdEncoding.DecodeString, base64.URLEncoding.DecodeString} {
		if key, err := decode(text); err == nil && len(key) == 32 {
			return key, nil
		}
	}
	return nil, fmt.Errorf("the key in the environment variable %s is not 32 bytes in base64 or hexadecimal digits; make one with: openssl rand -base64 32", name)
}

var _ converter.PayloadCodec = (*codec)(nil)

// Encode implements converter.PayloadCodec.
func (c *codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		text, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		aead := c.keys[c.first]
		nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(text)+aead.Overhead())
		rand.Read(nonce)
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encrypted), keyID: []byte(c.first)},
			Data:     aead.Seal(nonce, nonce, text, []byte(c.first)),
		}
	}
	return out, nil
}

// Decode implements converter.PayloadCodec. What was kept before there was a key is as it is.
func (c *codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encrypted {
			out[i] = p
			continue
		}
		id := string(p.GetMetadata()[keyID])
		aead := c.keys[id]
		if aead == nil {
			return nil, fmt.Errorf("a value is encrypted with the key %s, which is not among those that are given: %s; name the variable that holds it after the first", printed(id), strings.Join(c.ids(), ", "))
		}
		if len(p.GetData()) < aead.NonceSize() {
			return nil, fmt.Errorf("a value that is encrypted with the key %s is cut off", id)
		}
		text, err := aead.Open(nil, p.GetData()[:aead.NonceSize()], p.GetData()[aead.NonceSize():], []byte(id))
		if err != nil {
			return nil, fmt.Errorf("a value that is encrypted with the key %s was changed", id)
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(text, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *codec) ids() []string {
	out := []string{c.first}
	for id := range c.keys {
		if id != c.first {
			out = append(out, id)
		}
	}
	return out
}

// printed is an id as it stands in metadata, for a message.
func printed(id string) string {
	if len(id) > 32 {
		id = id[:32]
	}
	return fmt.Sprintf("%q", id)
}
