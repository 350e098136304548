package plugin

// The messages of spec/plugin.sdp, whose comments tell what is in them. A field has the name
// that it has there, an optional is a pointer, and of a union's pointers one is set.
type (
	Request struct {
		Protocol uint16
		Version  string
		Name     string
		Options  []OutputOption
		Generate []string
		Roots    []string
		Packages []Package
	}

	OutputOption struct{ Name, Value string }

	Package struct {
		SourceFingerprint uint64
		Legacy            bool
		At                Place
		Name              string
		Path              string
		Mark              string
		Text              string
		Canonical         string
		Doc               []string
		Imports           []Import
		Constants         []Constant
		Aliases           []Alias
		Declarations      []Declaration
		Services          []Service
		ReservedIDs       []Range
		Custom            []Custom
	}

	Place struct{ Start, End, Line, Column uint32 }

	Range struct{ First, Last int64 }

	Import struct {
		At            Place
		Name, Package string
	}

	Meta struct {
		At, Whole   Place
		Name, Snake string
		Doc         []string
		Deprecated  *string
		Names       map[string]string
		Custom      []Custom
	}

	Custom struct {
		At        Place
		Name      string
		Arguments []Argument
	}

	Argument struct {
		Name  string
		Value Value
	}

	// Value is a union.
	Value struct {
		Bool   *bool
		Int    *int64
		Float  *float64
		Str    *string
		Member *string
	}

	Constant struct {
		Meta  Meta
		Type  Type
		Value Value
	}

	Alias struct {
		Meta Meta
		Type Type
	}

	Type struct {
		Kind         Kind
		CountBytes   uint8
		Boxed        bool
		Length       uint64
		Size         Size
		Declaration  string
		Key, Element *Type
		Max          *uint64
		Alias        string
	}

	Size struct {
		Fixed bool
		Min   uint64
		Max   *uint64
	}

	Declaration struct {
		Kind         Kind
		Base         Kind
		Closed       bool
		KeepUnknown  bool
		Recursive    bool
		Meta         Meta
		ID           *TypeID
		Members      []Member
		Alternatives []Alternative
		Fields       []Field
		Reserved     Reserved
		Size         Size
		Layout       string
		Fingerprints []Fingerprint
	}

	TypeID struct {
		Value      uint16
		Positional bool
		At         Place
	}

	Fingerprint struct{ Segment, Cumulative uint64 }

	Reserved struct {
		Numbers []Range
		Names   []string
	}

	Member struct {
		Number int64
		Meta   Meta
	}

	Alternative struct {
		Tag    uint8
		Meta   Meta
		Type   *Type
		Inline *Declaration
	}

	Field struct {
		Segment uint32
		Meta    Meta
		Type    Type
		Default *Value
		Offset  Size
	}

	Service struct {
		Meta     Meta
		Methods  []Method
		Reserved Reserved
	}

	Method struct {
		Kind           uint8
		Number         uint16
		RequestStream  bool
		ResponseStream bool
		Idempotent     bool
		Meta           Meta
		Request        Type
		Response       *Type
	}

	Response struct {
		Files       []File
		Diagnostics []Diagnostic
		Features    []Feature
	}

	File struct {
		Path    string
		Content []byte
	}

	Diagnostic struct {
		Severity uint8
		At       Place
		Code     string
		Message  string
		Help     string
		Package  string
	}
)

// severityError is the member Error of Severity.
const severityError = 1
