package vectors

// Work is counted in bytes: of made values, and judgedWork times as much of judged values.
const (
	// packageWork is the work of a package, and typeWork the most of a type in it: a schema needs
	// far less, but where a wide type lies in itself, or types in each other.
	packageWork = 1 << 29
	typeWork    = 1 << 27
	judgedWork  = 16
	// shortPart is the part of a type's work before places that have been damaged are passed over.
	shortPart = 8
	// valuesPart is the part that chosen values get, and random ones.
	valuesPart = 2
)

// work is the rest of an amount of work.
type work struct {
	all, left int
	// making is what values before the one at hand took, and to make damages of this one.
	making int
}

// share is the work of the next of so many types: what others leave is theirs.
func share(rest, types int) *work {
	all := min(typeWork, rest/types)
	return &work{all: all, left: all}
}

// part is a part of all of it, in an amount of its own.
func (w *work) part(n int) *work { return &work{all: w.all / n, left: w.all / n} }

// begins says that the next value is at hand.
func (w *work) begins() { w.making = w.all - w.left }

func (w *work) made(bytes int)   { w.left, w.making = w.left-bytes, w.making+bytes }
func (w *work) judged(bytes int) { w.left -= judgedWork * bytes }

// isShort reports whether what is repeated should be left out, and isDone whether nothing is left.
func (w *work) isShort() bool { return w.making > typeWork/shortPart }
func (w *work) isDone() bool  { return w.left < 0 }
