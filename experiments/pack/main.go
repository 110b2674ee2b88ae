// Pack writes the archive of the shipped experiment anew: go generate ./experiments.
package main

import (
	"log"
	"os"

	"pflow/experiments"
)

func main() {
	data, err := experiments.Pack(os.DirFS("."))
	if err == nil {
		err = os.WriteFile(experiments.Archive, data, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
