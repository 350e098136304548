package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// lackedByMacs are what the bash 3.2 and the commands of macOS lack, or do otherwise, each with an example.
var lackedByMacs = []struct{ what, pattern, example string }{
	{"tables and references of bash 4", `\b(declare|local|typeset)\s+-\w*[Ang]`, `local -A counts`},
	{"lists read from lines, of bash 4", `\b(mapfile|readarray)\b`, `mapfile -t lines`},
	{"upper and lower case of bash 4", `\$\{!?\w+(\[[^]]*\])?(,|\^|@)`, `${name,,}`},
	{"lists, which are unbound in bash 3.2 where they are empty", `\$\{\w+\[[@*]\]\}`, `"${flags[@]}"`},
	{"pipes of both outputs, of bash 4", `\|&|&>>`, `make |& tail`},
	{"coprocesses of bash 4", `\bcoproc\b`, `coproc cat`},
	{"waiting for any job, of bash 4.3", `\bwait\s+-`, `wait -n`},
	{"variables of bash 4 and 5", `\b(EPOCHSECONDS|EPOCHREALTIME|BASHPID|SRANDOM)\b`, `$EPOCHSECONDS`},
	{"times in printf, of bash 4.2", `%\(`, `printf '%(%s)T'`},
	{"tests of variables, of bash 4.2", `\[\[\s+(!\s+)?-v\b`, `[[ -v name ]]`},
	{"cases that fall through, of bash 4", `;;?&`, `;;&`},
	{"cases in substitutions, whose parenthesis ends them in bash 3.2", `\$\([^)]*\bcase\b`, `$(case $1 in a) true ;; esac)`},
	{"globs of bash 4", `\bglobstar\b|\*\*/`, `shopt -s globstar`},
	{"fractions in sleep and read", `\bread\s+-t\s*0?\.`, `read -t 0.5`},
	{"options of GNU's sed", `\bsed\s+(-\w+\s+)*(-\w*[irs]|--)`, `sed -i s/a/b/ file`},
	{"options of GNU's stat, readlink, date, grep and xargs", `\b(stat\s+-c|readlink\s+-\w*[fem]|date\s+-\w*[dI]|grep\s+-\w*P|xargs\s+-\w*[rd])`, `stat -c %s file`},
	{"programs of GNU's", `\b(timeout|nproc|realpath|tac|numfmt|setsid|flock)\s+[^)]|\$\((nproc)\)`, `timeout 5 true`},
	{"files but the last lines", `\bhead\s+-\w*\s*-`, `head -n -1`},
	{"prints of find", `\s-printf\b`, `find . -printf %f`},
}

func TestScriptForMacsUsesOnlyWhatTheyHave(t *testing.T) {
	const script = "tools/on-mac"
	if said, err := exec.Command("bash", "--posix", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("bash: %v\n%s", err, said)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, lacked := range lackedByMacs {
		pattern := regexp.MustCompile(lacked.pattern)
		if !pattern.MatchString(lacked.example) {
			t.Errorf("%s: %q is none", lacked.what, lacked.example)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if found := pattern.FindString(line); found != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s:%d: %q: Macs lack %s", script, i+1, found, lacked.what)
			}
		}
	}
}

// The list of steps and that of needs are two.
func TestScriptForMacsKnowsTheNeedsOfEachStep(t *testing.T) {
	text, err := os.ReadFile("tools/on-mac")
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(string(text), "\nnames=\"")
	names, _, found := strings.Cut(names, "\"")
	if !found || len(strings.Fields(names)) < 10 {
		t.Fatalf("the steps are %q", names)
	}
	for _, name := range strings.Fields(names) {
		if !strings.Contains(string(text), "\n"+name+"() {") {
			t.Errorf("there is no function %s", name)
		}
	}
	said, err := exec.Command("bash", "tools/on-mac", "nothing").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "there is no step nothing") {
		t.Errorf("an unknown step: %v, %s", err, said)
	}
}
