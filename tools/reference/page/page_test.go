package page_test

import (
	"testing"

	"github.com/serial-data-protocol/sdp/tools/reference/page"
)

func TestPartIsReplacedAlone(t *testing.T) {
	const whole = "# A\n\n## b\n\nold\n\n### b c\n\n## d\n\nlast\n"
	for heading, want := range map[string]string{
		"## b\n": "# A\n\n## b\n\nnew\n\n## d\n\nlast\n",
		"## d\n": "# A\n\n## b\n\nold\n\n### b c\n\n## d\n\nnew\n",
	} {
		got, err := page.Replace(whole, heading, heading+"\nnew\n")
		if err != nil || got != want {
			t.Errorf("%q becomes %q, %v", heading, got, err)
		}
	}
	if _, err := page.Replace(whole, "## e\n", "## e\n"); err == nil {
		t.Error("a part without a heading is taken")
	}
}
