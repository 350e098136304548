package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// page is a file of HTML as a browser reads it.
type page struct {
	ids   map[string]bool
	links []string
}

// check follows each link of the site that leads within it, to a file and to a place in it.
func check() error {
	site := os.DirFS(siteFolder)
	files, pages := map[string]bool{}, map[string]page{}
	err := fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name] = true
		if path.Ext(name) != ".html" || strings.HasPrefix(name, playgroundAt+"/") || name == "404.html" {
			return nil
		}
		text, err := fs.ReadFile(site, name)
		if err != nil {
			return err
		}
		pages[name], err = read(text)
		return err
	})
	if err != nil {
		return err
	}
	followed := 0
	var broken []error
	for name, p := range pages {
		for _, link := range p.links {
			to, err := url.Parse(link)
			if err != nil {
				broken = append(broken, fmt.Errorf("%s: %w", name, err))
				continue
			}
			if to.Scheme != "" || to.Host != "" {
				continue
			}
			followed++
			file := name
			if to.Path != "" {
				file = path.Join(path.Dir(name), to.Path)
			}
			if !files[file] && files[path.Join(file, "index.html")] {
				file = path.Join(file, "index.html")
			}
			target, isPage := pages[file]
			switch {
			case !files[file]:
				broken = append(broken, fmt.Errorf("%s leads to %s, which is not there", name, link))
			case to.Fragment != "" && isPage && !target.ids[to.Fragment]:
				broken = append(broken, fmt.Errorf("%s leads to %s, and the page has no such place", name, link))
			}
		}
	}
	if len(pages) < 50 || followed < 1000 {
		broken = append(broken, fmt.Errorf("%d pages with %d links are no site", len(pages), followed))
	}
	slices.SortFunc(broken, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if len(broken) == 0 {
		fmt.Printf("%d links of %d pages lead somewhere\n", followed, len(pages))
	}
	return errors.Join(broken...)
}

// read collects the places and links of a page.
func read(text []byte) (page, error) {
	p := page{ids: map[string]bool{}}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return p, err
	}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		for _, a := range n.Attr {
			switch a.Key {
			case "id", "name":
				p.ids[a.Val] = true
			case "href", "src", "srcset":
				p.links = append(p.links, a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(root)
	return p, nil
}
