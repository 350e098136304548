package sdp

// layoutTable is a layout text [EVO-5], read: blocks refer to their members,
// members to their types, and types to types and blocks, all by index. Nothing
// changes it once it is read, so that walks share it.
type layoutTable struct {
	blocks  []layoutBlock
	members []layoutMember
	types   []layoutType
}

// layoutBlock is a declared type.
type layoutBlock struct {
	kind   blockKind
	closed bool // of an enum or union
	keep   bool // of a message with @keep_unknown
	// base is an enum's integer.
	base layoutScalar
	// members are those from first up to, but not with, last. Of enums only the
	// closed ones have any: nobody asks for the others. They are sorted.
	first, last int32
	// levels is how many levels of structs a struct without bytes is made of,
	// itself one of them; 0 for every other block.
	levels int32
	// smallest is the smallest size of the block's bytes [WIRE-13.1]; of a
	// message, of its body.
	smallest uint64
}

type blockKind uint8

const (
	structBlock blockKind = iota + 1
	messageBlock
	unionBlock
	enumBlock
)

// layoutMember is a field, an alternative or the number of a closed enum.
type layoutMember struct {
	name string
	// typ is the type's index, or noType for a member without a type.
	typ int32
	// number is a field's segment, an alternative's tag, or the bits of an enum's
	// number.
	number uint64
}

const noType = -1

// layoutScalar is a word whose values are numbers of one width.
type layoutScalar struct {
	kind layoutKind
	// width is the size of a scalar, and of a length or count.
	width uint8
}

// layoutType is one word of a type expression.
type layoutType struct {
	layoutScalar
	// elem is the index of the type that a list, array or optional holds, of a
	// map's value type, or of the block that a ref refers to.
	elem, key int32
	// n is the bound of a length or count, and an array's number of elements.
	n uint64
}

type layoutKind uint8

const (
	unsignedLayout layoutKind = iota + 1
	signedLayout
	plainLayout // a scalar that can't be a map's key and whose every pattern is valid
	boolLayout
	strLayout
	bytesLayout
	listLayout
	arrayLayout
	optLayout
	mapLayout
	refLayout
)

// membersOf are a block's members.
func (t *layoutTable) membersOf(b *layoutBlock) []layoutMember { return t.members[b.first:b.last] }

// alternative finds a union's alternative; nil if none has the tag.
func (t *layoutTable) alternative(b *layoutBlock, tag uint64) *layoutMember {
	members := t.membersOf(b)
	for i := range members {
		if members[i].number == tag {
			return &members[i]
		}
	}
	return nil
}

// scalar returns the scalar of a type: the type itself, or the base of an enum. Other types have
// none.
func (t *layoutTable) scalar(typ layoutType) (layoutScalar, bool) {
	if typ.kind == refLayout {
		b := &t.blocks[typ.elem]
		return b.base, b.kind == enumBlock
	}
	return typ.layoutScalar, typ.kind <= boolLayout
}
