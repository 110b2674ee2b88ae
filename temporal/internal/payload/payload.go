// Package payload says what the histories of Temporal hold of values: large ones stand in a store beside them, and with a key all
// are encrypted.
package payload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// Threshold is the size in bytes from which on a value stands in the store.
const Threshold = 256 << 10

// Options say where large values stand and how values are encrypted.
type Options struct {
	// Store is "files", the folder temporal/payloads of the home; a path with a /, another folder; "s3://BUCKET/PREFIX"; or "none".
	Store string
	// Home gives the home's folder, for "files".
	Home func() (string, error)
	// Keys are names of environment variables with a key each, separated by commas: the first encrypts, all decrypt. "": nothing is
	// encrypted.
	Keys   string
	Getenv func(name string) string
}

// Configure has a client or a worker keep to the options. All that talk to one namespace need the same.
func Configure(o *client.Options, with Options) error {
	driver, err := with.driver()
	if err != nil {
		return err
	}
	if driver != nil {
		o.ExternalStorage = converter.ExternalStorage{Drivers: []converter.StorageDriver{driver}, PayloadSizeThreshold: Threshold}
	}
	if with.Keys == "" {
		return nil
	}
	codec, err := newCodec(with.Keys, with.Getenv)
	if err != nil {
		return err
	}
	o.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	// messages of errors are no values, unless they are made to be
	o.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: o.DataConverter, EncodeCommonAttributes: true})
	return nil
}

func (o *Options) driver() (converter.StorageDriver, error) {
	switch {
	case o.Store == "none":
		return nil, nil
	case o.Store == "files":
		home, err := o.Home()
		if err != nil {
			return nil, err
		}
		return newFiles(filepath.Join(home, "temporal", "payloads")), nil
	case strings.HasPrefix(o.Store, "s3://"):
		return newS3(o.Store, o.Getenv)
	case strings.Contains(o.Store, "/") && !strings.Contains(o.Store, "://"):
		return newFiles(o.Store), nil
	}
	return nil, fmt.Errorf("the store of large values is %q: want files, a folder (with a /), s3://BUCKET/PREFIX or none", o.Store)
}

// sumKey is under which the claim of a value has its SHA-256, which names it in the store.
const sumKey = "sha256"

// storedText is how a value stands in a store, and the name that it has there.
func storedText(p *commonpb.Payload) (text []byte, sum string, err error) {
	text, err = proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(text)
	return text, hex.EncodeToString(hash[:]), nil
}

// sumOf reads a claim. It stands in a history, which others may write.
func sumOf(c converter.StorageDriverClaim) (string, error) {
	sum := c.ClaimData[sumKey]
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
		return "", fmt.Errorf("%q names no stored value", sum)
	}
	return sum, nil
}

// readBack reads a value as it stands in a store. It must be the one that was claimed.
func readBack(text []byte, sum string) (*commonpb.Payload, error) {
	if hash := sha256.Sum256(text); hex.EncodeToString(hash[:]) != sum {
		return nil, fmt.Errorf("the stored value %s is not what was stored: its SHA-256 is %x", sum, hash)
	}
	p := &commonpb.Payload{}
	return p, proto.Unmarshal(text, p)
}

// storeEach stores values one after the other.
func storeEach(ctx converter.StorageDriverStoreContext, payloads []*commonpb.Payload, put func(sum string, text []byte) error) ([]converter.StorageDriverClaim, error) {
	out := make([]converter.StorageDriverClaim, len(payloads))
	for i, p := range payloads {
		err := ctx.GetLimiter().Permit(ctx.Context, p, func() error {
			text, sum, err := storedText(p)
			if err != nil {
				return err
			}
			out[i] = converter.StorageDriverClaim{ClaimData: map[string]string{sumKey: sum}}
			return put(sum, text)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// retrieveEach reads values one after the other.
func retrieveEach(ctx converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim, get func(sum string) ([]byte, error)) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(claims))
	for i, c := range claims {
		err := ctx.GetLimiter().Permit(ctx.Context, c, func() error {
			sum, err := sumOf(c)
			if err != nil {
				return err
			}
			text, err := get(sum)
			if err != nil {
				return err
			}
			out[i], err = readBack(text, sum)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
