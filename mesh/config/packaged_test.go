package config_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/serial-data-protocol/sdp/mesh/config"
)

// The file that is packaged is one, with and without what it leaves to be chosen.
func TestThePackagedFileIsRead(t *testing.T) {
	text, err := os.ReadFile("../packaging/node.toml")
	if err != nil {
		t.Fatal(err)
	}
	chosen := regexp.MustCompile(`(?m)^# ([a-z]+ = )`).ReplaceAll(text, []byte("$1"))
	for _, one := range [][]byte{text, chosen} {
		file := t.TempDir() + "/node.toml"
		if err := os.WriteFile(file, one, 0o600); err != nil {
			t.Fatal(err)
		}
		c := config.Default()
		if err := c.Read(file); err != nil {
			t.Fatal(err)
		}
		if config.HasPipes {
			c.Relay = ""
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestAKeyThatIsUnknownIsRefused(t *testing.T) {
	file := t.TempDir() + "/node.toml"
	if err := os.WriteFile(file, []byte("name = \"a\"\nsokcet = \"/x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Default().Read(file); err == nil {
		t.Error("it is read")
	}
}
