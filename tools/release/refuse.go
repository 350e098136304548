package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// repository is the path of the Go module in the root, and where the world finds the repository.
const repository = "github.com/serial-data-protocol/sdp"

// modules are the folders of the Go modules that are released, each behind the modules that it requires.
var modules = []string{"runtime", "mxp/go", ".", "mesh", "mcp"}

// modulePath is the path of a module of the repository.
func modulePath(folder string) string { return path.Join(repository, folder) }

// tagOf is the tag of a release of a module.
func tagOf(folder, version string) string { return path.Join(folder, "v"+version) }

// refuse says all that is in the way of releasing the commit that is checked out.
func refuse(ctx context.Context, root string) error {
	version, err := versionOf(root)
	if err != nil {
		return err
	}
	return errors.Join(refuseDirty(ctx, root), drift(ctx, root), refuseChangelog(root, version), refuseReplaced(root), refuseTagged(ctx, root, version))
}

func refuseDirty(ctx context.Context, root string) error {
	status, err := output(ctx, root, "git", "status", "--porcelain")
	if err != nil || status == "" {
		return err
	}
	first, _, _ := strings.Cut(status, "\n")
	return fmt.Errorf("%d files are not as they were committed, as %s", strings.Count(status, "\n"), first[3:])
}

var section = regexp.MustCompile(`(?m)^## (.*)$`)

// refuseChangelog wants the first section of the changelog to be that of the version, and to say something.
func refuseChangelog(root, version string) error {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	found := section.FindAllSubmatchIndex(text, 2)
	if len(found) == 0 {
		return fmt.Errorf("CHANGELOG.md has no section %q", "## "+version)
	}
	if first := string(text[found[0][2]:found[0][3]]); first != version {
		return fmt.Errorf("the first section of CHANGELOG.md is %q, and VERSION says %s: `go run ./tools/release version X.Y.Z` writes both", first, version)
	}
	end := len(text)
	if len(found) > 1 {
		end = found[1][0]
	}
	if strings.TrimSpace(string(text[found[0][1]:end])) == "" {
		return fmt.Errorf("CHANGELOG.md says nothing of %s", version)
	}
	return nil
}

// refuseReplaced finds in the go.mod of a module that is released a replacement that the
// release does not turn into a requirement: by another folder than that of a module which
// is released, too.
func refuseReplaced(root string) error {
	var wrong []error
	for _, folder := range modules {
		file, err := readModule(root, folder)
		if err != nil {
			return err
		}
		for _, r := range file.Replace {
			if replaced(folder, r) == "" {
				wrong = append(wrong, fmt.Errorf("%s replaces %s by %s, so that nobody can install it by its version", path.Join(folder, "go.mod"), r.Old.Path, r.New.Path))
			}
		}
		if len(file.Exclude) > 0 {
			wrong = append(wrong, fmt.Errorf("%s excludes %s, so that nobody can install it by its version", path.Join(folder, "go.mod"), file.Exclude[0].Mod))
		}
	}
	return errors.Join(wrong...)
}

// replaced is the folder of the released module that a replacement of another's names, or "".
func replaced(folder string, r *modfile.Replace) string {
	if r.New.Version != "" || r.Old.Version != "" {
		return ""
	}
	to := path.Join(folder, r.New.Path)
	if !slices.Contains(modules, to) || modulePath(to) != r.Old.Path {
		return ""
	}
	return to
}

func readModule(root, folder string) (*modfile.File, error) {
	name := filepath.Join(root, folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// refuseTagged finds a version that is there already: what has a version never changes.
func refuseTagged(ctx context.Context, root, version string) error {
	var wrong []error
	for _, folder := range modules {
		tag := tagOf(folder, version)
		found, err := output(ctx, root, "git", "tag", "--list", tag)
		if err != nil {
			return err
		}
		if found != "" {
			wrong = append(wrong, fmt.Errorf("there is a tag %s already", tag))
		}
	}
	return errors.Join(wrong...)
}
