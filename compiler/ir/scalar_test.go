package ir

import (
	"maps"
	"strings"
	"testing"
)

func panicOf(do func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	do()
	return ""
}

func TestTableWithoutARowPanics(t *testing.T) {
	all := map[Kind]int{}
	for i, k := range Scalars() {
		all[k] = i
	}
	table := MustPerScalar(all)
	for k, row := range all {
		if table.Of(k) != row {
			t.Errorf("the row of %s is %d, want %d", k, table.Of(k), row)
		}
		without := maps.Clone(all)
		delete(without, k)
		if text := panicOf(func() { MustPerScalar(without) }); !strings.HasSuffix(text, " "+k.String()) {
			t.Errorf("a table without %s: %q", k, text)
		}
	}
	for k := StrKind; k <= MessageKind; k++ {
		if text := panicOf(func() { table.Of(k) }); !strings.Contains(text, k.String()+" is no scalar") {
			t.Errorf("the row of %s: %q", k, text)
		}
	}
}

func TestEveryKindHasANameOfItsOwn(t *testing.T) {
	names := map[string]bool{}
	for k := Kind(1); k <= MessageKind; k++ {
		if name := k.String(); name == "" || names[name] {
			t.Errorf("kind %d is named %q", k, name)
		}
		names[k.String()] = true
	}
}

func TestOnlyScalarsHaveAWidthAndAClass(t *testing.T) {
	for k := Kind(0); k <= MessageKind+1; k++ {
		scalar := 1 <= k && k < StrKind
		if (k.Bytes() > 0) != scalar || (k.Class() != 0) != scalar {
			t.Errorf("kind %d has %d bytes and class %d", k, k.Bytes(), k.Class())
		}
	}
}
