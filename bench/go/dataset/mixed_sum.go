package dataset

// Checksum adds up every field; see Registry.Checksum.
func (s *Session) Checksum() uint64 {
	var c Sum
	c.Text(s.Title)
	c.Uint(uint64(s.SavedAt))
	c.Uint(uint64(s.Length))
	c.Uint(uint64(s.SampleRate))
	for i := range s.Tracks {
		s.Tracks[i].addTo(&c)
	}
	c.Text(s.Host)
	return uint64(c)
}

func (t *Track) addTo(c *Sum) {
	c.UUID(t.ID[:])
	c.Text(t.Name)
	c.Uint(uint64(t.Kind))
	for i := range t.Clips {
		clip := &t.Clips[i]
		c.Uint(clip.Start)
		c.Uint(clip.Length)
		c.Float32(clip.Gain)
		c.Bool(clip.IsMuted)
		c.Text(clip.Name)
		c.Text(clip.Source)
	}
	for i := range t.Events {
		t.Events[i].addTo(c)
	}
	for name, value := range t.Tags {
		c.Text(name)
		c.Text(value)
	}
	for bus, gain := range t.Sends {
		c.Uint(uint64(bus))
		c.Float32(gain)
	}
	if t.Comment != nil {
		c.Bool(true)
		c.Text(*t.Comment)
	}
	c.Bytes(t.State)
	if t.Colour != nil {
		c.Bool(true)
		c.Uint(uint64(*t.Colour))
	}
	for _, gain := range t.Pan {
		c.Float32(gain)
	}
}

func (e *Event) addTo(c *Sum) {
	switch {
	case e.Note != nil:
		c.Uint(1)
		c.Uint(e.Note.At)
		c.Uint(uint64(e.Note.Length))
		c.Uint(uint64(e.Note.Key))
		c.Uint(uint64(e.Note.Velocity))
	case e.Curve != nil:
		c.Uint(2)
		c.Uint(uint64(e.Curve.Parameter))
		for i := range e.Curve.Points {
			p := &e.Curve.Points[i]
			c.Uint(p.At)
			c.Float32(p.Value)
			c.Uint(uint64(p.Bend))
		}
	case e.Marker != nil:
		c.Uint(3)
		c.Text(*e.Marker)
	case e.Tempo != nil:
		c.Uint(4)
		c.Float64(*e.Tempo)
	case bool(e.Stop):
		c.Uint(5)
	}
}
