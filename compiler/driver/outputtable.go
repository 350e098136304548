package driver

import (
	"fmt"
	"reflect"

	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// outputTable is what a table [[output]] says in every language.
type outputTable struct {
	Language string   `toml:"language"`
	Dir      string   `toml:"dir"`
	Schemas  []string `toml:"schemas"`
	Services bool     `toml:"services"`
}

// ConfigTable is what a config file may say, for the TOML library: a structure with a
// field for each key. Those of [[output]] are what every language has, and the options of
// each.
func ConfigTable(languages language.List) reflect.Type {
	output := reflect.VisibleFields(reflect.TypeFor[outputTable]())
	for _, l := range languages {
		for _, o := range l.Options {
			kind := reflect.TypeFor[string]()
			if o.Switch {
				kind = reflect.TypeFor[bool]()
			}
			tag := fmt.Sprintf(`toml:%q internal:"%t"`, l.Key(o), o.Internal)
			output = append(output, reflect.StructField{Name: optionField(l, o), Type: kind, Tag: reflect.StructTag(tag)})
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

func optionField(l language.Language, o language.Option) string {
	return "Option_" + l.Name() + "_" + o.Name
}

// configOf takes what was read into a ConfigTable.
func configOf(read reflect.Value, languages language.List) Config {
	var config Config
	to := reflect.ValueOf(&config).Elem()
	for i := range to.NumField() {
		if to.Field(i).Type() != reflect.TypeFor[[]place.Output]() {
			to.Field(i).Set(read.Field(i))
			continue
		}
		for j := range read.Field(i).Len() {
			config.Outputs = append(config.Outputs, outputOf(read.Field(i).Index(j), languages))
		}
	}
	return config
}

func outputOf(read reflect.Value, languages language.List) place.Output {
	out := place.Output{
		Language: read.FieldByName("Language").String(),
		Dir:      read.FieldByName("Dir").String(),
		Schemas:  read.FieldByName("Schemas").Interface().([]string),
		Services: read.FieldByName("Services").Bool(),
	}
	for _, l := range languages {
		for _, o := range l.Options {
			value := read.FieldByName(optionField(l, o))
			switch {
			case value.IsZero():
			case o.Switch:
				out.Set(l.Key(o), place.On)
			default:
				out.Set(l.Key(o), value.String())
			}
		}
	}
	return out
}
