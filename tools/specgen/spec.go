package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// spec is the content of the files.
type spec struct {
	Errors    []refusal
	Limits    []limit
	Scalars   []scalar
	Frames    *frames
	Telemetry *telemetry
	family    string // whose refusals these are
}

type refusal struct {
	Name     string   `toml:"name"`
	Number   int      `toml:"number"`
	Category string   `toml:"category"`
	Meaning  string   `toml:"meaning"`
	Offset   string   `toml:"offset"`
	Cause    string   `toml:"cause"`
	Remedy   string   `toml:"remedy"`
	Clauses  []string `toml:"clauses"`
	Status   int      `toml:"status"` // what a peer is told, of the refusals that one is told

	constant string // the name without what all names of its package begin with
}

type limit struct {
	Name    string `toml:"name"`
	Default int64  `toml:"default"`
	Unit    string `toml:"unit"`
	Scope   string `toml:"scope"`
	Error   string `toml:"error"`
	Meaning string `toml:"meaning"`
}

type scalar struct {
	Name    string `toml:"name"`
	Bytes   int    `toml:"bytes"`
	Class   string `toml:"class"`
	Key     bool   `toml:"key"`    // a map's key can be of this type
	Base    bool   `toml:"base"`   // an enum can have it as its base
	Legacy  bool   `toml:"legacy"` // SDP 0.2.0 had it
	Meaning string `toml:"meaning"`
}

// classes are what the values of a scalar can behave like.
var classes = []string{"bool", "unsigned", "signed", "float", "timestamp", "duration", "uuid"}

// families are the categories that have an output of their own.
var families = []string{"frame", "session"}

// allFamilies is the family of an output that has every refusal.
const allFamilies = "all"

// of returns the refusals that an output has: the refusals of a family, the refusals of none, or
// all.
func (s *spec) of(family string) *spec {
	some := &spec{Limits: s.Limits, Scalars: s.Scalars, Frames: s.Frames, Telemetry: s.Telemetry, family: family}
	for _, e := range s.Errors {
		if family == allFamilies || e.Category == family || family == "" && !slices.Contains(families, e.Category) {
			e.constant = strings.TrimPrefix(e.Name, family+"_")
			some.Errors = append(some.Errors, e)
		}
	}
	return some
}

// statuses reports whether the refusals have any.
func (s *spec) statuses() bool {
	return slices.ContainsFunc(s.Errors, func(e refusal) bool { return e.Status != 0 })
}

// told is a comment's text about a refusal.
func (e refusal) told() string {
	if e.Offset == "none" {
		return sentence(e.Meaning)
	}
	return sentence(e.Meaning) + " Offset: " + lower(sentence(e.Offset))
}

// example is a refusal's name.
func (s *spec) example() string {
	for _, e := range s.Errors {
		return e.Name
	}
	return ""
}

// load reads and checks the files of a spec directory.
func load(dir string) (*spec, error) {
	var errors struct {
		Error []refusal `toml:"error"`
	}
	var limits struct {
		Limit []limit `toml:"limit"`
	}
	var scalars struct {
		Scalar []scalar `toml:"scalar"`
	}
	if err := read(filepath.Join(dir, "errors.toml"), &errors); err != nil {
		return nil, err
	}
	if err := read(filepath.Join(dir, "limits.toml"), &limits); err != nil {
		return nil, err
	}
	if err := read(filepath.Join(dir, "scalars.toml"), &scalars); err != nil {
		return nil, err
	}
	frames, err := loadFrames(dir)
	if err != nil {
		return nil, err
	}
	telemetry, err := loadTelemetry(dir, errors.Error)
	if err != nil {
		return nil, err
	}
	s := &spec{Errors: errors.Error, Limits: limits.Limit, Scalars: scalars.Scalar, Frames: frames, Telemetry: telemetry}
	if err := s.checkScalars(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// read refuses keys that it doesn't know: a misspelt one would be lost.
func read(path string, target any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(target); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// check refuses specifications that the outputs cannot express: the constants count from 1 in the
// order of the file, and every name becomes an identifier.
func (s *spec) check() error {
	names := map[string]bool{}
	for i, e := range s.Errors {
		if e.Number != i+1 {
			return fmt.Errorf("errors.toml: %s has number %d, but stands in place %d", e.Name, e.Number, i+1)
		}
		if !snakeCase.MatchString(e.Name) || names[e.Name] {
			return fmt.Errorf("errors.toml: %q is not a name, or not a new one", e.Name)
		}
		if e.Meaning == "" || e.Offset == "" {
			return fmt.Errorf("errors.toml: %s has no meaning or no offset", e.Name)
		}
		if e.Cause == "" || e.Remedy == "" || len(e.Clauses) == 0 {
			return fmt.Errorf("errors.toml: %s has no cause, no remedy or no clauses", e.Name)
		}
		if isTold := slices.Contains(families, e.Category); isTold != (e.Status > 0) {
			return fmt.Errorf("errors.toml: %s has status %d; an error that a peer learns has one, and no other has", e.Name, e.Status)
		}
		names[e.Name] = true
	}
	limits := map[string]bool{}
	for _, l := range s.Limits {
		if !snakeCase.MatchString(l.Name) || limits[l.Name] {
			return fmt.Errorf("limits.toml: %q is not a name, or not a new one", l.Name)
		}
		if l.Error != "" && !names[l.Error] {
			return fmt.Errorf("limits.toml: %s names %q, which is not in errors.toml", l.Name, l.Error)
		}
		if l.Meaning == "" || l.Scope == "" {
			return fmt.Errorf("limits.toml: %s has no meaning or no scope", l.Name)
		}
		limits[l.Name] = true
	}
	return nil
}

// checkScalars refuses rows that nothing could be made of.
func (s *spec) checkScalars() error {
	names := map[string]bool{}
	for _, one := range s.Scalars {
		if !snakeCase.MatchString(one.Name) || names[one.Name] {
			return fmt.Errorf("scalars.toml: %q is not a name, or not a new one", one.Name)
		}
		if !slices.Contains(classes, one.Class) {
			return fmt.Errorf("scalars.toml: %s has class %q, which is none of %s", one.Name, one.Class, strings.Join(classes, ", "))
		}
		if one.Bytes < 1 || one.Meaning == "" {
			return fmt.Errorf("scalars.toml: %s has no bytes or no meaning", one.Name)
		}
		names[one.Name] = true
	}
	return nil
}
