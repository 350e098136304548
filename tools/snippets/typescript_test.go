package snippets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typescriptConfig is what the blocks are compiled by: as strict as the compiler is.
const typescriptConfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022", "DOM"], "types": ["node"], "typeRoots": [%q], "strict": true,
    "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "skipLibCheck": true, "outDir": "out"
  },
  "include": ["ts", "blocks"]
}
`

// TestTypeScriptInDocumentsCompilesAndRuns makes a module of each block of docs/typescript.md,
// and runs it: what a block says, it asserts.
func TestTypeScriptInDocumentsCompilesAndRuns(t *testing.T) {
	module := begin(t)
	packages := absolute(t, "runtime/typescript/node_modules")
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, module, map[string]string{"registry/plugins.sdp": string(registry)})
	run(t, module, "sdp", "gen", "registry/plugins.sdp", "--out", "ts=ts")
	files := map[string]string{
		"tsconfig.json": fmt.Sprintf(typescriptConfig, filepath.ToSlash(filepath.Join(packages, "@types"))),
		"package.json":  `{"type": "module"}`,
	}
	var all []string
	for _, b := range of("ts", blocksOf(t, "docs/typescript.md")) {
		name := fmt.Sprintf("line%d", b.line)
		files["blocks/"+name+".ts"] = strings.ReplaceAll(b.text, "\"./plugins.js\"", "\"../ts/plugins.js\"") + "\nexport {};\n"
		files["blocks/"+name+".ts"] = strings.ReplaceAll(files["blocks/"+name+".ts"], "\"./sdp/index.js\"", "\"../ts/sdp/index.js\"")
		all = append(all, name)
	}
	if len(all) < 5 {
		t.Fatalf("only %d blocks", len(all))
	}
	put(t, module, files)
	run(t, module, filepath.Join(packages, ".bin", "tsc"), "-p", ".")
	for _, name := range all {
		run(t, module, "node", filepath.Join("out", "blocks", name+".js"))
	}
}
