package session_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The core has no socket, clock, goroutine or random source [MXP-5.1]: all its imports are listed
// here. Context is for what errors.Is compares with.
func TestCoreImportsNothingThatActs(t *testing.T) {
	allowed := []string{
		"bytes", "cmp", "container/heap", "context", "encoding/binary", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices", "strconv", "strings",
		"github.com/serial-data-protocol/sdp/mxp/go/frame", "github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control",
		"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/registry",
		"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers", "github.com/serial-data-protocol/sdp/runtime/go",
	}
	is := map[string]bool{}
	for _, path := range allowed {
		is[path] = true
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\tgo ") {
			t.Errorf("%s starts a goroutine", file.Name())
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range parsed.Imports {
			seen++
			if path, _ := strconv.Unquote(one.Path.Value); !is[path] {
				t.Errorf("%s imports %s", file.Name(), path)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d imports were seen", seen)
	}
}
