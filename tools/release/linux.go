package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// nfpm writes packages of Debian's and of rpm. It is run at one version, and no part
// of our modules: it needs hundreds of others.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// buildHost is the machine that packages of rpm name, the same wherever they are made.
const buildHost = "serial-data-protocol.invalid"

// linuxPackages makes a deb and an rpm of each program for each Linux. A package that another step
// has made already is refused.
func (r *release) linuxPackages(ctx context.Context) error {
	if _, err := outputWith(ctx, r.work, []string{"GOBIN=" + filepath.Join(r.work, "tools"), "GOFLAGS="}, "go", "install", nfpm); err != nil {
		return err
	}
	for _, p := range programs {
		files, err := r.packaged(ctx, p)
		if err != nil {
			return err
		}
		for _, t := range targets {
			if t.debArch == "" {
				continue
			}
			config := filepath.Join(r.work, "nfpm-"+p.name+"-"+t.arch+".yaml")
			all := append([]archiveFile{{"/usr/bin/" + p.name, r.binary(p, t), 0o755}}, files...)
			if err := os.WriteFile(config, []byte(r.nfpmConfig(p, t, all)), 0o644); err != nil {
				return err
			}
			for packager, name := range map[string]string{"deb": r.deb(p, t), "rpm": r.rpm(p, t)} {
				if err := r.refuseTaken(name); err != nil {
					return err
				}
				command := []string{filepath.Join(r.work, "tools", "nfpm"), "package", "--config", config, "--packager", packager, "--target", r.file(name)}
				if _, err := outputWith(ctx, r.work, []string{r.epoch()}, command...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// refuseTaken finds a file of the release that nfpm would write over.
func (r *release) refuseTaken(name string) error {
	if _, err := os.Lstat(r.file(name)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already (%w)", r.file(name), fs.ErrExist)
	}
	return nil
}

// deb and rpm are the names of a program's packages for a target.
func (r *release) deb(p program, t target) string {
	return p.name + "_" + r.version + "-1_" + t.debArch + ".deb"
}

func (r *release) rpm(p program, t target) string {
	return p.name + "-" + r.version + "-1." + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[t.arch] + ".rpm"
}

// packaged are the files of a program's packages beside the program itself.
func (r *release) packaged(ctx context.Context, p program) (files []archiveFile, err error) {
	switch p {
	case sdp:
		if files, err = r.completions(ctx); err != nil {
			return nil, err
		}
		pages, err := below(r.manFolder(), "/usr/"+manPlace)
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			text, err := os.ReadFile(page.from)
			if err != nil {
				return nil, err
			}
			compressed := archiveFile{page.name + ".gz", filepath.Join(r.work, "packages", filepath.Base(page.from)+".gz"), page.mode}
			if err := gzipped(compressed.from, text); err != nil {
				return nil, err
			}
			files = append(files, compressed)
		}
	case sdpMesh:
		for name, from := range map[string]string{
			"/usr/lib/systemd/system/sdp-mesh.service": "sdp-mesh.service",
			"/usr/lib/sysusers.d/sdp-mesh.conf":        "sdp-mesh.sysusers",
			"/etc/sdp-mesh/node.toml":                  "node.toml",
		} {
			files = append(files, archiveFile{name, r.meshPackaging(from), 0o644})
		}
		slices.SortFunc(files, func(a, b archiveFile) int { return strings.Compare(a.name, b.name) })
	}
	for _, paper := range append([]string{thirdParty}, papers...) {
		files = append(files, archiveFile{"/usr/share/doc/" + p.name + "/" + paper, r.paper(p, paper), 0o644})
	}
	for _, paper := range debianPapers {
		from := filepath.Join(r.work, "packages", p.name+"-"+path.Base(paper.place))
		text := []byte(strings.NewReplacer("@NAME@", p.name, "@VERSION@", r.version, "@MAINTAINER@", maintainer, "@REPOSITORY@", repository, "@DATE@", r.time.Format(time.RFC1123Z)).Replace(paper.text))
		written := func(address string, text []byte) error { return os.WriteFile(address, text, 0o644) }
		if strings.HasSuffix(paper.place, ".gz") {
			written = gzipped
		}
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return nil, err
		}
		if err := written(from, text); err != nil {
			return nil, err
		}
		files = append(files, archiveFile{paper.address(p), from, 0o644})
	}
	return files, nil
}

// maintainer is a name and an address in Debian's packages.
const maintainer = "SDP's contributors <sdp@serial-data-protocol.invalid>"

// debianPaper is a file of Debian's packages alone.
type debianPaper struct{ place, text string }

// address is the place of the file of a program.
func (d debianPaper) address(p program) string { return strings.ReplaceAll(d.place, "@NAME@", p.name) }

// debianPapers are the papers of Debian's policy, and the reason of a static program.
var debianPapers = []debianPaper{
	{"/usr/share/doc/@NAME@/copyright", `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Source: https://@REPOSITORY@

Files: *
Copyright: SDP's contributors
License: MIT or Apache-2.0
 The texts are in LICENSE-MIT and LICENSE-APACHE beside this file. On Debian, the
 second is in /usr/share/common-licenses/Apache-2.0, too. THIRD-PARTY.txt has the
 licences of parts by others.
`},
	{"/usr/share/doc/@NAME@/changelog.Debian.gz", `@NAME@ (@VERSION@-1) unstable; urgency=medium

  * Release @VERSION@: https://@REPOSITORY@/blob/v@VERSION@/CHANGELOG.md

 -- @MAINTAINER@  @DATE@
`},
	// Debian's rebuilds of libraries don't reach it: it has none.
	{"/usr/share/lintian/overrides/@NAME@", "@NAME@: statically-linked-binary [usr/bin/@NAME@]\n"},
}

// meshPackaging is a file that only packages of sdp-mesh have.
func (r *release) meshPackaging(name string) string {
	return filepath.Join(r.source(), "mesh", "packaging", name)
}

func (r *release) nfpmConfig(p program, t target, files []archiveFile) string {
	var text strings.Builder
	at := r.time.Format(time.RFC3339)
	fmt.Fprintf(&text, "name: %s\narch: %s\nplatform: linux\nversion: %s\nrelease: 1\nsection: %s\npriority: optional\n", p.name, t.arch, r.version, p.section)
	fmt.Fprintf(&text, "maintainer: %s\nhomepage: https://%s\nlicense: MIT OR Apache-2.0\nmtime: %s\n", maintainer, repository, at)
	// rpm's packages name a machine: without this line, the machine that makes the release.
	fmt.Fprintf(&text, "rpm: {buildhost: %s}\n", buildHost)
	if p == sdpMesh {
		fmt.Fprintf(&text, "scripts: {postinstall: %q, preremove: %q}\n", r.meshPackaging("postinstall"), r.meshPackaging("preremove"))
	}
	fmt.Fprintf(&text, "description: |\n  %s\n  %s\ncontents:\n", p.about, p.more)
	for _, file := range files {
		kind := ""
		switch {
		case strings.HasPrefix(file.name, "/etc/"):
			kind = "type: config|noreplace, "
		case slices.ContainsFunc(debianPapers, func(paper debianPaper) bool { return paper.address(p) == file.name }):
			kind = "packager: deb, "
		}
		fmt.Fprintf(&text, "  - {src: %q, dst: %q, %sfile_info: {mode: 0%o, mtime: %s, owner: root, group: root}}\n", file.from, file.name, kind, file.mode, at)
	}
	return text.String()
}

// completions are what the tool for this machine says to shells, which is the same everywhere.
func (r *release) completions(ctx context.Context) (files []archiveFile, err error) {
	program, err := r.native(ctx)
	if err != nil {
		return nil, err
	}
	for shell, file := range map[string]string{"bash": "bash-completion/completions/sdp", "zsh": "zsh/vendor-completions/_sdp", "fish": "fish/vendor_completions.d/sdp.fish"} {
		text, err := output(ctx, r.work, program, "completion", shell)
		if err != nil {
			return nil, err
		}
		from := filepath.Join(r.work, "completion."+shell)
		if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
			return nil, err
		}
		files = append(files, archiveFile{"/usr/share/" + file, from, 0o644})
	}
	return files, nil
}

// native is the tool of this release that runs on this machine.
func (r *release) native(ctx context.Context) (string, error) {
	text, err := output(ctx, r.work, "go", "env", "GOHOSTOS", "GOHOSTARCH")
	if err != nil {
		return "", err
	}
	this := strings.Join(strings.Fields(text), "_")
	for _, t := range targets {
		if t.String() == this {
			return r.binary(sdp, t), nil
		}
	}
	return "", fmt.Errorf("there is no tool for %s", this)
}
