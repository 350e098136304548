package place

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// generatedLine begins each file that sdp makes of a schema, and says of which.
var generatedLine = regexp.MustCompile(`^(?://|#) (?:Code generated|@generated) by sdp \S+ from (.+\.sdp)\. DO NOT EDIT\.$`)

// goPackageLine says of which package the folder of a Go package was made.
var goPackageLine = regexp.MustCompile(`^// Package \S+ holds the types of (\S+)\.$`)

// EarlierFile is one that sdp made at some time.
type EarlierFile struct {
	Path   string
	Schema string // the name of its schema's file, without folders
}

// Earlier looks into the folders of packages: folders whose path below the output is the name of
// the package that was made there. Folders with a module or a config file of their own are somebody
// else's.
func (Go) Earlier(o Output) ([]EarlierFile, error) {
	var found []EarlierFile
	dir := o.Dir
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return filepath.SkipAll
		case err != nil:
			return nil
		case entry.IsDir() && path != dir && (isSkipped(path, entry.Name()) ||
			isRegular(filepath.Join(path, "go.mod")) || isRegular(filepath.Join(path, ConfigName))):
			return filepath.SkipDir
		case entry.IsDir() || entry.Name() != golang.TypesFile:
			return nil
		}
		folder, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil || withoutPrefix(goPackageOf(path), o.Option(GoPrefix)) != strings.ReplaceAll(filepath.ToSlash(folder), "/", ".") {
			return err
		}
		for _, pattern := range []string{"*.sdp.go", "*.sdp_test.go", "testdata/*.vectors"} {
			found = append(found, earlierIn(filepath.Dir(path), pattern)...)
		}
		return nil
	})
	return found, err
}

// goPackageOf is the schema's package that a file of types says that it is of.
func goPackageOf(path string) string {
	for _, line := range firstLines(path, 3) {
		if match := goPackageLine.FindStringSubmatch(line); match != nil {
			return match[1]
		}
	}
	return ""
}

// Files are the files of a folder, which a package has to itself.
func (Go) Files(*ir.Package) []string {
	return []string{
		golang.TypesFile, golang.CodecFile, golang.MessagesFile, golang.ViewFile, golang.JSONFile, golang.ServicesFile,
	}
}

func (Rust) Earlier(o Output) ([]EarlierFile, error) {
	return append(earlierIn(o.Dir, "*.rs"), earlierIn(o.Dir, "*.vectors")...), nil
}

func (Rust) Files(pkg *ir.Package) []string {
	return []string{rust.ModuleName(pkg.Name) + ".rs", rust.ServicesModule(pkg) + ".rs"}
}

func (Cpp) Earlier(o Output) ([]EarlierFile, error) {
	return append(append(earlierIn(o.Dir, "*.hpp"), earlierIn(o.Dir, "*.cpp")...), earlierIn(o.Dir, "*.vectors")...), nil
}

func (Cpp) Files(pkg *ir.Package) []string {
	return []string{cpp.Header(pkg), cpp.Source(pkg), cpp.ServiceHeader(pkg)}
}

// EarlierOf lists the files of a package's folder that sdp made of its schema, among files with the
// given names.
func EarlierOf(pkg *ir.Package, dir string, names []string) []EarlierFile {
	return slices.DeleteFunc(made(dir, names), func(f EarlierFile) bool { return f.Schema != filepath.Base(pkg.Path) })
}

// EarlierBy lists what a program made below a folder, whose files begin with a mark and the
// name of their schema. Hidden folders, and folders with a config file of their own, are left out.
func EarlierBy(dir, mark string) []EarlierFile {
	line := regexp.MustCompile(regexp.QuoteMeta(mark) + ` from (.+\.sdp)\. DO NOT EDIT\.`)
	var found []EarlierFile
	// A folder that cannot be read has no files that could be removed.
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return filepath.SkipDir
		case entry.IsDir() && path != dir && (isSkipped(path, entry.Name()) || isRegular(filepath.Join(path, ConfigName))):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		for _, first := range firstLines(path, 1) {
			if match := line.FindStringSubmatch(first); match != nil {
				found = append(found, EarlierFile{Path: path, Schema: match[1]})
			}
		}
		return nil
	})
	return found
}

// earlierIn lists the files of one folder that sdp made, among files that match a pattern.
func earlierIn(dir, pattern string) []EarlierFile {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	return made(dir, names)
}

// made lists the files of one folder that sdp made, among files with the given names.
func made(dir string, names []string) []EarlierFile {
	var found []EarlierFile
	for _, name := range names {
		path := filepath.Join(dir, name)
		for _, line := range firstLines(path, 1) {
			if match := generatedLine.FindStringSubmatch(line); match != nil && !isCompiled(name, line) {
				found = append(found, EarlierFile{Path: path, Schema: match[1]})
			}
		}
	}
	return found
}

// isCompiled tells whether a file is a compiler's output for generated TypeScript, whose first line
// it has copied.
func isCompiled(name, line string) bool {
	return (strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".d.ts")) && strings.HasPrefix(line, typeScript.mark)
}

// firstLines are a file's first lines, as many as there are; a file that cannot be
// read has none.
func firstLines(path string, count int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var lines []string
	for text := bufio.NewScanner(file); len(lines) < count && text.Scan(); {
		lines = append(lines, text.Text())
	}
	return lines
}
