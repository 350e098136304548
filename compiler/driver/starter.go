package driver

import (
	_ "embed" // for the starter's files
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/place"
)

// The files of a starter; {{package}} stands for the package's name.
var (
	//go:embed starter/starter.sdp
	starterSchema string
	//go:embed starter/sdp.toml
	starterConfig string
)

// Init writes a starter schema, a config file, and what each language needs to
// compile what is generated. It refuses to overwrite anything.
func (t *Tool) Init(dir string) error {
	name, err := packageName(dir)
	if err != nil {
		return err
	}
	starters := []place.StarterFile{
		{Path: filepath.Join(dir, name+schemaExt), Text: starterSchema},
		{Path: filepath.Join(dir, ConfigName), Text: starterConfig + t.starterOutputs()},
	}
	for _, l := range t.languages() {
		own, err := l.Starter(dir, name)
		if err != nil {
			return err
		}
		starters = append(starters, own...)
	}
	files := t.temps.NewSet()
	for _, file := range starters {
		if _, err := os.Lstat(file.Path); err == nil {
			return usagef("%s exists, and is not overwritten", file.Path).withHelp("choose another folder, or move the file away")
		} else if !errors.Is(err, fs.ErrNotExist) && !place.IsFileInTheWay(err) {
			return err
		}
		if err := files.Add(file.Path, []byte(strings.ReplaceAll(file.Text, "{{package}}", name))); err != nil {
			return err
		}
	}
	if _, err := files.Commit(); err != nil {
		return err
	}
	for _, path := range files.Paths() {
		if _, err := fmt.Fprintln(t.Out, filepath.ToSlash(path)); err != nil {
			return err
		}
	}
	return nil
}

// starterOutputs are the tables of all languages in a starter's config file.
func (t *Tool) starterOutputs() string {
	var text strings.Builder
	for _, l := range t.languages() {
		fmt.Fprintf(&text, "\n[[output]]\nlanguage = %q\ndir = %q\n", l.Name(), l.StarterDir)
		if o, has := l.Option(place.Forms); has {
			fmt.Fprintf(&text, "forms = [%q]", o.Words[0])
			if len(o.Words) > 1 {
				text.WriteString(" # and " + strings.Join(o.Words[1:], ", "))
			}
			text.WriteString("\n")
		}
		if _, has := l.Option(place.CppSplit); has {
			text.WriteString("split = true # what uses a header compiles faster, and the source beside it once\n")
		}
	}
	return text.String()
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// packageName makes a package's name of a folder's.
func packageName(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(filepath.Base(absolute)), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "schema"
	}
	return name, nil
}
