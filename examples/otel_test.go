package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signals are the schemas of examples/otel, and the type of each that is a message of its own.
var signals = []struct{ name, message string }{{"trace", "TracesData"}, {"metrics", "MetricsData"}, {"logs", "LogsData"}}

// telemetry decodes a message of each signal, and writes it again, as bytes and as JSON.
const telemetry = `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"otel/otel/logs"
	"otel/otel/metrics"
	"otel/otel/trace"
)

type message interface {
	UnmarshalMessage([]byte) error
	AppendMessage([]byte) ([]byte, error)
}

func main() {
	for i, value := range []message{&trace.TracesData{}, &metrics.MetricsData{}, &logs.LogsData{}} {
		data, err := os.ReadFile(os.Args[i+1])
		if err != nil {
			log.Fatal(err)
		}
		if err := value.UnmarshalMessage(data); err != nil {
			log.Fatal(err)
		}
		again, err := value.AppendMessage(nil)
		if err != nil {
			log.Fatal(err)
		}
		if !bytes.Equal(again, data) {
			log.Fatalf("%T is %d bytes, and was %d", value, len(again), len(data))
		}
		text, err := json.Marshal(value)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
}
`

func TestTelemetrySurvivesTheTripThroughGeneratedCode(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module otel\n\ngo 1.23\n", "main.go": telemetry} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	example, err := filepath.Abs("otel")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	var schemas, messages []string
	for _, s := range signals {
		schema := filepath.Join(example, s.name+".sdp")
		run(t, folder, tool, "check", schema)
		run(t, folder, tool, "fmt", "--check", schema)
		value := filepath.Join(example, s.name+".json")
		text, err := os.ReadFile(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&want, text); err != nil {
			t.Fatal(err)
		}
		want.WriteByte('\n')
		data := filepath.Join(folder, s.name+".sdpm")
		run(t, folder, tool, "convert", schema, s.message, "--from", "json", "--to", "message", value, "-o", data)
		schemas, messages = append(schemas, schema), append(messages, data)
	}
	run(t, folder, tool, append([]string{"gen", "--out", "go=."}, schemas...)...)
	t.Setenv("GOWORK", "off")
	got := run(t, folder, "go", append([]string{"run", "."}, messages...)...)
	if strings.TrimSpace(got) != strings.TrimSpace(want.String()) {
		t.Errorf("the generated code writes\n%s\nand read\n%s", got, &want)
	}
}
