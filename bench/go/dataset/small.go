package dataset

// Frame is what schemas/arrays.sdp calls by that name.
type Frame struct {
	Samples []float32 `json:"samples"`
	Indices []uint32  `json:"indices"`
}

// Checksum adds up every element; see Registry.Checksum.
func (f *Frame) Checksum() uint64 {
	var c Sum
	for _, v := range f.Samples {
		c.Float32(v)
	}
	for _, v := range f.Indices {
		c.Uint(uint64(v))
	}
	return uint64(c)
}

// Speaker is what schemas/absent.sdp calls by that name.
type Speaker struct {
	Position *Position `json:"position"`
}

// Position is the struct that a Speaker of the data set lacks.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

// Checksum adds up the fields that are there; see Registry.Checksum.
func (s *Speaker) Checksum() uint64 {
	var c Sum
	if s.Position != nil {
		c.Bool(true)
		c.Float64(s.Position.X)
		c.Float64(s.Position.Y)
		c.Float64(s.Position.Z)
	}
	return uint64(c)
}
