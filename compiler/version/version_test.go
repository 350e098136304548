package version

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
	if want := strings.TrimSpace(string(text)); Project != want {
		t.Errorf("Project is %s and the file VERSION says %s: make them equal", Project, want)
	}
}
