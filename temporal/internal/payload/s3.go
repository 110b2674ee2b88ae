package payload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// s3 keeps values in a bucket of S3 or what speaks its protocol.
type s3 struct {
	client         *minio.Client
	bucket, prefix string
}

// newS3 reads s3://BUCKET/PREFIX, and from the variables that AWS's own programs read: the endpoint, the region and the keys.
func newS3(where string, getenv func(string) string) (*s3, error) {
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the store of large values is %q: want s3://BUCKET/PREFIX", where)
	}
	endpoint := getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		endpoint = "https://s3.amazonaws.com"
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL is %q: want a URL such as https://s3.example.org", endpoint)
	}
	if getenv("AWS_ACCESS_KEY_ID") == "" || getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, fmt.Errorf("the store %s wants keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", where)
	}
	c, err := minio.New(at.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")),
		Secure: at.Scheme == "https", Region: getenv("AWS_REGION"),
	})
	if err != nil {
		return nil, err
	}
	return &s3{c, u.Host, strings.Trim(u.Path, "/")}, nil
}

// Name implements converter.StorageDriver.
func (s *s3) Name() string { return "s3" }

// Type implements converter.StorageDriver.
func (s *s3) Type() string { return "pflow.s3" }

func (s *s3) key(sum string) string { return path.Join(s.prefix, sum) }

func (s *s3) failed(what, sum string, err error) error {
	return fmt.Errorf("the value %s cannot be %s the bucket %s: %w", sum, what, s.bucket, err)
}

// Store implements converter.StorageDriver.
func (s *s3) Store(ctx converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	return storeEach(ctx, payloads, func(sum string, text []byte) error {
		if got, err := s.client.StatObject(ctx.Context, s.bucket, s.key(sum), minio.StatObjectOptions{}); err == nil && got.Size == int64(len(text)) {
			return nil
		}
		_, err := s.client.PutObject(ctx.Context, s.bucket, s.key(sum), bytes.NewReader(text), int64(len(text)), minio.PutObjectOptions{ContentType: "application/octet-stream"})
		if err != nil {
			return s.failed("put into", sum, err)
		}
		return nil
	})
}

// Retrieve implements converter.StorageDriver.
func (s *s3) Retrieve(ctx converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return retrieveEach(ctx, claims, func(sum string) ([]byte, error) {
		text, err := s.get(ctx.Context, s.key(sum))
		if err != nil {
			return nil, s.failed("read from", sum, err)
		}
		return text, nil
	})
}

func (s *s3) get(ctx context.Context, key string) ([]byte, error) {
	o, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return io.ReadAll(o)
}
