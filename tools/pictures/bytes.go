package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// field is a row of `sdp inspect`: bytes, and their meaning.
type field struct {
	Offset           int
	Hex, Path, Value string
}

// group names fields whose paths begin alike.
type group struct{ name, look, first string }

// rows is a picture of bytes: a row for each field.
type rows struct {
	fields []field
	groups []group
	legend string
}

const (
	cell      = 21
	rowHeight = 25
	textStart = 118
)

func (r *rows) draw(sheet *canvas) {
	y, look := float64(edge), plain
	most := 0
	for _, one := range r.fields {
		most = max(most, len(one.cells()))
	}
	meaning := float64(textStart + most*cell + 14)
	for i, one := range r.fields {
		for _, g := range r.groups {
			if one.Path == g.first {
				if i > 0 {
					y += 10
				}
				sheet.text(edge, y+15, "start", bold, g.name)
				look = g.look
			}
		}
		sheet.text(textStart-12, y+15, "end", faint, strconv.Itoa(one.Offset))
		cells, prefix := one.cells(), one.prefix()
		for at, text := range cells {
			left := float64(textStart + at*cell)
			shade := look
			if at < prefix {
				shade = dashed
			}
			sheet.rect(sized(left, y, cell, 21), shade)
			sheet.text(left+cell/2.0, y+15, "middle", mono, text)
		}
		depth := strings.Count(one.Path, ".")
		name := one.Path[strings.LastIndex(one.Path, ".")+1:]
		sheet.text(meaning+float64(14*depth), y+15, "start", plain, name+": "+one.Value)
		y += rowHeight
	}
	sheet.text(textStart, y+20, "start", faint, r.legend)
}

// cells are the bytes, two digits each.
func (f *field) cells() (cells []string) {
	for digits := f.Hex; len(digits) >= 2; digits = digits[2:] {
		cells = append(cells, digits[:2])
	}
	return cells
}

// lengths are values of lists.
var lengths = regexp.MustCompile(`^\d+ items?$`)

// prefix is how many bytes of a text or a list are its length.
func (f *field) prefix() int {
	if lengths.MatchString(f.Value) {
		return len(f.cells())
	}
	text, err := strconv.Unquote(f.Value)
	if err != nil {
		return 0
	}
	return len(f.cells()) - len(text)
}

// block finds a block of a document by the name of its file: of several the last, which is there in the end.
func block(document, name string) (string, error) {
	found := regexp.MustCompile("(?s)```[a-z]+ "+regexp.QuoteMeta(name)+"\n(.*?)```").FindAllStringSubmatch(document, -1)
	if found == nil {
		return "", fmt.Errorf("no block is named %s", name)
	}
	return found[len(found)-1][1], nil
}

// inspected encodes the value of a document with its schema, and tells what each byte means.
func inspected(root, document, schema, value, name string) ([]field, error) {
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		return nil, err
	}
	place, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(place)
	for _, file := range []string{schema, value} {
		content, err := block(string(text), file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", document, err)
		}
		if err := os.WriteFile(filepath.Join(place, file), []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	tool := driver.Tool{In: strings.NewReader(""), Out: &out, Err: io.Discard}
	message := filepath.Join(place, "message")
	if err := tool.Convert(driver.ConvertOptions{
		Schema: filepath.Join(place, schema), Type: name, In: filepath.Join(place, value), Out: message, From: driver.FormJSON, To: driver.FormMessage,
	}); err != nil {
		return nil, err
	}
	if err := tool.Inspect(driver.InspectOptions{Schema: filepath.Join(place, schema), In: message, JSON: true}); err != nil {
		return nil, err
	}
	var fields []field
	for decoder := json.NewDecoder(&out); ; {
		var one field
		if err := decoder.Decode(&one); err == io.EOF {
			return fields, nil
		} else if err != nil {
			return nil, err
		}
		fields = append(fields, one)
	}
}
