package snippets_test

import (
	"encoding/json"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what the commands of guides print into the guides")

// Guides name a clone of the repository, a folder of their own, and a port so.
const cloneInGuides, folderInGuides, portInGuides = "/src/sdp", "/tmp/", "47001"

// walk is a reader who does what a guide says, from an empty folder on.
type walk struct {
	t *testing.T
	// clone is the repository, folder is where the walk began, and here where it is.
	clone, folder, here string
	// port is one that nobody listened on when the walk began.
	port string
}

func (w *walk) theirs(text string) string {
	return strings.NewReplacer(cloneInGuides, w.clone, folderInGuides, w.folder+"/", portInGuides, w.port).Replace(text)
}

func (w *walk) ours(text string) string {
	return strings.NewReplacer(w.clone, cloneInGuides, w.folder+"/", folderInGuides, ":"+w.port, ":"+portInGuides).Replace(text)
}

// take does what one block is for.
func (w *walk) take(b block) (shown string) {
	w.t.Helper()
	if b.file != "" {
		put(w.t, w.here, map[string]string{b.file: w.theirs(b.text)})
		switch filepath.Base(b.file) {
		case "Cargo.toml":
			w.lock(filepath.Dir(b.file))
		case "package.json":
			w.modules(filepath.Join(w.here, filepath.Dir(b.file)))
		}
		w.isFormatted(b)
	}
	switch {
	case b.untested != "":
	case b.language == "sh" && b.file == "":
		w.commands([]string{"set -e\n" + b.text})
	case b.language == "console":
		return w.console(b)
	case b.language == "sdp" && b.file == "":
		checked(w.t, b)
	case b.language == "json":
		if !json.Valid([]byte(b.text)) {
			w.t.Errorf("%s:%d: this is no JSON", b.document, b.line)
		}
	case b.language == "yaml": // of a workflow; the branch is there as in a clone
		w.commands([]string{"set -e\ngit update-ref refs/remotes/origin/main HEAD"})
		for _, step := range regexp.MustCompile(`(?m)^ *- run: (sdp .*)$`).FindAllStringSubmatch(b.text, -1) {
			w.commands([]string{"set -e\n" + step[1]})
		}
	}
	return b.text
}

// lock gives a crate the lock file of an example, so that what both need is compiled once.
func (w *walk) lock(crate string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.clone, "examples", "services", "rust", "Cargo.lock"))
	if err != nil {
		w.t.Fatal(err)
	}
	put(w.t, w.here, map[string]string{filepath.Join(crate, "Cargo.lock"): string(text)})
}

