package vectors_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/vectors"
)

const conformance = "../../conformance"

// programs compiles the schemas that have every construct, by their names.
func programs(t *testing.T) map[string]*plan.Program {
	t.Helper()
	files := check.Memory{}
	paths, err := filepath.Glob(filepath.Join(conformance, "schemas", "*.sdp"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	all := map[string]*plan.Program{}
	for name := range files {
		schema, problems := check.Program(files, []string{name}, format.Canonical)
		if problems.HasErrors() {
			t.Fatalf("%s: %s", name, problems.Sorted()[0].Message)
		}
		all[strings.TrimSuffix(name, ".sdp")] = plan.New(schema)
	}
	return all
}

func sets(t *testing.T, options vectors.Options) map[string]*vectors.Set {
	t.Helper()
	all := map[string]*vectors.Set{}
	for name, program := range programs(t) {
		set, err := vectors.Make(program, program.Schema.Roots[0], options)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = set
	}
	return all
}

func TestSameSeedGivesSameVectors(t *testing.T) {
	program := programs(t)["unions"]
	text := func(seed uint64) string {
		set, err := vectors.Make(program, program.Schema.Roots[0], vectors.Options{Seed: seed, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for i := range set.Cases {
			b.WriteString(set.Cases[i].Line("unions"))
		}
		return b.String()
	}
	first := text(1)
	if first != text(1) {
		t.Error("the same seed gives other vectors")
	}
	if first == text(2) {
		t.Error("another seed gives the same vectors")
	}
}

// TestEveryItemIsReached also bounds what no vector reaches of the refusals: what is left
// is refused for another reason first.
func TestEveryItemIsReached(t *testing.T) {
	items, refusals, missed := 0, 0, 0
	for name, set := range sets(t, vectors.Options{}) {
		for _, c := range set.Coverage {
			if len(c.MissedItems) > 0 {
				t.Errorf("%s.%s", name, c)
			}
			for _, one := range c.MissedRefusals {
				missed++
				switch kind := one[strings.LastIndex(one, " ")+1:]; kind {
				case "limit_depth", "limit_elements", "truncated", "map_order", "union_length":
				default:
					t.Errorf("%s: no vector reaches %s", c.Type.DeclName(), one)
				}
			}
			items, refusals = items+c.Items, refusals+c.Refusals
		}
	}
	t.Logf("%d items; %d of %d refusals", items, refusals-missed, refusals)
	if items < 500 || missed*40 > refusals {
		t.Errorf("of %d refusals at %d items %d are not reached", refusals, items, missed)
	}
}

// TestRefusalsHaveEveryName holds the table of damages against the names of refusals.
func TestRefusalsHaveEveryName(t *testing.T) {
	seen := map[string]bool{}
	for _, set := range sets(t, vectors.Options{}) {
		for _, c := range set.Cases {
			for _, r := range c.Reads {
				seen[r.Error] = true
			}
		}
	}
	for kind := interp.ErrTruncated; kind <= interp.ErrPayloadLength; kind++ {
		// Each implementation takes memory of its own.
		if !seen[kind.String()] && kind != interp.ErrLimitMemoryBytes {
			t.Errorf("no vector is refused for %s", kind)
		}
	}
}

// TestReferenceAnswersTheSame asks who shares nothing with the compiler: the reference
// that was written from the specification.
func TestReferenceAnswersTheSame(t *testing.T) {
	command := exec.Command("python3", filepath.Join(conformance, "reference", "__main__.py"), "serve")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	asked := 0
	for name, set := range sets(t, vectors.Options{Seed: 1, Count: 1}) {
		for i := range set.Cases {
			// Every refusal of every way of damage is asked in some schema; all would take minutes.
			c := &set.Cases[i]
			if c.Mode == vectors.Dispatch || c.Mode == vectors.Stream || len(c.Bytes) > 600 || i%12 != 0 {
				continue
			}
			asked++
			if got := ask(t, in, answers, name, c); got != verdict(c.Reads[0]) {
				t.Errorf("%s %s.%s: the reference says %s, the vector %s", c.File(), name, c.Type.DeclName(), got, verdict(c.Reads[0]))
			}
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := command.Wait(); err != nil || asked < 500 {
		t.Errorf("%d vectors asked: %v", asked, err)
	}
}

func verdict(a vectors.Answer) string {
	if a.Error != "" {
		return fmt.Sprintf("%s %d %s", a.Error, a.Offset, a.Path)
	}
	return a.JSON + " " + hex.EncodeToString(a.Encoding)
}

func ask(t *testing.T, in interface{ Write([]byte) (int, error) }, answers *bufio.Reader, schema string, c *vectors.Case) string {
	t.Helper()
	limits := map[string]int64{}
	for key, n := range map[string]int64{"message_bytes": c.Limits.MessageBytes, "elements": c.Limits.Elements, "depth": c.Limits.Depth} {
		if n > 0 {
			limits[key] = n
		}
	}
	request, err := json.Marshal(map[string]any{
		"op": map[vectors.Mode]string{vectors.Bytes: "decode", vectors.Exact: "decode_exact", vectors.Message: "decode_message"}[c.Mode], "type": c.Type.DeclName(), "bytes": hex.EncodeToString(c.Bytes),
		"schema": filepath.Join(conformance, "schemas", schema+".sdp"), "limits": limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(append(request, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := answers.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Result, Message, JSON, Bytes, Error, Path string
		Offset                                    int64
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	switch got.Result {
	case "accept":
		return got.JSON + " " + got.Bytes
	case "reject":
		return fmt.Sprintf("%s %d %s", got.Error, got.Offset, got.Path)
	}
	return got.Message
}

// Types that lie in each other six deep have vectors of their own; each repeats the items of the
// types below it once, and not all of them.
func TestNestedTypesDoNotMultiplyVectors(t *testing.T) {
	files := check.Memory{}
	for _, name := range []string{"metrics.sdp", "common.sdp"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "otel", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	schema, problems := check.Program(files, []string{"metrics.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	set, err := vectors.Make(plan.New(schema), schema.Roots[0], vectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, c := range set.Cases {
		bytes += len(c.Bytes)
	}
	t.Logf("%d vectors of %d bytes", len(set.Cases), bytes)
	if len(set.Cases) > 4000 || bytes > 2<<20 {
		t.Errorf("%d vectors of %d bytes", len(set.Cases), bytes)
	}
}

// A type that reaches each below it in many ways has no more values for that.
func TestDeepTypesVaryNearTheTop(t *testing.T) {
	var text strings.Builder
	text.WriteString("package chain; message M0 { a: u32, b: str }\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&text, "message M%d { child: ?M%d, kids: []M%d }\n", i, i-1, i/2)
	}
	schema, problems := check.Program(check.Memory{"chain.sdp": text.String()}, []string{"chain.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	set, err := vectors.Make(plan.New(schema), schema.Roots[0], vectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Cases) > 10_000 {
		t.Errorf("%d vectors", len(set.Cases))
	}
}
