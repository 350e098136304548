package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// everyKind are schemas that have every kind of type together.
var everyKind = []string{
	"compiler/backend/golang/testdata/plugins.sdp", "compiler/backend/golang/testdata/shapes.sdp",
}

// parts lays the code of a language with each choice of its parts into a folder, and names the rounds.
func (r *run) parts(p project, folder string) (rounds []string, err error) {
	for _, chosen := range choices(p.language) {
		round := fmt.Sprintf("p%d", len(rounds))
		rounds = append(rounds, round)
		options := p.options(filepath.Join(folder, p.sources, round))
		for name, value := range chosen {
			options.Options[name] = value
		}
		if l, _ := language.All.Find(p.language); l.HasServices() {
			options.Options["services"] = "false"
		}
		for _, schema := range everyKind {
			options.Schemas = append(options.Schemas, filepath.Join(r.root, schema))
		}
		var told bytes.Buffer
		if err := (&driver.Tool{Out: &told, Err: &told}).Gen(options); err != nil {
			return nil, fmt.Errorf("%v: %w: %s", chosen, err, told.Bytes())
		}
	}
	return rounds, nil
}

// choices are the values of a language's options that say which parts the code of types has:
// each set of forms, with each set of switches where what a switch needs is on. Switches that make
// files of their own leave the others as they are.
func choices(name string) []map[string]string {
	all := []map[string]string{{}}
	each := func(option string, values ...string) {
		var more []map[string]string
		for _, chosen := range all {
			for _, value := range values {
				made := map[string]string{option: value}
				for name, value := range chosen {
					made[name] = value
				}
				more = append(more, made)
			}
		}
		all = more
	}
	l, _ := language.All.Find(name)
	for _, o := range l.Options {
		switch o.Kind {
		case language.Several:
			each(o.Name, sets(o.Words)...)
		case language.Switch:
			if o.Name != "services" && o.Name != "split" && o.Name != "js" && o.Name != "tests" {
				each(o.Name, "false", "true")
			}
		case language.Text:
		}
	}
	var possible []map[string]string
	for _, chosen := range all {
		fits := true
		for _, o := range l.Options {
			fits = fits && (o.Needs == "" || chosen[o.Name] != "true" || chosen[o.Needs] == "true")
		}
		if fits {
			possible = append(possible, chosen)
		}
	}
	return possible
}

// sets are the lists of words that have the first.
func sets(words []string) []string {
	var lists []string
	for mask := range 1 << (len(words) - 1) {
		list := words[:1:1]
		for i, word := range words[1:] {
			if mask>>i&1 == 1 {
				list = append(list, word)
			}
		}
		lists = append(lists, strings.Join(list, ","))
	}
	return lists
}
