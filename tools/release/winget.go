package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// wingetName is what winget calls the tool: a publisher, and its package.
const wingetName = "SerialDataProtocol.sdp"

// wingetSchema is the version of the form of winget's files.
const wingetSchema = "1.6.0"

// winget makes the three files by which winget installs from the archives for Windows.
func (r *release) winget(context.Context) error {
	sums, err := r.sumsByName()
	if err != nil {
		return err
	}
	var installers strings.Builder
	for _, t := range targets {
		if t.os != "windows" {
			continue
		}
		name := r.archive(sdp, t)
		fmt.Fprintf(&installers, "  - Architecture: %s\n    InstallerUrl: %s\n    InstallerSha256: %s\n    NestedInstallerFiles:\n      - RelativeFilePath: %s\\%s\n        PortableCommandAlias: sdp\n",
			map[string]string{"amd64": "x64", "arm64": "arm64"}[t.arch], r.address(name), strings.ToUpper(sums[name]), strings.TrimSuffix(name, ".zip"), sdp.file(t))
	}
	for _, file := range []struct{ ending, kind, text string }{
		{"", "version", "DefaultLocale: en-US\n"},
		{".installer", "installer", "InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n" + installers.String()},
		{".locale.en-US", "defaultLocale", "PackageLocale: en-US\nPublisher: SDP's contributors\nPackageName: sdp\nPackageUrl: https://" + repository +
			"\nLicense: MIT OR Apache-2.0\nShortDescription: The compiler of SDP, a schema language with a binary format\n"},
	} {
		text := fmt.Sprintf("PackageIdentifier: %s\nPackageVersion: %s\n%sManifestType: %s\nManifestVersion: %s\n", wingetName, r.version, file.text, file.kind, wingetSchema)
		if err := os.WriteFile(r.file(wingetName+file.ending+".yaml"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// address is where a file of a published release is.
func (r *release) address(name string) string {
	return fmt.Sprintf("https://%s/releases/download/v%s/%s", repository, r.version, name)
}

// sumsByName are the digests of the files of the release that are there.
func (r *release) sumsByName() (map[string]string, error) {
	all, err := r.digests()
	sums := map[string]string{}
	for _, one := range all {
		sums[one.name] = one.sum
	}
	return sums, err
}
