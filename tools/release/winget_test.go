package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The formula and winget's files name the archives, with their digests.
func TestManagersInstallTheArchives(t *testing.T) {
	r := &release{folder: t.TempDir(), version: "1.2.3"}
	for _, on := range targets {
		write(t, r.file(r.archive(sdp, on)), on.String())
	}
	if err := r.formula(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.winget(t.Context()); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range []string{"sdp.rb", wingetName + ".yaml", wingetName + ".installer.yaml", wingetName + ".locale.en-US.yaml"} {
		text, err := os.ReadFile(r.file(name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
		if about := "PackageIdentifier: " + wingetName + "\nPackageVersion: 1.2.3\n"; name != "sdp.rb" && !strings.HasPrefix(texts[name], about) {
			t.Errorf("%s begins otherwise:\n%s", name, text)
		}
	}
	for _, on := range targets {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(on.String())))
		file, want := "sdp.rb", `      url "https://`+repository+`/releases/download/v1.2.3/`+r.archive(sdp, on)+"\"\n      sha256 \""+sum+"\"\n"
		if on.os == "windows" {
			file, want = wingetName+".installer.yaml", "  - Architecture: "+map[string]string{"amd64": "x64", "arm64": "arm64"}[on.arch]+
				"\n    InstallerUrl: https://"+repository+"/releases/download/v1.2.3/"+r.archive(sdp, on)+"\n    InstallerSha256: "+strings.ToUpper(sum)+
				"\n    NestedInstallerFiles:\n      - RelativeFilePath: "+strings.TrimSuffix(r.archive(sdp, on), ".zip")+"\\sdp.exe\n"
		}
		if !strings.Contains(texts[file], want) {
			t.Errorf("%s lacks\n%s\nit has\n%s", file, want, texts[file])
		}
	}
}
