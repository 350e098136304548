package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// ConfigName is the name of the file that lists a project's schemas and its outputs.
const ConfigName = place.ConfigName

// Config is the content of a config file, its paths made relative to the working directory. The
// zero value is "no config file".
type Config struct {
	// Path is the file; empty where there is none.
	Path string `toml:"-"`
	// Schemas are files, and folders of files.
	Schemas []string `toml:"schemas"`
	// Include are the folders that imports are looked up in, besides the
	// importing file's own.
	Include []string `toml:"include"`
	// Outputs is what `sdp gen` makes.
	Outputs []place.Output `toml:"output"`
	// Lint says which advice is wanted.
	Lint Lint `toml:"lint"`
	// Breaking says what `sdp breaking` counts.
	Breaking BreakingConfig `toml:"breaking"`
}

// Lint switches lints by their codes.
type Lint struct {
	Enable  []string `toml:"enable"`
	Disable []string `toml:"disable"`
}

// BreakingConfig names columns of a comparison, in the words of compat.ColumnWords.
type BreakingConfig struct {
	For []string `toml:"for"`
}

// FindConfig looks for a config file in the working directory and in those
// above it. Where there is none the config is empty.
func FindConfig(languages language.List, problems *diag.List) (Config, error) {
	at, err := os.Getwd()
	if err != nil {
		return Config{}, err
	}
	for relative := ""; ; relative = filepath.Join(relative, "..") {
		path := filepath.Join(relative, ConfigName)
		if _, err := os.Stat(path); err == nil {
			return ReadConfig(path, languages, problems)
		}
		if at == filepath.Dir(at) {
			return Config{}, nil
		}
		at = filepath.Dir(at)
	}
}

// configAbove is the config file in a folder, or in one of those above it; empty where
// there is none.
func configAbove(folder string) string {
	for {
		path := filepath.Join(folder, ConfigName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
		folder = filepath.Dir(folder)
	}
}

// isFolder tells whether a path is a folder: each system has another error for reading one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadConfig reads a config file. Unacceptable content becomes a diagnostic.
func ReadConfig(path string, languages language.List, problems *diag.List) (Config, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, usagef("there is no config file %s", path)
	}
	if err != nil && isFolder(path) {
		return Config{}, usagef("%s is a folder, and a config file is needed", path)
	}
	if err != nil {
		return Config{}, err
	}
	read := reflect.New(ConfigTable(languages))
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(read.Interface()); err != nil {
		reportConfig(source.New(filepath.ToSlash(path), string(text)), err, read.Elem().Type(), problems)
	}
	config := configOf(read.Elem(), languages)
	config.Path = path
	config.rebase(filepath.Dir(path))
	return config, nil
}

// rebase makes paths that are relative to the config's folder relative to the
// working directory.
func (c *Config) rebase(folder string) {
	relocate := func(path string) string {
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	}
	lists := [][]string{c.Schemas, c.Include}
	for i := range c.Outputs {
		c.Outputs[i].Dir = relocate(c.Outputs[i].Dir)
		// A name without a folder is looked for on PATH.
		if program := &c.Outputs[i].Plugin.Program; strings.ContainsAny(*program, `/\`) {
			if *program = relocate(*program); filepath.Base(*program) == *program {
				*program = "." + string(filepath.Separator) + *program
			}
		}
		lists = append(lists, c.Outputs[i].Schemas)
	}
	for _, paths := range lists {
		for i := range paths {
			paths[i] = relocate(paths[i])
		}
	}
}

// reportConfig gives each of the TOML library's complaints its place.
func reportConfig(file *source.File, err error, table reflect.Type, problems *diag.List) {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		for i := range strict.Errors {
			unknown := &strict.Errors[i]
			key := unknown.Key()
			d := problems.Error(codeConfig, placeOf(file, unknown), "unknown key `%s`", strings.Join(key, "."))
			if near := diag.Nearest(key[len(key)-1], configKeys(table, key[:len(key)-1])); near != "" {
				d.WithHelp(fmt.Sprintf("did you mean `%s`?", near))
			}
		}
		return
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		problems.Error(codeConfig, placeOf(file, decode), "%s", wrongValue(strings.TrimPrefix(decode.Error(), "toml: ")))
		return
	}
	problems.Error(codeConfig, file.Span(0, 0), "%s", strings.TrimPrefix(err.Error(), "toml: "))
}

// ofType is the TOML library's error about a value of another type, in Go's words.
var ofType = regexp.MustCompile(`^cannot decode TOML (.+) into struct field .+ of type (.+)$`)

// wrongValue puts that into the words of who writes a config file.
func wrongValue(message string) string {
	said := ofType.FindStringSubmatch(message)
	if said == nil {
		return message
	}
	expected := map[string]string{
		"string": "a string", "bool": "true or false", "[]string": "a list of strings", "driver.Lint": "a table [lint]", "driver.Breaking": "a table [breaking]",
		"map[string]interface {}": "a table", "int64": "a number", "driver.timeout": "a duration such as \"90s\"",
	}[said[2]]
	if strings.HasPrefix(said[2], "[]struct") {
		expected = "a table [[output]] for each"
	}
	if expected == "" {
		return message
	}
	return fmt.Sprintf("%s is expected, and this is of TOML's type %s", expected, said[1])
}

func placeOf(file *source.File, err *toml.DecodeError) source.Span {
	row, column := err.Position()
	start := file.LineStart(row) + column - 1
	width := 1
	if key := err.Key(); len(key) > 0 {
		if last := key[len(key)-1]; strings.HasPrefix(file.Text()[min(start, len(file.Text())):], last) {
			width = len(last)
		}
	}
	return file.Span(start, start+width)
}

// configKeys are the keys that a table of the config file may have, which is below another.
func configKeys(t reflect.Type, table []string) []string {
	for _, name := range table {
		for i := range t.NumField() {
			if field := t.Field(i); field.Tag.Get("toml") == name {
				t = field.Type
				break
			}
		}
		for t.Kind() == reflect.Slice {
			t = t.Elem()
		}
	}
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("toml"); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
