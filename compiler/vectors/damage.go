package vectors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// item is a piece of accepted bytes that has a meaning.
type item struct {
	kind    interp.EventKind
	offset  int
	raw     int // how many bytes it takes
	typ     *ir.Type
	path    string
	count   uint64
	content int   // offset of what a length or count counts
	end     int   // where a value that others lie in ends
	first   int   // how many bytes the first element has
	windows []int // offsets of the u32 lengths that it is counted by, outermost first
}

// first ends the path of a first element, or of a first entry's key or value.
var first = regexp.MustCompile(`\[0\](\.key|\.value)?$`)

// place is a path, the same for all elements of a list.
func place(path string) string {
	var out []byte
	number := false
	for _, c := range []byte(path) {
		if number = number && c != ']'; !number {
			out = append(out, c)
		}
		number = number || c == '['
	}
	return string(out)
}

// itemsOf are the items of bytes that are accepted, in order, as deep as they are damaged.
func itemsOf(codec *interp.Codec, data []byte) ([]item, error) {
	var items []item
	var around nest
	ends := map[int]int{} // where values end, by their items
	_, err := codec.Walk(interp.FromBytes(data), interp.Options{}, func(e *interp.Event) error {
		switch {
		case e.Missing:
			return nil
		case e.Kind == interp.EndEvent:
			if closed := around.closes(); closed.item >= 0 {
				ends[closed.item] = int(e.Offset)
			}
			return nil
		case around.types > nestedMost:
			around.opens(e, -1)
			return nil
		}
		one := item{kind: e.Kind, offset: int(e.Offset), raw: len(e.Raw), typ: e.Type, path: e.Path(), count: e.Count, windows: around.windows()}
		if e.Type != nil {
			one.content = one.offset + int(plan.Prefix(e.Type))
		}
		around.opens(e, len(items))
		if e.Kind == interp.PayloadLengthEvent {
			around.open[len(around.open)-1].window = one.offset
		}
		items = append(items, one)
		return nil
	})
	for i := range items {
		items[i].end = ends[i]
		items[i].first = firstElement(items, i)
	}
	return items, err
}

// firstElement is how many bytes the first element of a list has.
func firstElement(items []item, offset int) int {
	list := items[offset]
	if list.kind != interp.ListEvent || list.count == 0 {
		return 0
	}
	second := list.path + "[1]"
	for _, it := range items[offset+1:] {
		if list.count == 1 || it.offset >= list.end {
			break
		}
		if it.path == second || strings.HasPrefix(it.path, second+".") || strings.HasPrefix(it.path, second+"[") {
			return it.offset - list.content
		}
	}
	return list.end - list.content
}

// resized replaces bytes within data by others, and corrects the lengths that count them.
func resized(data []byte, windows []int, offset, skip int, bytes ...byte) []byte {
	out := slices.Concat(data[:offset], bytes, data[offset+skip:])
	for _, w := range windows {
		n := binary.LittleEndian.Uint32(out[w:])
		binary.LittleEndian.PutUint32(out[w:], uint32(int(n)+len(bytes)-skip))
	}
	return out
}

// damage is a way to change accepted bytes.
type damage struct {
	name, about string
	data        []byte
	limits      Limits
	mode        Mode
}

// damager damages the values of a type: each place each way once.
type damager struct {
	*maker
	decl ir.Decl
	done map[string]bool
	work *work
}

// once reports whether something is new.
func (g *damager) once(key string) bool {
	known := g.done[key]
	g.done[key] = true
	return !known
}

// damaged adds what becomes of accepted bytes by damage, from the first bytes that have a
// place. Damages beyond the work are missing in the coverage.
func (m *maker) damaged(d ir.Decl, encodings [][]byte, w *work) error {
	g := &damager{m, d, map[string]bool{}, w}
	for _, data := range encodings {
		if w.isDone() {
			break
		}
		w.begins()
		items, err := itemsOf(m.judges[d].codec, data)
		if err != nil {
			return err
		}
		if err := g.items(data, items); err != nil {
			return err
		}
		if err := g.judge(g.ends(data, items)); err != nil {
			return err
		}
	}
	return nil
}

