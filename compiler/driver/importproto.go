package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// ImportProtoOptions says which schemas of Protocol Buffers to import, and where to.
type ImportProtoOptions struct {
	// Protos are .proto files and folders of them.
	Protos []string
	Out    string
	// Bytes and LeaveOut are the fields of proto.Options with these names.
	Bytes    []string
	LeaveOut bool
	// Check writes nothing, and refuses if anything would be written.
	Check bool
	// Verify are files of payloads of Message, one in each, or if Delimited any number,
	// each behind its length.
	Verify    []string
	Message   string
	Delimited bool
	// Bridge is where conversions go, as LANGUAGE=DIR; empty for none.
	Bridge string
}

// ImportProto makes schemas of .proto files: new schemas, or additions to existing ones.
func (t *Tool) ImportProto(options ImportProtoOptions) error {
	if (len(options.Verify) > 0) != (options.Message != "") {
		return usagef("--verify and --message go together").withHelp("--message is the full name of the payloads' message")
	}
	config, err := t.config()
	if err != nil {
		return err
	}
	folders := slices.Concat(t.Include, config.Include)
	paths, folders, err := protoPaths(options.Protos, folders)
	if err != nil {
		return err
	}
	var problems diag.List
	schema := proto.Parse(protoLoader(folders), paths, &problems)
	if schema == nil {
		return t.complain(&problems, options.Protos...)
	}
	made := proto.Import(schema, proto.Options{
		Bytes: options.Bytes, LeaveOut: options.LeaveOut,
		Existing: func(path string) (string, string, bool) {
			name := filepath.Join(options.Out, filepath.FromSlash(path))
			text, err := disk{}.readFile(name)
			return filepath.ToSlash(name), string(text), err == nil
		},
	}, &problems)
	if err := t.complain(&problems, options.Protos...); err != nil {
		return err
	}
	program, err := t.compileMade(made, options.Out, config)
	if err != nil {
		return err
	}
	bridge, err := t.bridge(schema, program, config, options)
	if err != nil {
		return err
	}
	if err := t.writeMade(made, bridge, options); err != nil {
		return err
	}
	if options.Message == "" {
		return nil
	}
	return t.verify(schema, program, options)
}

// tailsNote tells what no place in a .proto is the cause of. Messages get no @keep_unknown, since each value
// of such a type has a field more, which is copied and compared, and few programs pass a message on
// that they have decoded.
const tailsNote = `note: messages drop fields that a later release has added, which programs of Protocol Buffers keep. Give
@keep_unknown to those that a program decodes and passes on; L0104 of sdp check names the likely ones.
`

// droppedTails tells whether a schema has a message, none of which keeps its tail.
func droppedTails(result []proto.Output) bool {
	return slices.ContainsFunc(result, func(output proto.Output) bool { return strings.Contains(output.Text, "\nmessage ") })
}

// writeMade writes what has changed, and says what that is.
func (t *Tool) writeMade(result []proto.Output, bridge []bridgeFile, options ImportProtoOptions) error {
	set := t.temps.NewSet()
	for _, file := range bridge {
		if err := set.Add(file.path, file.content); err != nil {
			return err
		}
	}
	for _, output := range result {
		if err := set.Add(filepath.Join(options.Out, filepath.FromSlash(output.Path)), []byte(output.Text)); err != nil {
			return err
		}
	}
	var changed []string
	var err error
	if options.Check {
		changed = set.Stale()
	} else if changed, err = set.Commit(); err != nil {
		return err
	}
	for _, path := range changed {
		if _, err := fmt.Fprintln(t.Out, filepath.ToSlash(path)); err != nil {
			return err
		}
	}
	if !options.Check && len(changed) > 0 && droppedTails(result) {
		fmt.Fprint(t.Err, tailsNote)
	}
	return refusedIf(options.Check && len(changed) > 0)
}

// settleRounds bounds how often names are settled: another one may be taken, too.
const settleRounds = 8

// compileMade checks what was made as if it were written, and settles its names.
func (t *Tool) compileMade(result []proto.Output, target string, config Config) (*plan.Program, error) {
	for round := 0; ; round++ {
		laid := overlay{open: Open{}}
		var roots []string
		for _, output := range result {
			path := filepath.Join(target, filepath.FromSlash(output.Path))
			key, err := laid.identity(path)
			if err != nil {
				return nil, err
			}
			laid.open[key] = output.Text
			roots = append(roots, path)
		}
		schema, problems := check.Program(t.loader(laid, config), roots, format.Canonical)
		if err := t.complain(problems, roots...); err != nil {
			return nil, err
		}
		if round == settleRounds || !proto.Settle(result, schema) {
			return plan.New(schema), nil
		}
	}
}

// protoExt is how the names of schemas of Protocol Buffers end.
const protoExt = ".proto"

// protoPaths are the paths by which the named files import each other: from one of the
// folders, else from the working folder, or from a folder that was named itself. It returns the folders,
// with the named ones among them.
func protoPaths(names, folders []string) (paths, list []string, err error) {
	list = slices.Clone(folders)
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, usagef("there is no file or folder %s", name)
		}
		if err != nil {
			return nil, nil, err
		}
		files := []string{name}
		home := filepath.Dir(name)
		if !info.IsDir() && !filepath.IsAbs(name) && filepath.IsLocal(name) {
			home = "."
		}
		if info.IsDir() {
			home = name
			if files, err = filesBelow(name, protoExt); err != nil {
				return nil, nil, err
			}
			if len(files) == 0 {
				return nil, nil, usagef("the folder %s holds no %s file", name, protoExt)
			}
		}
		for _, file := range files {
			path, found := below(file, folders)
			if !found {
				if path, found = below(file, []string{home}); !found {
					return nil, nil, fmt.Errorf("%s is in none of the folders of -I", file)
				}
				if !slices.Contains(list, home) {
					list = append(list, home)
				}
			}
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, list, nil
}

// below is the path of a file from the first of some folders that has it.
func below(file string, folders []string) (path string, ok bool) {
	for _, folder := range folders {
		from, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		to, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		if relative, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(relative) {
			return filepath.ToSlash(relative), true
		}
	}
	return "", false
}

// protoLoader reads .proto files from folders.
func protoLoader(folders []string) proto.Loader {
	return func(path string) (string, string, error) {
		for _, folder := range folders {
			name := filepath.Join(folder, filepath.FromSlash(path))
			file, err := os.Open(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return "", "", err
			}
			defer file.Close()
			text, err := io.ReadAll(io.LimitReader(file, schemaBytesMax))
			if err == nil && len(text) == schemaBytesMax {
				err = fmt.Errorf("%s is as large as 64 MiB", filepath.ToSlash(name))
			}
			return filepath.ToSlash(name), string(text), err
		}
		return "", "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
}
