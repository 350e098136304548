package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// cyclonedx reads from a program which modules are in it, and writes that as CycloneDX.
const cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// bills makes a software bill of materials for each program. The libraries in C++ and
// TypeScript, and the crates without features, depend on nothing that is ours to list.
func (r *release) bills(ctx context.Context) error {
	if _, err := outputWith(ctx, r.work, []string{"GOBIN=" + filepath.Join(r.work, "tools"), "GOFLAGS="}, "go", "install", cyclonedx); err != nil {
		return err
	}
	for _, p := range programs {
		for _, t := range targets {
			to := r.file(p.name + "_" + r.version + "_" + t.String() + ".cdx.json")
			command := []string{filepath.Join(r.work, "tools", "cyclonedx-gomod"), "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", "v" + r.version, "-output", to, r.binary(p, t)}
			if _, err := outputWith(ctx, r.work, []string{"GOMODCACHE=" + r.modcache(), "GOFLAGS=-modcacherw"}, command...); err != nil {
				return err
			}
		}
	}
	return nil
}

// builderID says who builds, in the provenance. A forge's workflow sets it to itself.
const builderID = "RELEASE_BUILDER"

// provenance is the origin of the files, as a statement of in-toto's with a predicate of SLSA's:
// the builder, the commit and the tools. Nobody has signed it; who publishes can.
func (r *release) provenance(ctx context.Context) error {
	all, err := r.digests()
	if err != nil {
		return err
	}
	type resource struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest,omitempty"`
	}
	var subjects []resource
	for _, one := range all {
		subjects = append(subjects, resource{Name: one.name, Digest: map[string]string{"sha256": one.sum}})
	}
	tools := map[string]string{"go": runtime.Version()}
	for _, tool := range []string{"cargo", "cmake", "git", "node", "npm", "python3"} {
		text, err := output(ctx, r.work, tool, "--version")
		if err != nil {
			return err
		}
		tools[tool], _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	who := os.Getenv(builderID)
	if who == "" {
		who = "https://" + repository + "/blob/main/tools/release/README.md"
	}
	source := "git+https://" + repository
	statement := map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":            "https://" + repository + "/blob/main/tools/release/README.md#files",
				"externalParameters":   map[string]string{"version": r.version, "source": source},
				"internalParameters":   map[string]any{"tools": tools},
				"resolvedDependencies": []resource{{URI: source, Digest: map[string]string{"gitCommit": r.commit}}},
			},
			"runDetails": map[string]any{"builder": map[string]string{"id": who}},
		},
	}
	text, err := json.MarshalIndent(statement, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.file("sdp_"+r.version+".intoto.json"), append(text, '\n'), 0o644)
}

// formula makes the formula of Homebrew's, which installs from the archives.
func (r *release) formula(context.Context) error {
	sums, err := r.sumsByName()
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "class Sdp < Formula\n  desc \"Compiler of SDP, a schema language with a binary format\"\n  homepage \"https://%s\"\n  version \"%s\"\n  license any_of: [\"MIT\", \"Apache-2.0\"]\n", repository, r.version)
	for _, system := range []struct{ os, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		fmt.Fprintf(&text, "\n  %s do\n", system.block)
		for _, machine := range []struct{ arch, block string }{{"amd64", "on_intel"}, {"arm64", "on_arm"}} {
			name := r.archive(sdp, target{os: system.os, arch: machine.arch})
			fmt.Fprintf(&text, "    %s do\n      url \"%s\"\n      sha256 \"%s\"\n    end\n", machine.block, r.address(name), sums[name])
		}
		text.WriteString("  end\n")
	}
	text.WriteString("\n  def install\n    bin.install \"sdp\"\n    doc.install Dir[\"LICENSE*\"], \"THIRD-PARTY.txt\"\n    man1.install Dir[\"share/man/man1/*\"]\n    generate_completions_from_executable(bin/\"sdp\", \"completion\")\n  end\n\n  test do\n    assert_match version.to_s, shell_output(\"#{bin}/sdp --version\")\n  end\nend\n")
	return os.WriteFile(r.file("sdp.rb"), []byte(text.String()), 0o644)
}
