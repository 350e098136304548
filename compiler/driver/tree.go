package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is a place that schema files are read from. Paths are paths of the operating system,
// relative to the working directory or absolute.
type tree interface {
	// readFile returns a file's bytes, of a very long file as many as are enough
	// to refuse it; its error is fs.ErrNotExist for a file that is not there.
	readFile(path string) ([]byte, error)
	// identity is equal for two paths of one file.
	identity(path string) (string, error)
	// isFolder tells whether a path is a folder. A path that is not there is
	// fs.ErrNotExist.
	isFolder(path string) (bool, error)
	// schemas lists the .sdp files in a folder and the folders below it, in
	// ascending order.
	schemas(folder string) ([]string, error)
}

const (
	// schemaExt is how the names of schema files end.
	schemaExt = ".sdp"
	// schemaBytesMax is the length at which a schema is refused [LANG-1.1], so
	// that more need not be read.
	schemaBytesMax = 64 << 20
)

// disk is the files as they are now.
type disk struct{}

func (disk) readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, schemaBytesMax))
}

func (disk) identity(path string) (string, error) {
	if place, err := filepath.EvalSymlinks(path); err == nil {
		path = place // a shell's <(…) is a link to what has no path
	}
	return filepath.Abs(path)
}

func (disk) isFolder(path string) (bool, error) {
	info, err := os.Stat(path)
	return err == nil && info.IsDir(), err
}

func (disk) schemas(folder string) ([]string, error) {
	return filesBelow(folder, schemaExt)
}

// filesBelow lists the files in a folder and those below it whose names end so.
func filesBelow(folder, ext string) (result []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ext):
			result = append(result, path)
		}
		return nil
	})
	return result, err
}

// revision is the files as a git commit has them.
type revision struct {
	commit string // the full hash
	root   string // the work tree's topmost folder
}

// openRevision finds the commit that a revision names in the repository of a folder;
// that of no name is the working directory.
func openRevision(folder, name string) (*revision, error) {
	commit, err := git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return nil, err
		}
		if _, err := git(folder, "rev-parse", "--git-dir"); err != nil {
			return nil, &UsageError{Message: "git:" + name + " needs a git repository, and this is not in one"}
		}
		return nil, &UsageError{Message: fmt.Sprintf("git has no revision %q", name)}
	}
	root, err := git(folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return &revision{commit: line(commit), root: line(root)}, nil
}

func (r *revision) readFile(path string) ([]byte, error) {
	inside, err := r.inside(path)
	if err != nil {
		return nil, err
	}
	kind, err := git(r.root, "cat-file", "-t", r.commit+":"+inside)
	if err != nil {
		return nil, missing(path, err)
	}
	if line(kind) != "blob" {
		return nil, fmt.Errorf("%s is not a file in that revision", path)
	}
	return git(r.root, "cat-file", "blob", r.commit+":"+inside)
}

func (r *revision) identity(path string) (string, error) { return r.inside(path) }

func (r *revision) isFolder(path string) (bool, error) {
	inside, err := r.inside(path)
	if err != nil {
		return false, err
	}
	kind, err := git(r.root, "cat-file", "-t", r.commit+":"+inside)
	if err != nil {
		return false, missing(path, err)
	}
	return line(kind) == "tree", nil
}

func (r *revision) schemas(folder string) ([]string, error) {
	inside, err := r.inside(folder)
	if err != nil {
		return nil, err
	}
	// Named as a tree of its own, the folder's files are listed relative to it.
	listing, err := git(r.root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", r.commit+":"+inside)
	if err != nil {
		return nil, missing(folder, err)
	}
	var found []string
	for _, name := range strings.Split(string(listing), "\x00") {
		if strings.HasSuffix(name, schemaExt) && !strings.Contains("/"+name, "/.") {
			found = append(found, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	return found, nil
}

// inside is a path as git spells it: from the topmost folder, with slashes.
func (r *revision) inside(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	// The file may be gone from the work tree, so only its folder is looked up
	// behind symbolic links, as git did with the topmost folder.
	for at, rest := absolute, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if place, err := filepath.EvalSymlinks(at); err == nil {
			absolute = filepath.Join(place, rest)
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	relative, err := filepath.Rel(r.root, absolute)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is outside the git repository: %w", path, fs.ErrNotExist)
	}
	if relative == "." {
		return "", nil
	}
	return filepath.ToSlash(relative), nil
}

// missing turns git's refusal of an object into the error of a file that is
// not there.
func missing(path string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return err
}

// git runs the program in a folder.
func git(folder string, args ...string) ([]byte, error) {
	command := exec.Command("git", args...)
	command.Dir = folder
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("the git program is needed to read a revision, and there is none")
		}
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, line(complaint.Bytes()))
	}
	return out.Bytes(), nil
}

// line is the first line of a program's output.
func line(text []byte) string {
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(first, "\r")
}