// items damages one item after another.
func (g *damager) items(data []byte, items []item) error {
	for i, one := range items {
		at := fmt.Sprintf("%s %d", place(one.path), one.kind)
		if isNew := g.once("place " + at); !isNew && g.work.isShort() {
			continue // more of the same would take most of the time
		}
		if g.work.isDone() {
			return nil
		}
		ways := damagesOf(data, items, i)
		for _, w := range ways {
			g.work.made(len(w.data))
		}
		if err := g.judge(slices.DeleteFunc(ways, func(w damage) bool { return !g.once(w.name + " " + at) })); err != nil {
			return err
		}
	}
	// Where elements are cut, only one behind a larger one is refused, not their count.
	for _, one := range slices.Backward(items) {
		if !strings.Contains(one.path, "[") || first.MatchString(one.path) || !g.once(fmt.Sprintf("last %s %d", place(one.path), one.kind)) {
			continue
		}
		if err := g.judge(cuts(data, one)); err != nil || g.work.isDone() {
			return err
		}
	}
	return nil
}

// judge adds damaged bytes, as long as there is work left.
func (g *damager) judge(ways []damage) error {
	for _, w := range ways {
		if g.work.judged(len(w.data)); g.work.isDone() {
			return nil
		}
		if w.mode == "" {
			w.mode = Bytes
		}
		if _, err := g.add(g.decl, w.mode, w.name, w.about, w.data, w.limits); err != nil {
			return err
		}
	}
	return nil
}

// damagesOf are the ways to damage one item.
func damagesOf(data []byte, items []item, offset int) []damage {
	it := items[offset]
	ways := cuts(data, it)
	add := func(name, text string, data []byte) {
		ways = append(ways, damage{name: name, about: text, data: data})
	}
	switch it.kind {
	case interp.ScalarEvent:
		if it.typ.Kind == ir.Bool {
			add("bool", "A bool is 2.", patched(data, it.offset, 2))
			add("bool_bits", "A bool has a high bit, too.", patched(data, it.offset, data[it.offset]|0x80))
		}
		if it.typ.Kind == ir.EnumKind {
			if n, ok := undeclared(it.typ.Enum()); ok {
				raw := binary.LittleEndian.AppendUint64(nil, uint64(n))
				add("enum", "An enum has a number that no member has.", patched(data, it.offset, raw[:it.raw]...))
			}
		}
	case interp.TextEvent:
		for _, bad := range [][]byte{{0xff}, {0x80}, {0xc0, 0x80}, {0xed, 0xa0, 0x80}, {0xf4, 0x90, 0x80, 0x80}, {0xe2, 0x82}} {
			if content := it.offset + int(plan.Prefix(it.typ)); it.count >= uint64(len(bad)) {
				add("utf8", "A string is no UTF-8.", patched(data, content+int(it.count)-len(bad), bad...))
			}
		}
	case interp.PresenceEvent:
		add("presence", "A presence byte is 2.", patched(data, it.offset, 2))
		add("presence_bits", "A presence byte has a high bit, too.", patched(data, it.offset, data[it.offset]|0x80))
	case interp.UnionEvent:
		add("tag_zero", "A tag is 0.", patched(data, it.offset, 0))
		if tag, ok := unknownTag(it.typ.Union()); ok {
			add("tag_unknown", "A tag has no alternative.", patched(data, it.offset, tag))
		}
	case interp.MapEvent:
		ways = append(ways, keys(data, items, offset)...)
	case interp.PayloadLengthEvent:
		n := uint32(it.count)
		for i, wrong := range []uint32{n + 1, n - 1, 1 << 31} {
			if i != 1 || n > 0 {
				add("payload_length", "The length of a payload is wrong.", patched(data, it.offset, binary.LittleEndian.AppendUint32(nil, wrong)...))
			}
		}
		end := it.offset + 4 + int(n)
		inner := append(slices.Clone(it.windows), it.offset)
		add("payload_longer", "A byte is behind a payload.", resized(data, inner, end, 0, 0))
		if n > 0 {
			add("payload_shorter", "The last byte of a payload is missing.", resized(data, inner, end-1, 1))
		}
	case interp.MessageEvent:
		if it.raw > 0 {
			ways = append(ways, bodies(data, it)...)
		}
	}
	if it.raw > 0 {
		switch it.kind {
		case interp.TextEvent, interp.BlobEvent, interp.ListEvent, interp.MapEvent:
			ways = append(ways, lengths(data, it)...)
		}
	}
	return ways
}

