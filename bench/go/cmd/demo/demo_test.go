package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const input = "../../../../examples/registry/lv2-62.json"

// built are the programs in other languages, which take long to build.
var built []counterpart

func TestMain(m *testing.M) {
	os.Exit(withCounterparts(m))
}

func withCounterparts(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sdp-demo-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if built, err = counterparts(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func TestDemoPrintsEveryWayAndSize(t *testing.T) {
	var out strings.Builder
	if err := run(&out, input, built); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"62 plugins with 1,759 parameters, 517,000 bytes of JSON",
		"byte mode → Go → JSON        equal",
		"message mode → Go → JSON     equal",
		"119,150", "119,160", "encoding/json", "protobuf-go",
		"compact.sdp): 102,575 bytes; Protobuf: 87,661",
		"message mode: Go → Rust → Go             the same bytes",
		"byte mode: Go → Rust → Go                the same bytes",
		"Rust, µs: encode",
		"message mode: Go → C++ → Go              the same bytes",
		"byte mode: Go → C++ → Go                 the same bytes",
		"C++, µs: encode",
		"message mode: Go → Python → Go           the same bytes",
		"byte mode: Go → Python → Go              the same bytes",
		"Python, µs: encode",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from:\n%s", want, &out)
		}
	}
}

// plugin is a registry with one plugin in canonical JSON, which writes 64-bit
// integers as strings.
func plugin(name, defaultValue string) string {
	return `{"plugins":[{"name":"` + name + `","manufacturer":"","uri":"","class":"","parameters":[{"address":"4",` +
		`"display_name":"","identifier":"","unit":"","min_value":0,"max_value":1,"default_value":` + defaultValue +
		`,"current_value":0,"raw_flags":0,"is_writable":true,"can_ramp":false}]}],` +
		`"total_plugin_count":1,"total_parameter_count":1}`
}

func TestDemoTakesAnyRegistry(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"canonical JSON", plugin("a", "0.5"), "1 plugins with 1 parameters"},
		{"empty", `{"plugins":[],"total_plugin_count":0,"total_parameter_count":0}`, "0 plugins"},
		{"a value that encoding/json has no text for", plugin("a", `"NaN"`), "unsupported value"},
		{"a name that no u8 can count", plugin(strings.Repeat("a", 256), "0"), "value_too_large in plugins[0].name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "registry.json")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := run(&out, path, built); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("%q is missing from:\n%s", c.says, &out)
			}
		})
	}
}

func TestDemoGoesOnWhereCompilersAreMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CXX", "")
	var out strings.Builder
	others, err := counterparts(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := run(&out, input, others); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Rust: skipped, cargo is missing", "C++: skipped, a compiler is missing", "Python: skipped, python3 is missing"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from:\n%s", want, &out)
		}
	}
}

func TestDemoNamesWhatIsWrongWithItsInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.json")
	if err := os.WriteFile(path, []byte(`{"plugins":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(io.Discard, path, built)
	if err == nil || !strings.Contains(err.Error(), "json_invalid at byte 11 in plugins") {
		t.Errorf("got %v", err)
	}
}
