package bench

import (
	"testing"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// spoiltCodec is a codec of the smallest data set.
type spoiltCodec = codec[dataset.Speaker, *dataset.Speaker, dataset.Speaker]

func TestEveryCaseOfEveryCodecGivesTheData(t *testing.T) {
	for _, d := range Datasets("../data") {
		for _, s := range d.Subjects {
			t.Run(d.Name+"/"+s.Codec(), func(t *testing.T) {
				_, size, err := s.Open(s.Cases())
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d bytes, cases %v", size, s.Cases())
			})
		}
	}
}

// TestVerificationSeesALostField gives the verifier codecs that are wrong in one way each.
func TestVerificationSeesALostField(t *testing.T) {
	right := func() *spoiltCodec {
		load := func() (*dataset.Speaker, error) {
			return &dataset.Speaker{Position: &dataset.Position{X: 1, Y: 2, Z: 3}}, nil
		}
		return bencAbsent(load).(*spoiltCodec)
	}
	loses := func(s *dataset.Speaker) *dataset.Speaker {
		return &dataset.Speaker{Position: &dataset.Position{X: s.Position.X, Y: s.Position.Y}}
	}
	for name, spoil := range map[string]func(c *spoiltCodec){
		"encoder": func(c *spoiltCodec) { c.native = loses },
		"decoder": func(c *spoiltCodec) {
			c.loops[DecodeFresh] = func(_ *dataset.Speaker, data []byte) Loop {
				return decodeLoop(func() (*dataset.Speaker, error) { return c.decode(data) }, loses)
			}
		},
		"reader": func(c *spoiltCodec) {
			c.loops[Read] = func(*dataset.Speaker, []byte) Loop {
				return readLoop(func() (uint64, error) { return 1, nil })
			}
		},
		"timed encoder": func(c *spoiltCodec) {
			c.loops[EncodeFresh] = func(v *dataset.Speaker, _ []byte) Loop {
				return encodeLoop(func() ([]byte, error) { return c.encode(loses(v)) })
			}
		},
	} {
		c := right()
		if _, _, err := c.Open(c.Cases()); err != nil {
			t.Fatalf("before it is spoilt: %v", err)
		}
		spoil(c)
		if _, _, err := c.Open(c.Cases()); err == nil {
			t.Errorf("a %s that loses a field went unnoticed", name)
		}
	}
}
