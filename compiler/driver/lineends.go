package driver

import (
	"bytes"
	"fmt"
	"path/filepath"
)

// lineEndsHelp says how CRLF comes into files of a kind, and how it stays out.
func lineEndsHelp(path string) string {
	return fmt.Sprintf("help: git makes CRLF of LF where core.autocrlf is set; `*%s text eol=lf` in .gitattributes keeps LF", filepath.Ext(path))
}

// withLF gives a text the line ends that everything written by the tool has.
func withLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
