package place

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// Parts of a tsconfig.json, which has comments: those are taken out before.
var (
	commentsOfConfig = regexp.MustCompile(`(?m)^\s*//.*$|/\*(?s:.*?)\*/`)
	isVerbatim       = regexp.MustCompile(`"verbatimModuleSyntax"\s*:\s*true`)
	isByPackage      = regexp.MustCompile(`(?i)"module"\s*:\s*"(node\w+|commonjs)"`)
)

// adviseModules warns if the compiler takes TypeScript in a folder for CommonJS, and
// refuses modules there: in a project as `npm init` and `tsc --init` begin it.
func (b *Batch) adviseModules(dir string) error {
	manifest, isModule, err := packageOf(dir)
	if err != nil || manifest == "" || isModule {
		return err
	}
	config, err := nearest(dir, "tsconfig.json")
	if err != nil || config == "" {
		return err
	}
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	text = commentsOfConfig.ReplaceAll(text, nil)
	if isVerbatim.Match(text) && isByPackage.Match(text) {
		b.warn(codeModules, "%s does not say that its files are modules, and %s has `verbatimModuleSyntax`: TypeScript does not compile the modules in %s",
			filepath.ToSlash(shortPath(manifest)), filepath.ToSlash(shortPath(config)), filepath.ToSlash(dir)).
			WithHelp("run `npm pkg set type=module`")
	}
	return nil
}

// packageOf is the package.json that a folder belongs to, and whether its files are modules.
func packageOf(dir string) (path string, isModule bool, err error) {
	path, err = nearest(dir, "package.json")
	if err != nil || path == "" {
		return "", false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false, err
	}
	var manifest struct{ Type string }
	if json.Unmarshal(text, &manifest) != nil { // which is for npm to refuse
		return "", false, nil
	}
	return path, manifest.Type == "module", nil
}

// nearest is a file of a name in a folder or in the first above it that has one; empty
// where none has.
func nearest(dir, name string) (string, error) {
	above, err := FoldersAbove(dir)
	if err != nil {
		return "", err
	}
	for _, folder := range above {
		if path := filepath.Join(folder, name); isRegular(path) {
			return path, nil
		}
	}
	return "", nil
}
