package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func drawn(t *testing.T) []*picture {
	t.Helper()
	all, err := pictures(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Files are what is drawn, and there are no others.
func TestFilesAreWhatIsDrawn(t *testing.T) {
	files := map[string]bool{}
	for _, p := range drawn(t) {
		for _, colours := range themes {
			files[path.Base(p.file(colours))] = true
			text, err := os.ReadFile(filepath.Join(root, p.file(colours)))
			if err != nil || string(text) != p.svg(colours) {
				t.Errorf("%s is not what is drawn (%v): run go run ./tools/pictures", p.file(colours), err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !files[entry.Name()] {
			t.Errorf("nobody draws %s/%s", folder, entry.Name())
		}
	}
}

// Pages show both themes of a picture, and say in words what it shows.
func TestPagesShowPictures(t *testing.T) {
	for _, p := range drawn(t) {
		page, err := os.ReadFile(filepath.Join(root, p.page))
		if err != nil {
			t.Fatal(err)
		}
		at := strings.TrimPrefix(folder, path.Dir(p.page)+"/") + "/" + p.name
		for _, needed := range []string{`srcset="` + at + `-dark.svg"`, `src="` + at + `-light.svg"`, `alt="` + p.label + `"`} {
			if !strings.Contains(string(page), needed) {
				t.Errorf("%s does not have %s", p.page, needed)
			}
		}
	}
}

// Texts meet no other text and no line, also in a wide font, and pictures are at most as wide as a page.
func TestTextsAreFree(t *testing.T) {
	for _, p := range drawn(t) {
		var sheet canvas
		p.content.draw(&sheet)
		if sheet.width > 836 {
			t.Errorf("%s is %g wide", p.name, sheet.width)
		}
		for i, one := range sheet.captions {
			if one.area.left < 0 || one.area.top < 0 {
				t.Errorf("%s: %q leaves the picture", p.name, one.text)
			}
			for _, other := range sheet.captions[:i] {
				if one.area.meets(other.area) {
					t.Errorf("%s: %q and %q meet", p.name, one.text, other.text)
				}
			}
			for _, at := range sheet.ink {
				if one.area.has(at) {
					t.Errorf("%s: a line passes %q at %.0f, %.0f", p.name, one.text, at.x, at.y)
					break
				}
			}
		}
	}
}
