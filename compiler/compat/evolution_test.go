package compat_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/compat/random"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/conformance/meeting"
)

var (
	seedFlag   = flag.Uint64("seed", 1, "seed of the random edits")
	roundsFlag = flag.Int("rounds", 3, "how many schemas every edit is tried on")
)

const (
	// valuesMax is how many values of every type are tried where all of them must
	// be understood, witnessesMax where one must not.
	valuesMax    = 12
	witnessesMax = 400
)

// trial is a schema before and after edits.
type trial struct {
	before, after *random.Schema
	old, new      *meeting.Version
	// later is a release that comes after the new one, if that lacks fields at a
	// message's end: its fields lie where those lay.
	later    *meeting.Version
	oldToNew map[string]string
	report   *compat.Report
	// The report's verdicts on the two directions in bytes, and on JSON.
	oldOK, newOK, jsonOK bool
}

// newTrial makes random schemas until the edits fit one and both versions
// compile. It returns nil if they fit none.
func newTrial(r *rand.Rand, list ...random.Edit) *trial {
	for range 200 {
		before := random.New(r)
		after, renamed := before.Edit(r, list...)
		if after == nil {
			continue
		}
		trial := &trial{before: before, after: after, oldToNew: renamed, oldOK: true, newOK: true, jsonOK: true}
		var err error
		if trial.old, err = meeting.NewVersion(before, r); err != nil {
			panic(fmt.Sprintf("a random schema does not compile: %v\n%s", err, before))
		}
		if trial.new, err = meeting.NewVersion(after, r); err != nil {
			continue
		}
		trial.later = laterRelease(r, after, list)
		trial.report = compat.Compare(trial.old.Schema, trial.new.Schema, language.All.Compared(), compat.AllColumns)
		for _, c := range trial.report.Changes {
			trial.oldOK = trial.oldOK && c.OldReaders.OK
			trial.newOK = trial.newOK && c.NewReaders.OK
			trial.jsonOK = trial.jsonOK && c.JSON.OK
		}
		return trial
	}
	return nil
}

// laterRelease adds a segment to each message of a schema from whose messages fields
// were removed. It returns nil for other edits.
func laterRelease(r *rand.Rand, s *random.Schema, list []random.Edit) *meeting.Version {
	if !slices.ContainsFunc(list, random.Edit.Shortens) {
		return nil
	}
	s = s.Clone()
	for _, d := range s.Decls {
		if d.Kind == "message" {
			since := max(1, d.Members[len(d.Members)-1].Since) + 1
			d.Members = append(d.Members, &random.Member{Name: "later", Since: since, Type: &random.Expr{Word: "u8"}})
		}
	}
	later, err := meeting.NewVersion(s, r)
	if err != nil {
		panic(fmt.Sprintf("a segment more does not compile: %v\n%s", err, s))
	}
	return later
}

func (tr *trial) String() string {
	var report strings.Builder
	if err := compat.WriteText(&report, tr.report, false); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("before:\n%s\nafter:\n%s\n%s", tr.before, tr.after, report.String())
}

// claim is the report's prediction of one or more meetings: all go well, or at least one fails.
type claim struct {
	name     string
	ok       bool
	meetings []*meeting.Meeting
}

func (tr *trial) claims() []claim {
	back := meeting.Inverse(tr.oldToNew)
	newer := []*meeting.Meeting{meeting.New(tr.old, tr.new, tr.oldToNew, false, true)}
	if tr.later != nil {
		newer = append(newer, meeting.New(tr.old, tr.later, tr.oldToNew, false, true))
	}
	return []claim{
		{"old readers of new bytes", tr.oldOK, []*meeting.Meeting{meeting.New(tr.new, tr.old, back, false, false)}},
		{"new readers of old bytes", tr.newOK, newer},
		{"JSON", tr.jsonOK, []*meeting.Meeting{meeting.New(tr.new, tr.old, back, true, false), meeting.New(tr.old, tr.new, tr.oldToNew, true, true)}},
	}
}

// witness looks for a value that shows that a meeting goes wrong.
func (c claim) witness(tries int) string {
	for range tries {
		for _, m := range c.meetings {
			for _, d := range m.Roots() {
				if problem := m.Misunderstood(d); problem != "" {
					return problem
				}
			}
		}
	}
	return ""
}

func TestVerdictsAgreeWithCodecs(t *testing.T) {
	s := *seedFlag
	mark := map[bool]string{true: "✓", false: "✗"}
	t.Log("edit: old readers, new readers, JSON")
	for i, edit := range random.Edits {
		counts := map[string]int{}
		for round := range *roundsFlag {
			tr := newTrial(rand.New(rand.NewPCG(s, uint64(i*1000+round))), edit)
			if tr == nil {
				t.Fatalf("edit %q fits no schema", edit.Name)
			}
			counts[mark[tr.oldOK]+mark[tr.newOK]+mark[tr.jsonOK]]++
			for _, c := range tr.claims() {
				if c.ok {
					if witness := c.witness(valuesMax); witness != "" {
						t.Fatalf("edit %q: %s said to be fine, and %s\n%s", edit.Name, c.name, witness, tr)
					}
				} else if c.witness(witnessesMax) == "" {
					t.Fatalf("edit %q: %s said to break, and no value shows it\n%s", edit.Name, c.name, tr)
				}
			}
		}
		t.Logf("%-28s %v", edit.Name, counts)
		if len(counts) == 0 {
			t.Errorf("edit %q did not occur", edit.Name)
		}
	}
}

func TestSeveralEditsThatAreFineAreFineTogether(t *testing.T) {
	s := *seedFlag
	fine, counts := 0, map[string]int{}
	for i := range 40 * *roundsFlag {
		r := rand.New(rand.NewPCG(s, uint64(i)))
		first, second := random.Edits[r.IntN(len(random.Edits))], random.Edits[r.IntN(len(random.Edits))]
		if first.Renames() && second.Renumbers() || first.Renumbers() && second.Renames() {
			continue // a new name and a new number are a new member
		}
		tr := newTrial(r, first, second)
		if tr == nil {
			continue // for instance, two types would have one id
		}
		counts[first.Name]++
		counts[second.Name]++
		for _, c := range tr.claims() {
			if !c.ok {
				continue
			}
			fine++
			if witness := c.witness(valuesMax); witness != "" {
				t.Fatalf("edits %q and %q: %s said to be fine, and %s\n%s", first.Name, second.Name, c.name, witness, tr)
			}
		}
	}
	t.Logf("edits of %d kinds; %d claims were that all is fine", len(counts), fine)
	if fine == 0 {
		t.Error("nothing was fine, so that the test shows nothing")
	}
}
