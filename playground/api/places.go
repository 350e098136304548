package api

import (
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// blockBytes is the distance between two places whose count is kept.
const blockBytes = 1024

// places turns offsets of bytes into offsets of a page, whose texts are UTF-16.
type places struct {
	text string
	// units[i] counts the code units of what starts before byte i*blockBytes.
	units []int
}

func newPlaces(text string) *places {
	p := &places{text: text}
	units := 0
	for at := 0; at < len(text); at++ {
		if at%blockBytes == 0 {
			p.units = append(p.units, units)
		}
		units += unitsOf(text[at])
	}
	if len(text)%blockBytes == 0 {
		p.units = append(p.units, units)
	}
	return p
}

// unitsOf counts code units at the first byte of a character: of four bytes two.
func unitsOf(b byte) int {
	switch {
	case !utf8.RuneStart(b):
		return 0
	case b >= 0xf0:
		return 2
	}
	return 1
}

// at is the offset in code units of an offset in bytes.
func (p *places) at(offset int) int {
	offset = max(0, min(offset, len(p.text)))
	block := offset / blockBytes
	units := p.units[block]
	for i := block * blockBytes; i < offset; i++ {
		units += unitsOf(p.text[i])
	}
	return units
}

// Place is a stretch of a file, in UTF-16 code units from its start.
type Place struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// mapping turns spans into places, and keeps what it knows of each file.
type mapping map[*source.File]*places

func (m mapping) place(s source.Span) *Place {
	if s.IsZero() {
		return nil
	}
	if m[s.File] == nil {
		m[s.File] = newPlaces(s.File.Text())
	}
	return &Place{File: s.File.Name(), From: m[s.File].at(s.Start), To: m[s.File].at(s.End)}
}
