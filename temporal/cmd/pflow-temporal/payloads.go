package main

import (
	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"pflow/temporal/internal/payload"
)

// payloadFlags say where large values stand and how values are encrypted. A worker and all that begin its runs need the same, so
// that the environment says it, too.
func (a *app) payloadFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.store, "payloads", a.fromEnv("PFLOW_TEMPORAL_PAYLOADS", "files"), "where values over 256 KB stand: files (in the home), a `FOLDER` with a /, s3://BUCKET/PREFIX or none (also $PFLOW_TEMPORAL_PAYLOADS)")
	f.StringVar(&a.keys, "keys", a.getenv("PFLOW_TEMPORAL_KEYS"), "encrypt values with the key in the environment variable `NAME`; those in NAME,OLD... are read, too (also $PFLOW_TEMPORAL_KEYS)")
}

// withPayloads has a client keep to the flags.
func (a *app) withPayloads(o *client.Options) error {
	err := payload.Configure(o, payload.Options{Store: a.store, Home: a.home, Keys: a.keys, Getenv: a.getenv})
	if err != nil {
		return usage("%v", err)
	}
	return nil
}

// converter reads values that no call of the client reads itself.
func (a *app) converter() converter.DataConverter {
	var o client.Options
	if err := a.withPayloads(&o); err != nil || o.DataConverter == nil {
		return converter.GetDefaultDataConverter()
	}
	return o.DataConverter
}
