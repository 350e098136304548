package cpp

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// spellers are the files that tell kinds of types apart. All others print what these
// spell, and what plan, memory and lower know.
var spellers = []string{"decls.go", "lang.go", "model.go", "scalar.go", "types.go"}

func TestKindsOfTypesAreToldApartInFewFiles(t *testing.T) {
	kind := regexp.MustCompile(`\bir\.(\w+Kind|Bool|[UIF]\d+)\b`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		switch found := kind.FindAll(text, -1); {
		case slices.Contains(spellers, name):
			told += len(found)
		case len(found) > 0:
			t.Errorf("%s asks for %s, which is for %v to tell", name, found[0], spellers)
		}
	}
	if told == 0 {
		t.Error("no kind was seen")
	}
}
