//go:build release

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestBillsNameWhatIsInThePrograms(t *testing.T) {
	r := releaseMade(t)
	for _, p := range programs {
		for _, on := range targets {
			billNames(t, r, p, on)
		}
	}
}

// billNames fails unless the bill of a program for a target names the modules that are in it.
func billNames(t *testing.T, r *release, p program, on target) {
	t.Helper()
	text, err := os.ReadFile(r.file(p.name + "_" + r.version + "_" + on.String() + ".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.BOMFormat != "CycloneDX" {
		t.Fatalf("%s: %q, %v", on, bill.BOMFormat, err)
	}
	info, err := buildinfo.ReadFile(archivedProgram(t, r, p, on))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"std " + info.GoVersion}
	for _, one := range info.Deps {
		want = append(want, one.Path+" "+one.Version)
	}
	var got []string
	for _, one := range bill.Components {
		got = append(got, one.Name+" "+one.Version)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s for %s: the bill has\n%q, and the program\n%q", p.name, on, got, want)
	}
}

func TestProvenanceNamesEachFileAndTheCommit(t *testing.T) {
	r := releaseMade(t)
	name := "sdp_" + r.version + ".intoto.json"
	text, err := os.ReadFile(r.file(name))
	if err != nil {
		t.Fatal(err)
	}
	var statement struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest struct{ SHA256 string }
		}
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct{ Digest struct{ GitCommit string } }
			}
		}
	}
	if err := json.Unmarshal(text, &statement); err != nil {
		t.Fatal(err)
	}
	var got []digest
	for _, one := range statement.Subject {
		got = append(got, digest{one.Name, one.Digest.SHA256})
	}
	want, err := r.digests()
	if err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(want, func(one digest) bool { return one.name == name })
	if statement.Type != "https://in-toto.io/Statement/v1" || !slices.Equal(got, want) {
		t.Errorf("%s has %v, and the release %v", name, got, want)
	}
	commit := strings.TrimSpace(does(t, r.source(), nil, "git", "rev-parse", tagOf("runtime", r.version)))
	if from := statement.Predicate.BuildDefinition.ResolvedDependencies; len(from) != 1 || from[0].Digest.GitCommit != commit {
		t.Errorf("%s says %v, and it is of %s", name, from, commit)
	}
}

func TestWorkflowsAreSome(t *testing.T) {
	files, err := fs.Glob(os.DirFS(root), ".github/workflows/*.yml")
	if err != nil || len(files) < 2 {
		t.Fatalf("the workflows are %v (%v)", files, err)
	}
	does(t, root, nil, append([]string{"go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"}, files...)...)
}
