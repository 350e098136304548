package names

import (
	"reflect"
	"testing"
)

func TestWordsSplitsAtUnderscoresAndCase(t *testing.T) {
	for name, want := range map[string][]string{
		"display_name": {"display", "name"},
		"minValue":     {"min", "value"},
		"HTTPServer2":  {"http", "server2"},
		"__a__b":       {"a", "b"},
		"X":            {"x"},
		"UPPER_SNAKE":  {"upper", "snake"},
	} {
		if got := Words(name); !reflect.DeepEqual(got, want) {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}
