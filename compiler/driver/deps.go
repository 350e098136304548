package driver

import (
	"path/filepath"
	"strings"
)

// rule says as a rule of make what was made of what. The config file is among
// what it depends on.
func (g *generation) rule(configPath string) []byte {
	var made, of []string
	for _, path := range g.Files.Paths() {
		made = append(made, makeWord(path))
	}
	for _, pkg := range g.program.Schema.Packages {
		if pkg.Path != stdinFile {
			of = append(of, makeWord(pkg.Path))
		}
	}
	if configPath != "" {
		of = append(of, makeWord(configPath))
	}
	return []byte(strings.Join(made, " ") + ": " + strings.Join(of, " ") + "\n")
}

// makeWord is a path as make reads it.
func makeWord(path string) string {
	return strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$").Replace(filepath.ToSlash(path))
}
