package plugin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// RefuseLinks reports files that a symbolic link in a folder would lead out of it, or nowhere.
func RefuseLinks(dir string, files []File, problems *diag.List) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return // nothing is there yet, or writing will say what is
	}
	refused := map[string]bool{}
	for _, file := range files {
		at := dir
		for name := range strings.SplitSeq(file.Path, "/") {
			at = filepath.Join(at, name)
			info, err := os.Lstat(at)
			if err != nil {
				break
			}
			if info.Mode()&fs.ModeSymlink == 0 || refused[at] || leadsWithin(root, at) {
				continue
			}
			refused[at] = true
			problems.Add(&diag.Diagnostic{
				Code: codeFile, Severity: diag.SeverityError,
				Message: fmt.Sprintf("%s is a symbolic link that leads out of %s, or nowhere", filepath.ToSlash(at), filepath.ToSlash(dir)),
				Help:    "remove the link, or generate into another folder",
			})
		}
	}
}

func leadsWithin(root, link string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	within, err := filepath.Rel(root, target)
	return err == nil && filepath.IsLocal(within)
}