// lengths makes lengths and counts wrong.
func lengths(data []byte, i item) []damage {
	width := i.typ.LenBytes
	length := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n)[:width] }
	ways := []damage{
		{name: "length_most", about: "A length is the largest that its width holds.", data: patched(data, i.offset, length(1<<(8*width)-1)...)},
		{name: "length_sign", about: "A length has its highest bit alone.", data: patched(data, i.offset, length(1<<(8*width-1))...)},
	}
	left := uint64(len(data)-i.offset) - uint64(width)
	if most := plan.LengthMax(i.typ); left+1 <= most {
		ways = append(ways, damage{name: "length_more", about: "A length is one more than the rest of the input.", data: patched(data, i.offset, length(left+1)...)})
	}
	if most := plan.LengthMax(i.typ); i.typ.Max != nil && most < plan.WidthMax(width) {
		ways = append(ways, damage{name: "length_max", about: "A length is one more than @max.", data: patched(data, i.offset, length(most+1)...)})
		if over := beyond(data, i, most+1); over != nil {
			ways = append(ways, damage{
				name: "length_over", about: "A length is one more than @max, and nothing else is wrong.",
				data: patched(over, i.offset, length(most+1)...),
			})
		}
	}
	return ways
}

// beyond adds to a text, bytes or list what makes n of its bytes or elements; nil if that
// is much, or there is no element to repeat. It leaves the length as it is.
func beyond(data []byte, i item, n uint64) []byte {
	more := data[i.content : i.content+i.first]
	if i.typ.Kind == ir.StrKind || i.typ.Kind == ir.BytesKind {
		more = []byte{'a'}
	}
	if len(more) == 0 || n*uint64(len(more)) > longBytes {
		return nil
	}
	return resized(data, i.windows, i.content, 0, bytes.Repeat(more, int(n-i.count))...)
}

// cuts ends the bytes before and within an item.
func cuts(data []byte, i item) []damage {
	if i.raw == 0 {
		return nil
	}
	ways := []damage{
		{name: "cut", about: "The bytes end before an item.", data: data[:i.offset]},
		{name: "cut_last", about: "The bytes end before the last byte of an item.", data: data[:i.offset+i.raw-1]},
	}
	if i.raw > 2 {
		ways = append(ways, damage{name: "cut_first", about: "The bytes end behind the first byte of an item.", data: data[:i.offset+1]})
	}
	if len(i.windows) > 0 {
		// The same where not the bytes end, but the body or payload around.
		inner := i.windows[len(i.windows)-1]
		end := inner + 4 + int(binary.LittleEndian.Uint32(data[inner:]))
		if keep := i.offset + i.raw - 1; keep < end {
			ways = append(ways, damage{name: "window_cut", about: "A body or payload ends within an item.", data: resized(data, i.windows, keep, end-keep)})
		}
		if i.offset < end {
			ways = append(ways, damage{name: "window_end", about: "A body or payload ends before an item.", data: resized(data, i.windows, i.offset, end-i.offset)})
		}
	}
	return ways
}

// bodies makes the body of a message within another value longer and shorter.
func bodies(data []byte, i item) []damage {
	end, inner := i.offset+4+int(i.count), append(slices.Clone(i.windows), i.offset)
	return []damage{
		{name: "body_length", about: "The length of a body exceeds the rest of the input.", data: patched(data, i.offset, 0xff, 0xff, 0xff, 0x7f)},
		{name: "body_length", about: "The length of a body has its highest bit.", data: patched(data, i.offset, 0, 0, 0, 0x80)},
		{name: "body_tail", about: "A body has a tail that a later release wrote.", data: resized(data, inner, end, 0, 1, 2, 3)},
		{name: "body_tail_exact", about: "The same is read exactly.", data: resized(data, inner, end, 0, 1, 2, 3), mode: Exact},
	}
}

