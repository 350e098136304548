package bench

// encodeLoop runs one encoding, given as a closure: the call through it costs about a nanosecond, the same
// for every codec. Where a nanosecond counts, a codec writes its loop out.
func encodeLoop(encode func() ([]byte, error)) Loop {
	var last []byte
	return Loop{
		Run: func(n int) error {
			var b []byte
			for range n {
				var err error
				if b, err = encode(); err != nil {
					return err
				}
			}
			last = b
			return nil
		},
		Result: func() (any, error) { return last, nil },
	}
}

// decodeLoop runs one decoding; plain turns what it gave into the data set's own value.
func decodeLoop[T, V any](decode func() (*V, error), plain func(*V) *T) Loop {
	var last *V
	return Loop{
		Run: func(n int) error {
			last = nil // or it would be alive while others are decoded
			var v *V
			for range n {
				var err error
				if v, err = decode(); err != nil {
					return err
				}
			}
			last = v
			return nil
		},
		Result: func() (any, error) { return plain(last), nil },
	}
}

// readLoop runs one reading of every field.
func readLoop(read func() (uint64, error)) Loop {
	var last uint64
	return Loop{
		Run: func(n int) error {
			var sum uint64
			for range n {
				var err error
				if sum, err = read(); err != nil {
					return err
				}
			}
			last = sum
			return nil
		},
		Result: func() (any, error) { return last, nil },
	}
}
