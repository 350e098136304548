package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	sdp "github.com/serial-data-protocol/sdp/compiler/language"
)

// language is one in which code is generated and built.
type language struct {
	name, title string
	// peer is the codec that ratios are to.
	peer  string
	start func(*workshop) error
	// versions are the versions of the compiler, and of the tools and libraries of peers' code.
	versions func(*workshop) ([]string, error)
	codecs   []codec
}

// codec makes code of schemas.
type codec struct {
	name string
	// tools are programs, and files by their absolute paths, that it needs.
	tools []string
	// services says that it is for schemas of services, and for these alone.
	services bool
	make     func(*workshop, *schema) (*code, error)
}

var languages = []*language{&golang, &rust, &cpp}

func languageNames() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// missing names a tool of the codec's that is not there, if one is.
func (c codec) missing(w *workshop) string {
	for _, tool := range c.tools {
		if w.tool(tool) == "" {
			return tool
		}
	}
	return ""
}

// workshop is where code is generated and built.
type workshop struct {
	root, folder string
}

// tool is the path of a program that bench.sh has installed, or of a program of the system's; else it's empty.
func (w *workshop) tool(name string) string {
	if filepath.IsAbs(name) {
		if _, err := os.Stat(name); err != nil {
			return ""
		}
		return name
	}
	for _, path := range []string{filepath.Join(w.folder, "bin", name), name} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return ""
}

// place is an empty folder for the code that a codec makes of a schema.
func (w *workshop) place(language string, s *schema, codec string) (string, error) {
	folder := filepath.Join(w.folder, language, s.name, codec)
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o777)
}

// sdp generates code of a schema by the compiler that this program is built with: the parts that it has by default,
// or all that there are.
func (w *workshop) sdp(s *schema, out string, everything bool, options map[string]string) error {
	files, err := s.write(filepath.Join(w.folder, "schemas", s.name))
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(out, "=")
	made, _ := sdp.All.Find(name)
	for _, o := range made.Options {
		if !everything {
			break
		}
		if o.Kind == sdp.Several {
			options[o.Name] = strings.Join(o.Words, ",")
		}
		if o.Needs != "" {
			options[o.Name] = "true"
		}
	}
	options["services"] = strconv.FormatBool(s.services)
	var told bytes.Buffer
	tool := &driver.Tool{Out: &told, Err: &told}
	err = tool.Gen(driver.GenOptions{Schemas: files, Out: []string{out}, Options: options})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, ending(told.Bytes()))
	}
	return nil
}

// protoc writes a schema as files of proto3 and runs protoc on them.
func (w *workshop) protoc(s *schema, path string, options ...string) error {
	folder := filepath.Join(w.folder, "schemas", s.name)
	names, err := s.writeProto(folder, path)
	if err != nil {
		return err
	}
	args := append([]string{w.tool("protoc"), "-I", folder}, options...)
	return command(folder, append(args, names...)...)
}

// flatc writes a schema of FlatBuffers and runs flatc on it.
func (w *workshop) flatc(s *schema, folder string, options ...string) error {
	path, err := s.writeFbs(filepath.Join(w.folder, "schemas", s.name))
	if err != nil {
		return err
	}
	args := append([]string{w.tool("flatc")}, options...)
	return command(filepath.Dir(path), append(args, "-o", folder, path)...)
}

// write writes a file, and the folder that it is in.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// sources are the files below a folder that have one of several endings, in order.
func sources(folder string, endings ...string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains(endings, filepath.Ext(path)) {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("nothing was generated in %s", folder)
	}
	return found, err
}

// lines counts the lines of files.
func lines(files []string) (int, error) {
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return n, nil
}

// sections counts the bytes of code and data of object files, or of archives of them.
func sections(files ...string) (int, error) {
	out, err := output(".", append([]string{"size", "--totals"}, files...)...)
	if err != nil {
		return 0, err
	}
	rows := strings.Split(strings.TrimSpace(out), "\n")
	fields := strings.Fields(rows[len(rows)-1])
	total := 0
	for _, field := range fields[:2] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("size prints %q", rows[len(rows)-1])
		}
		total += n
	}
	return total, nil
}

// stripped is the size of a program without symbols.
func stripped(program string) (int, error) {
	bare := program + ".stripped"
	if err := command(".", "strip", "-o", bare, program); err != nil {
		return 0, err
	}
	return fileSize(bare)
}

func fileSize(path string) (int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// appendNew appends a name that isn't there yet.
func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// firstLines are the first lines of what commands print.
func firstLines(commands ...[]string) ([]string, error) {
	var found []string
	for _, args := range commands {
		out, err := output(".", args...)
		if err != nil {
			return nil, err
		}
		line, _, _ := strings.Cut(out, "\n")
		found = append(found, line)
	}
	return found, nil
}
