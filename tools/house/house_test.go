// Package house_test keeps what holds for every file of the repository: which
// files there are, how long they are, where their links lead.
package house_test

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// linesMax is where a file certainly has more than one subject.
const linesMax = 500

// foreign are folders with what tools of others made, which is committed.
var foreign = []string{"editors/tree-sitter-sdp/src/"}

// sources are the endings of files that hold code, which the rules of this package look at.
var sources = []string{".c", ".cpp", ".go", ".h", ".hpp", ".java", ".js", ".lua", ".mjs", ".py", ".rs", ".sh", ".ts"}

// longer are files of code that can't be divided, with the reason.
var longer = map[string]string{
	"mxp/wireshark/mxp.lua": "users copy one file into Wireshark's folder of plugins",
}

// files are the paths of the repository's files, with slashes, from the root: committed files, and
// files that can be. Ignored files come and go while other programs are built.
func files(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if slices.ContainsFunc(foreign, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			found = append(found, name)
		}
	}
	if len(found) < 300 {
		t.Fatalf("only %d files were found, so that the test looks in the wrong place", len(found))
	}
	return found
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// isWritten tells whether people wrote a source file: not a generator, and not
// as the input or expectation of a test.
func isWritten(name string, text []byte) bool {
	return !isGenerated(text) && !strings.Contains(name, "/testdata/")
}

// isGenerated tells whether a source file says that a generator wrote it.
func isGenerated(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.Contains(first, []byte("DO NOT EDIT"))
}

func TestRootHoldsOnlyItsMarkdown(t *testing.T) {
	allowed := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
	status := regexp.MustCompile(`_(STATUS|ANALYSIS|SUMMARY|COMPLETE|REPORT|NOTES)\.md$`)
	for _, name := range files(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		if path.Dir(name) == "." && !slices.Contains(allowed, name) {
			t.Errorf("%s: at the root there are only %v", name, allowed)
		}
		if status.MatchString(name) {
			t.Errorf("%s: what is true now belongs in a README, spec/, docs/ or the changelog", name)
		}
	}
}

func TestReadmeIsReadInAFewMinutes(t *testing.T) {
	if lines := bytes.Count(read(t, "README.md"), []byte("\n")); lines > 120 {
		t.Errorf("README.md has %d lines: past 120 they belong in docs/", lines)
	}
}

func TestSourceFilesHaveOneSubject(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range files(t) {
		text := read(t, name)
		if !slices.Contains(sources, path.Ext(name)) || !isWritten(name, text) {
			continue
		}
		seen[path.Ext(name)] = true
		if lines := bytes.Count(text, []byte("\n")); lines > linesMax && longer[name] == "" {
			t.Errorf("%s has %d lines: past %d it has two subjects", name, lines, linesMax)
		}
	}
	for _, ext := range sources {
		if !seen[ext] && ext != ".c" { // those of C that are here are a test's
			t.Errorf("no file ends in %s", ext)
		}
	}
}

func TestNamesSayWhatIsInside(t *testing.T) {
	vague := regexp.MustCompile(`^(utils?|common|helpers?|managers?|misc)$`)
	for _, name := range files(t) {
		if ext := path.Ext(name); !slices.Contains(sources, ext) || strings.Contains(name, "/testdata/") {
			continue
		}
		for _, part := range strings.Split(strings.TrimSuffix(name, path.Ext(name)), "/") {
			if vague.MatchString(part) {
				t.Errorf("%s: the name %q says nothing", name, part)
			}
		}
	}
}

// evasiveComments are comments of any language that begin with a pronoun: the first line of a comment, or one of a block.
var evasiveComments = regexp.MustCompile(`(?m)^[ \t]*(//[/!]?|/?\*\*?|#) +(Who|Whom|Whose|What|Whoever|Whatever)\b.*`)

// evasiveDocstrings are the docstrings of Python that do.
var evasiveDocstrings = regexp.MustCompile(`(?m)^[ \t]*[rR]?("""|''')\\?\s*(Who|Whom|Whose|What|Whoever|Whatever)\b.*`)

func TestEvasiveDocstringsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		`    """What a side says."""`: true, "'''\n    Who asks.\n'''": true, "r\"\"\"\\\nWhatever is.": true,
		`"""A side: what it says."""`: false, `    """Whatsoever."""`: false, `print("""What?""")`: false,
	} {
		if evasiveDocstrings.MatchString(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// A comment is a sentence about a thing, and begins with its noun. Golden code is held to it
// where it is generated, but for what C++'s backend prints into each file.
func TestCommentsBeginWithWhatAThingIs(t *testing.T) {
	for _, name := range files(t) {
		text := read(t, name)
		isScript := path.Ext(name) == "" && bytes.HasPrefix(text, []byte("#!"))
		if name == "compiler/backend/cpp/lang.go" || !isScript && !slices.Contains(sources, path.Ext(name)) || strings.Contains(name, "golden") || !isWritten(name, text) {
			continue
		}
		evasive := evasiveComments.FindAll(text, -1)
		if path.Ext(name) == ".py" {
			evasive = append(evasive, evasiveDocstrings.FindAll(text, -1)...)
		}
		for _, found := range evasive {
			t.Errorf("%s: %q does not begin with what the thing is", name, bytes.TrimSpace(found))
		}
	}
}

func TestNothingIsPutOffOrSkipped(t *testing.T) {
	// The words are put together here, so that this file doesn't have them.
	patterns := map[string]*regexp.Regexp{
		"put off": regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|\b(to` + `do|unimple` + `mented)!`),
		"skipped": regexp.MustCompile(`\b[tbf]\.Skip(f|Now)?\(|unittest\.skip|skip` + `Test\(|#\[ig` + `nore`),
	}
	for _, name := range files(t) {
		if !slices.Contains(sources, path.Ext(name)) || strings.Contains(name, "/testdata/") {
			continue
		}
		text := read(t, name)
		for what, pattern := range patterns {
			if found := pattern.Find(text); found != nil {
				t.Errorf("%s: %q: something is %s", name, found, what)
			}
		}
	}
}

var (
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence = regexp.MustCompile("(?ms)^```.*?^```")
	code  = regexp.MustCompile("`[^`\n]+`")
)

func TestLinksInMarkdownLeadSomewhere(t *testing.T) {
	seen := 0
	for _, name := range files(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		prose := code.ReplaceAll(fence.ReplaceAll(read(t, name), nil), nil)
		for _, match := range link.FindAllSubmatch(prose, -1) {
			target, _, _ := strings.Cut(string(match[1]), "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(root, path.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which isn't there", name, target)
			}
		}
	}
	if seen == 0 {
		t.Error("no link was seen")
	}
}

func TestScriptsCanBeRunAndStopAtErrors(t *testing.T) {
	for _, name := range files(t) {
		inTools := path.Dir(name) == "tools" && path.Ext(name) == ""
		if path.Ext(name) != ".sh" && !inTools && !(path.Ext(name) == "" && bytes.HasPrefix(read(t, name), []byte("#!/usr/bin/env bash\n"))) {
			continue
		}
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s can't be executed", name)
		}
		text := string(read(t, name))
		if !strings.HasPrefix(text, "#!/usr/bin/env bash\n") || !strings.Contains(text, "\nset -") {
			t.Errorf("%s doesn't start with bash and stop at errors", name)
		}
	}
}
