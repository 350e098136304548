package driver

import (
	"errors"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/talk"
)

// catalog compiles the named schemas, or else the schemas of the config file, and lists their
// services.
func (t *Tool) catalog(names []string) (*talk.Catalog, error) {
	schemas, config, err := t.schemasOr(names)
	if err != nil {
		var usage *UsageError
		if errors.As(err, &usage) {
			usage.Help = "name a schema with --schema"
		}
		return nil, err
	}
	program, err := t.compile(t.loader(disk{}, config), schemas)
	if err != nil {
		return nil, err
	}
	catalog, err := talk.NewCatalog(program)
	if err == nil && len(catalog.Methods()) == 0 {
		return nil, errNoServices
	}
	return catalog, err
}

var errNoServices = usagef("the schema has no services").withHelp("name another with --schema")

// Methods lists the names of methods, for completion in shells: schemas that do
// not compile have none.
func (t *Tool) Methods(schemas []string) []string {
	quiet := Tool{In: t.In, Out: io.Discard, Err: io.Discard, Include: t.Include, ConfigPath: t.ConfigPath}
	catalog, err := quiet.catalog(schemas)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range catalog.Methods() {
		names = append(names, m.FullName())
	}
	return names
}

// methodNamed finds a method; a name that means none is a mistake of the command
// line.
func methodNamed(catalog *talk.Catalog, name string) (*talk.Method, error) {
	m, err := catalog.Find(name)
	var wrong *talk.NameError
	if errors.As(err, &wrong) {
		usage := usagef("%s", wrong.Message).withHelp("`sdp call --list` lists the methods")
		if wrong.Near != "" {
			usage.Help = fmt.Sprintf("did you mean `%s`?", wrong.Near)
		}
		return nil, usage
	}
	return m, err
}
