package driver

import (
	"os"
	"strings"
	"testing"
)

func TestVersionIsThatOfTheProject(t *testing.T) {
	text, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(text)); Version != want {
		t.Errorf("Version is %s and the file VERSION says %s: make them equal", Version, want)
	}
}
