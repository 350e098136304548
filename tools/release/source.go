package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// release is one that is being made.
type release struct {
	root    string // the clone of which HEAD is released
	folder  string // where its files go
	work    string // what they are made of
	version string
	commit  string // that of HEAD
	time    time.Time
}

// source is the clone that everything is made from, at the tag of the release.
func (r *release) source() string { return filepath.Join(r.work, "source") }

// goproxy is a folder of the released Go modules, as the proxies of modules have them.
func (r *release) goproxy() string { return filepath.Join(r.work, "goproxy") }

func (r *release) modcache() string { return filepath.Join(r.work, "modcache") }

// file is the path of a file of the release.
func (r *release) file(name string) string { return filepath.Join(r.folder, name) }

// begin makes the folders, which are empty then.
func begin(ctx context.Context, root, folder string) (*release, error) {
	version, err := versionOf(root)
	if err != nil {
		return nil, err
	}
	head, err := output(ctx, root, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return nil, err
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(head), " ")
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return nil, err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	r := &release{root: root, folder: folder, work: folder + "-work", version: version, commit: commit, time: at.UTC()}
	for _, made := range []string{r.folder, r.work} {
		if err := os.RemoveAll(made); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(made, 0o755); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// tag clones HEAD and tags the modules in the clone. While they are developed, they
// replace each other by folders, and `go install PATH@VERSION` refuses a module that
// replaces anything. So each that does has a commit of its own, which requires
// the releases of the others instead; these commits are on no branch, and the clone that
// is released stays as it is.
func (r *release) tag(ctx context.Context) error {
	if _, err := output(ctx, r.work, "git", "clone", "--quiet", "--no-checkout", "--no-tags", r.root, r.source()); err != nil {
		return err
	}
	if _, err := r.git(ctx, "checkout", "--quiet", "--detach", r.commit); err != nil {
		return err
	}
	if err := r.findBySource(); err != nil {
		return err
	}
	var sums []byte
	for _, folder := range modules {
		changed, err := r.require(folder, string(sums))
		if err != nil {
			return err
		}
		if changed {
			message := fmt.Sprintf("%s: require the modules of %s", modulePath(folder), r.version)
			if _, err := r.git(ctx, "commit", "--quiet", "--all", "--no-verify", "-m", message); err != nil {
				return err
			}
		}
		if _, err := r.git(ctx, "tag", tagOf(folder, r.version)); err != nil {
			return err
		}
		lines, err := r.publishModule(ctx, folder)
		if err != nil {
			return err
		}
		sums = append(sums, lines...)
	}
	if err := r.collectModules(); err != nil {
		return err
	}
	// All else is of the commit that the tool's module has its tag on.
	_, err := r.git(ctx, "checkout", "--quiet", tagOf(".", r.version))
	return err
}

// git runs git in the source, as who committed HEAD and when, so that the same commit
// leads to the same ones.
func (r *release) git(ctx context.Context, arguments ...string) (string, error) {
	who, err := output(ctx, r.root, "git", "log", "-1", "--format=%cn%n%ce%n%cI", r.commit)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(who), "\n")
	if len(lines) != 3 {
		return "", fmt.Errorf("git log says %q of %s", who, r.commit)
	}
	var env []string
	for i, of := range []string{"NAME", "EMAIL", "DATE"} {
		env = append(env, "GIT_AUTHOR_"+of+"="+lines[i], "GIT_COMMITTER_"+of+"="+lines[i])
	}
	command := append([]string{"git", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false", "-c", "tag.forceSignAnnotated=false"}, arguments...)
	return outputWith(ctx, r.source(), env, command...)
}

// require turns what a module replaces into what it requires, and tells whether there
// was any.
func (r *release) require(folder, sums string) (change bool, err error) {
	file, err := readModule(r.source(), folder)
	if err != nil {
		return false, err
	}
	for _, one := range append([]*modfile.Replace(nil), file.Replace...) {
		if replaced(folder, one) == "" {
			return false, fmt.Errorf("%s replaces %s", folder, one.Old.Path)
		}
		name := one.Old.Path // which dropping clears
		if err := file.DropReplace(name, ""); err != nil {
			return false, err
		}
		if err := file.AddRequire(name, "v"+r.version); err != nil {
			return false, err
		}
		change = true
	}
	if !change {
		return false, nil
	}
	file.Cleanup()
	text, err := file.Format()
	if err != nil {
		return false, err
	}
	to := filepath.Join(r.source(), folder)
	if err := os.WriteFile(filepath.Join(to, "go.mod"), text, 0o644); err != nil {
		return false, err
	}
	before, err := os.ReadFile(filepath.Join(to, "go.sum"))
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(filepath.Join(to, "go.sum"), append(before, sums...), 0o644)
}

// findBySource is a configuration of git's by which Go finds the source where the world
// will find the repository.
func (r *release) findBySource() error {
	text := fmt.Sprintf("[url %q]\n\tinsteadOf = https://%s\n[safe]\n\tdirectory = *\n", "file://"+filepath.ToSlash(r.source()), repository)
	return os.WriteFile(r.gitConfig(), []byte(text), 0o644)
}

func (r *release) gitConfig() string { return filepath.Join(r.work, "gitconfig") }

// publishModule lets Go fetch a module by its tag, as a proxy will, and returns its lines
// for go.sum.
func (r *release) publishModule(ctx context.Context, folder string) (string, error) {
	name := modulePath(folder)
	out, err := outputWith(ctx, r.work, []string{
		"GOMODCACHE=" + r.modcache(), "GOPRIVATE=" + repository, "GOPROXY=off", "GOFLAGS=-modcacherw", "GOWORK=off",
		"GIT_CONFIG_GLOBAL=" + r.gitConfig(), "GIT_ALLOW_PROTOCOL=file",
	}, "go", "mod", "download", "-json", name+"@v"+r.version)
	if err != nil {
		return "", err
	}
	var fetched struct{ Sum, GoModSum string }
	if err := json.Unmarshal([]byte(out), &fetched); err != nil {
		return "", err
	}
	version := " v" + r.version
	return name + version + " " + fetched.Sum + "\n" + name + version + "/go.mod " + fetched.GoModSum + "\n", nil
}

// collectModules copies what Go has fetched of the released modules, and a list of their
// versions, which is all that a proxy answers with.
func (r *release) collectModules() error {
	for _, folder := range modules {
		name := path.Join(modulePath(folder), "@v")
		to := filepath.Join(r.goproxy(), filepath.FromSlash(name))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, "list"), []byte("v"+r.version+"\n"), 0o644); err != nil {
			return err
		}
		for _, ending := range []string{".info", ".mod", ".zip"} {
			from := filepath.Join(r.modcache(), "cache", "download", filepath.FromSlash(name), "v"+r.version+ending)
			if err := copyFile(from, filepath.Join(to, "v"+r.version+ending), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(source, address string, mode fs.FileMode) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.WriteFile(address, text, mode); err != nil {
		return err
	}
	return os.Chmod(address, mode)
}

// goEnv is how Go builds what is released: of sources alone that are checked by go.sum, the
// released modules from the folder of them, others from the cache of modules or from where
// the machine gets them.
func (r *release) goEnv(ctx context.Context) ([]string, error) {
	text, err := output(ctx, r.work, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	return []string{
		"GOMODCACHE=" + r.modcache(), "GONOSUMDB=" + repository, "GOFLAGS=-modcacherw", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOPROXY=" + strings.Join([]string{"file://" + filepath.ToSlash(r.goproxy()), "file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")), proxy}, ","),
		"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=",
	}, nil
}