// keys puts the first two keys of a map out of order, and makes them equal.
func keys(data []byte, items []item, offset int) []damage {
	path := items[offset].path
	var found []item
	for _, it := range items[offset+1:] {
		if len(found) == 2 || it.offset >= items[offset].end {
			break
		}
		if it.path == path+"[0].key" || it.path == path+"[1].key" {
			found = append(found, it)
		}
	}
	if len(found) != 2 {
		return nil
	}
	a, b := found[0], found[1]
	first, second := bytes.Clone(data[a.offset:a.offset+a.raw]), bytes.Clone(data[b.offset:b.offset+b.raw])
	// From behind, so that offsets stay.
	equal := resized(data, b.windows, b.offset, b.raw, first...)
	swapped := resized(equal, a.windows, a.offset, a.raw, second...)
	return []damage{
		{name: "keys_equal", about: "Two keys are equal.", data: equal},
		{name: "keys_swapped", about: "Keys are not in order.", data: swapped},
	}
}

// ends are the ways to damage bytes as a whole: what is behind them, segments that are
// missing or unknown, and limits that are just too small.
func (g *damager) ends(data []byte, items []item) []damage {
	var ways []damage
	once := func(w damage) {
		if g.once(w.name) {
			ways = append(ways, w)
		}
	}
	behind := append(bytes.Clone(data), 0)
	if message, ok := g.decl.(*ir.Message); ok {
		once(damage{name: "tail", about: "A tail that a later release wrote.", data: append(bytes.Clone(data), 1, 2, 3)})
		once(damage{name: "tail_exact", about: "The same is read exactly.", data: behind, mode: Exact})
		for k, segment := range message.Segments()[1:] {
			for _, it := range items {
				if it.path == segment[0].Name && it.raw > 0 {
					name := "segment_" + string(rune('0'+k%10))
					once(damage{name: name, about: "An earlier release wrote fewer segments.", data: data[:it.offset]})
					once(damage{name: name + "_exact", about: "The same is read exactly.", data: data[:it.offset], mode: Exact})
					break
				}
			}
		}
	} else {
		once(damage{name: "behind", about: "A byte is behind the value.", data: behind})
	}
	if len(data) > 1 {
		once(damage{name: "limit_message_bytes", about: "The bytes are more than the limit.", data: data, limits: Limits{MessageBytes: int64(len(data) - 1)}})
	}
	lists, elements, levels := g.spent(g.decl, data)
	judged := func(name, text string, limits Limits) {
		if g.work.judged(len(data)); g.work.isDone() {
			return
		}
		refusal, err := g.judges[g.decl].answer(Bytes, data, limits)
		if err == nil && g.once(name+" "+place(refusal.Path)) {
			ways = append(ways, damage{name: name, about: text, data: data, limits: limits})
		}
	}
	for _, l := range lists {
		// Another element of the same list, or the same list elsewhere, is no other case.
		if l.spent > 1 && g.once("limit_elements of "+place(l.path)) {
			judged("limit_elements", "The elements are more than the limit.", Limits{Elements: l.spent - 1})
		}
	}
	if elements > 0 {
		judged("within_elements", "The elements are as many as the limit.", Limits{Elements: elements})
	}
	for level := int64(1); level < levels; level++ {
		judged("limit_depth", "The levels are more than the limit.", Limits{Depth: level})
	}
	judged("within_depth", "The levels are as many as the limit.", Limits{Depth: levels})
	return ways
}

// list is a list, map or array that is not empty.
type list struct {
	path  string
	spent int64 // the elements of the value up to its end
}

// spent is a value's share of the limits: the elements, also so far at each list as deep as it is
// damaged, and the levels.
func (m *maker) spent(d ir.Decl, data []byte) (lists []list, elements, levels int64) {
	var around nest
	_, _ = m.judges[d].codec.Walk(interp.FromBytes(data), interp.Options{}, func(e *interp.Event) error {
		switch {
		case e.Missing:
			return nil
		case e.Kind == interp.EndEvent:
			around.closes()
			return nil
		}
		n := int64(0)
		switch e.Kind {
		case interp.ListEvent, interp.MapEvent:
			n = int64(e.Count)
		case interp.ArrayEvent:
			n = int64(plan.ArrayElements(e.Type))
		}
		elements += n
		if n > 0 && around.types <= nestedMost {
			lists = append(lists, list{e.Path(), elements})
		}
		around.opens(e, -1)
		levels = max(levels, int64(around.levels))
		return nil
	})
	return lists, elements, max(levels, 1)
}