// modules gives a project what `npm install` would: TypeScript as the repository has it, and
// the library.
func (w *walk) modules(project string) {
	w.t.Helper()
	installed, own := filepath.Join(w.clone, "runtime/typescript/node_modules"), filepath.Join(project, "node_modules")
	library := filepath.Join(own, "mesh-exchange-protocol")
	manifest, err := os.ReadFile(filepath.Join(w.clone, "mxp/typescript/package.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	put(w.t, library, map[string]string{"package.json": string(manifest)})
	for _, name := range []string{"@types", "typescript", ".bin"} {
		if err := os.Symlink(filepath.Join(installed, name), filepath.Join(own, name)); err != nil {
			w.t.Fatal(err)
		}
	}
	run(w.t, project, filepath.Join(own, ".bin", "tsc"), "-p", filepath.Join(w.clone, "mxp/typescript"), "--outDir", filepath.Join(library, "dist"))
}

// isFormatted asks the formatter of a file's language.
func (w *walk) isFormatted(b block) {
	w.t.Helper()
	file := filepath.Join(w.here, b.file)
	switch b.language {
	case "sdp":
		run(w.t, w.here, "sdp", "fmt", "--check", file)
	case "go":
		if out := run(w.t, w.here, "gofmt", "-l", file); out != "" {
			w.t.Errorf("%s:%d: gofmt would write this differently", b.document, b.line)
		}
	case "rust":
		run(w.t, w.here, "rustfmt", "--check", "--edition", "2021", "--config", "skip_children=true", file)
	case "cpp":
		run(w.t, w.here, "clang-format-16", "--style=file:"+absolute(w.t, "runtime/cpp/.clang-format"), "--dry-run", "-Werror", file)
	}
}

// prompt begins a command of a console, and more the lines that it goes on in.
const prompt, more = "$ ", "> "

// console runs the commands of a block, and compares what they print. A line that is …
// stands for any lines. Its result is the block with the printed lines.
func (w *walk) console(b block) string {
	w.t.Helper()
	var commands, wanted []string
	for _, line := range strings.SplitAfter(b.text, "\n") {
		last := len(commands) - 1
		if command, ok := strings.CutPrefix(line, prompt); ok {
			commands, wanted = append(commands, command), append(wanted, "")
		} else if rest, ok := strings.CutPrefix(line, more); ok && last >= 0 && wanted[last] == "" {
			commands[last] += rest
		} else if last >= 0 {
			wanted[last] += line
		}
	}
	shown := ""
	for i, printed := range w.commands(commands) {
		printed = w.ours(printed)
		shown += prompt + strings.ReplaceAll(strings.TrimSuffix(commands[i], "\n"), "\n", "\n"+more) + "\n"
		if isShownAs(printed, wanted[i]) {
			shown += wanted[i]
			continue
		}
		shown += printed
		if !*update {
			w.t.Errorf("%s:%d: %s\nprints\n%s\nand not\n%s", b.document, b.line, commands[i], printed, wanted[i])
		}
	}
	return shown
}

func isShownAs(printed, wanted string) bool {
	pattern := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(wanted), "…\n", ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(printed)
}

// mark stands before what a command prints.
const mark = "\x1e"

// commands runs commands in one shell, and returns what each has printed.
func (w *walk) commands(commands []string) []string {
	w.t.Helper()
	where := filepath.Join(w.t.TempDir(), "here")
	script := "trap 'pwd >" + quoted(where) + "' EXIT\nlast=0\n"
	for _, command := range commands {
		script += "printf '" + mark + "'; (exit $last); eval " + quoted(w.theirs(command)) + "; last=$?\n"
	}
	script += "exit $last\n"
	shell := exec.Command("bash", "-c", script)
	shell.Dir = w.here
	shell.Env = append(os.Environ(),
		"GOFLAGS=-mod=mod", "GOWORK=off",
		"CARGO_NET_OFFLINE=true", "CARGO_TARGET_DIR="+filepath.Join(w.clone, "target", "examples"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "NO_COLOR=1")
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.WaitDelay = time.Second
	end := time.AfterFunc(20*time.Minute, func() { syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) })
	out, err := shell.CombinedOutput()
	end.Stop()
	syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) // what it has left running
	var failed *exec.ExitError
	isScript := len(commands) == 1 && strings.HasPrefix(commands[0], "set -e\n")
	if err != nil && (isScript || !errors.As(err, &failed)) {
		w.t.Fatalf("%s\n%v\n%s", strings.Join(commands, ""), err, out)
	}
	if now, err := os.ReadFile(where); err == nil {
		w.here = strings.TrimSuffix(string(now), "\n")
	}
	printed := strings.Split(string(out), mark)
	if len(printed) != len(commands)+1 {
		w.t.Fatalf("%d commands ended as %d:\n%s", len(commands), len(printed)-1, out)
	}
	for i := range printed {
		printed[i] = downloads.ReplaceAllString(printed[i], "")
	}
	return printed[1:]
}

// downloads are lines that Go prints where a module is not there yet.
var downloads = regexp.MustCompile(`(?m)^go: downloading .*\n`)

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestGuidesDoWhatTheySay walks through every guide.
func TestGuidesDoWhatTheySay(t *testing.T) {
	for _, document := range guides(t) {
		t.Run(document, func(t *testing.T) {
			folder := t.TempDir()
			w := &walk{t: t, clone: absolute(t, "."), folder: folder, here: folder, port: freePort(t)}
			read, err := os.ReadFile(filepath.Join(root, document))
			if err != nil {
				t.Fatal(err)
			}
			text := string(read)
			for _, b := range blocksOf(t, document) {
				shown := w.take(b)
				text = strings.Replace(text, "\n"+b.text+"```", "\n"+shown+"```", 1)
				if t.Failed() {
					t.Fatalf("the rest of %s is not walked, from line %d on", document, b.line)
				}
			}
			if *update && text != string(read) {
				if err := os.WriteFile(filepath.Join(root, document), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
