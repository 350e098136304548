package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Load reads a file of JSON, which a name that ends in .gz says is compressed. An unknown member is an
// error: a field that the plain value lacks would be compared by nobody.
func Load[T any](dir, name string) (*T, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	var source io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(name, ".gz") {
		if source, err = gzip.NewReader(source); err != nil {
			return nil, err
		}
	}
	decoder := json.NewDecoder(source)
	decoder.DisallowUnknownFields()
	value := new(T)
	return value, decoder.Decode(value)
}
