package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nfpm writes packages of Debian's and of rpm. It is run at one version, and no part
// of our modules: it needs hundreds of others.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// buildHost is the machine that packages of rpm name, the same wherever they are made.
const buildHost = "serial-data-protocol.invalid"

// linuxPackages makes a deb and an rpm for each Linux, which have the tool, its
// completions for shells, its man pages, and the licences.
func (r *release) linuxPackages(ctx context.Context) error {
	if _, err := outputWith(ctx, r.work, []string{"GOBIN=" + filepath.Join(r.work, "tools"), "GOFLAGS="}, "go", "install", nfpm); err != nil {
		return err
	}
	files, err := r.completions(ctx)
	if err != nil {
		return err
	}
	pages, err := below(r.manFolder(), "/usr/"+manPlace)
	if err != nil {
		return err
	}
	files = append(files, pages...)
	for _, paper := range append([]string{thirdParty}, papers...) {
		files = append(files, archiveFile{"/usr/share/doc/sdp/" + paper, r.paper(paper), 0o644})
	}
	for _, t := range targets {
		if t.debArch == "" {
			continue
		}
		config := filepath.Join(r.work, "nfpm-"+t.arch+".yaml")
		all := append([]archiveFile{{"/usr/bin/sdp", r.binary(t), 0o755}}, files...)
		if err := os.WriteFile(config, []byte(r.nfpmConfig(t, all)), 0o644); err != nil {
			return err
		}
		for _, packager := range []string{"deb", "rpm"} {
			command := []string{filepath.Join(r.work, "tools", "nfpm"), "package", "--config", config, "--packager", packager, "--target", r.folder}
			if _, err := outputWith(ctx, r.work, []string{r.epoch()}, command...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) nfpmConfig(t target, files []archiveFile) string {
	var text strings.Builder
	at := r.time.Format(time.RFC3339)
	fmt.Fprintf(&text, "name: sdp\narch: %s\nplatform: linux\nversion: %s\nrelease: 1\nsection: devel\npriority: optional\n", t.arch, r.version)
	fmt.Fprintf(&text, "maintainer: SDP's contributors <sdp@serial-data-protocol.invalid>\nhomepage: https://%s\nlicense: MIT OR Apache-2.0\nmtime: %s\n", repository, at)
	// rpm's packages name a machine: without this line, the machine that makes the release.
	fmt.Fprintf(&text, "rpm: {buildhost: %s}\n", buildHost)
	text.WriteString("description: The compiler of SDP, a schema language with a binary format\ncontents:\n")
	for _, file := range files {
		fmt.Fprintf(&text, "  - {src: %q, dst: %q, file_info: {mode: 0%o, mtime: %s, owner: root, group: root}}\n", file.from, file.name, file.mode, at)
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
			return r.binary(t), nil
		}
	}
	return "", fmt.Errorf("there is no tool for %s", this)
}
