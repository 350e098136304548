// Package main draws the pictures of the documents.
//
//	go run ./tools/pictures          writes docs/pictures
//
// Descriptions of pictures are data, in album.go; drawers turn them into SVG.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder has the pictures, from the repository's root.
const folder = "docs/pictures"

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// write draws all pictures into the repository whose root is given.
func write(root string) error {
	all, err := pictures(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		return err
	}
	for _, p := range all {
		for _, colours := range themes {
			if err := os.WriteFile(filepath.Join(root, p.file(colours)), []byte(p.svg(colours)), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// picture is a picture of a page.
type picture struct {
	name string
	// page shows it.
	page string
	// label says in words what it shows: the page's alt text.
	label   string
	content drawer
}

// drawer is a description that can be drawn.
type drawer interface {
	draw(sheet *canvas)
}

// file is the name of a picture in a theme.
func (p *picture) file(colours theme) string {
	return folder + "/" + p.name + "-" + colours.name + ".svg"
}

// svg draws a picture in the colours of a theme.
func (p *picture) svg(colours theme) string {
	var sheet canvas
	p.content.draw(&sheet)
	return sheet.svg(p.label, colours)
}
