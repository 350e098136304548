package driver

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// outputTable is a table [[output]] without its options.
type outputTable struct {
	Language string   `toml:"language"`
	Dir      string   `toml:"dir"`
	Schemas  []string `toml:"schemas"`
	// Program and those below are of plugins.
	Program string         `toml:"program"`
	Options map[string]any `toml:"options"`
	Timeout timeout        `toml:"timeout"`
	MaxMiB  int64          `toml:"max-mib"`
}

// timeout is a duration as flags have it, such as 90s.
type timeout time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *timeout) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err == nil && read <= 0 {
		err = errors.New("it is not positive")
	}
	if err != nil {
		return fmt.Errorf("%q is no duration such as 90s or 2m", text)
	}
	*t = timeout(read)
	return nil
}

// pluginOf is what an output says of its program.
func pluginOf(field reflect.Value) place.Plugin {
	p := place.Plugin{
		Program: field.FieldByName("Program").String(), Options: map[string]string{},
		Timeout: time.Duration(field.FieldByName("Timeout").Int()), MaxMiB: field.FieldByName("MaxMiB").Int(),
	}
	for key, value := range field.FieldByName("Options").Interface().(map[string]any) {
		p.Options[key] = optionText(value)
	}
	return p
}

// optionTypes are the types of options' values, of which none is the zero value where a
// file says nothing.
var optionTypes = map[language.OptionKind]reflect.Type{
	language.Text: reflect.TypeFor[string](), language.Switch: reflect.TypeFor[*bool](), language.Several: reflect.TypeFor[[]string](),
}

// ConfigTable is the shape of a config file, for the TOML library: a structure with a field for
// each key. The keys of [[output]] are the keys of every output, and the options of all languages.
// Their keys that have the language before them are marked as internal, since guides list them by
// their names.
func ConfigTable(languages language.List) reflect.Type {
	output := reflect.VisibleFields(reflect.TypeFor[outputTable]())
	added := map[string]bool{}
	for _, l := range languages {
		for _, o := range l.Options {
			for _, key := range l.Keys(o) {
				if !added[key] {
					added[key] = true
					tag := fmt.Sprintf(`toml:%q internal:"%t"`, key, key != o.Name)
					output = append(output, reflect.StructField{Name: optionField(key), Type: optionTypes[o.Kind], Tag: reflect.StructTag(tag)})
				}
			}
		}
	}
	config := reflect.VisibleFields(reflect.TypeFor[Config]())
	for i := range config {
		if config[i].Type == reflect.TypeFor[[]place.Output]() {
			config[i].Type = reflect.SliceOf(reflect.StructOf(output))
		}
	}
	return reflect.StructOf(config)
}

func optionField(key string) string { return "Option_" + strings.ReplaceAll(key, "-", "_") }

// configOf takes what was read into a ConfigTable.
func configOf(value reflect.Value, languages language.List) Config {
	var config Config
	to := reflect.ValueOf(&config).Elem()
	for i := range to.NumField() {
		if to.Field(i).Type() != reflect.TypeFor[[]place.Output]() {
			to.Field(i).Set(value.Field(i))
			continue
		}
		for j := range value.Field(i).Len() {
			config.Outputs = append(config.Outputs, outputOf(value.Field(i).Index(j), languages))
		}
	}
	return config
}

func outputOf(field reflect.Value, languages language.List) place.Output {
	out := place.Output{
		Language: field.FieldByName("Language").String(),
		Dir:      field.FieldByName("Dir").String(),
		Schemas:  field.FieldByName("Schemas").Interface().([]string),
		Options:  map[string]string{},
		Plugin:   pluginOf(field),
	}
	for _, l := range languages {
		for _, o := range l.Options {
			for _, key := range l.Keys(o) {
				if value := field.FieldByName(optionField(key)); !value.IsZero() {
					out.Options[key] = optionText(value.Interface())
				}
			}
		}
	}
	return out
}

// optionText is the value of an option as an output has it.
func optionText(value any) string {
	switch value := value.(type) {
	case *bool:
		return strconv.FormatBool(*value)
	case []string:
		return strings.Join(value, ",")
	case []any:
		var words []string
		for _, word := range value {
			words = append(words, fmt.Sprint(word))
		}
		return strings.Join(words, ",")
	}
	return fmt.Sprint(value)
}
