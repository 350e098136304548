package main

import (
	"slices"
	"testing"
)

func TestTargetsAreReadPackageByPackage(t *testing.T) {
	const listing = `FuzzA
FuzzB
ok  	example.com/one	0.004s
ok  	example.com/none	0.002s
?   	example.com/silent	[no test files]
FuzzC
ok  	example.com/two	(cached)
`
	want := []target{{"example.com/one", "FuzzA"}, {"example.com/one", "FuzzB"}, {"example.com/two", "FuzzC"}}
	got, without := targetsOf(listing)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(without, []string{"example.com/none", "example.com/silent"}) {
		t.Errorf("%v are without targets", without)
	}
}

func TestExecutionsAreReadFromProgress(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"fuzz: elapsed: 3s, execs: 102345 (34115/sec), new interesting: 12 (total: 40)", "102345"},
		{"fuzz: elapsed: 0s, gathering baseline coverage: 0/14 completed", ""},
		{"--- FAIL: FuzzA (0.01s)", ""},
	} {
		got := ""
		if match := executions.FindStringSubmatch(c.line); match != nil {
			got = match[1]
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
	}
}

func TestPackagesWithoutTargetsAreAnError(t *testing.T) {
	if err := run(1, 0, []string{"."}); err == nil {
		t.Error("a package without fuzz targets counts as fuzzed")
	}
}
