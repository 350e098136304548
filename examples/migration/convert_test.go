package main

import (
	"errors"
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/convert"
)

// refused holds an error against the reason and the path that it has to have.
func refused(t *testing.T, err, reason error, path string) {
	t.Helper()
	var fault *convert.Error
	if !errors.As(err, &fault) || !errors.Is(err, reason) || fault.Path != path {
		t.Errorf("%v, and not %v at %q", err, reason, path)
	}
}

func TestTimesHaveTheirRanges(t *testing.T) {
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64, -1_000_000_001, 999_999_999} {
		at := time.Unix(0, n).UTC()
		m, err := convert.TimeToProto(at)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := convert.TimeFromProto(m); err != nil || back.UnixNano() != n {
			t.Errorf("%d ns come back as %v, %v", n, back, err)
		}
		if back, err := convert.DurationFromProto(durationpb.New(time.Duration(n))); err != nil || int64(back) != n {
			t.Errorf("%d ns come back as %v, %v", n, back, err)
		}
	}
	const most, rest = math.MaxInt64 / 1_000_000_000, int32(math.MaxInt64 % 1_000_000_000)
	for _, m := range []*timestamppb.Timestamp{{Seconds: most, Nanos: rest + 1}, {Seconds: most + 1}, {Seconds: -most - 2}, {Nanos: -1}, {Nanos: 1_000_000_000}, {Seconds: math.MinInt64}} {
		_, err := convert.TimeFromProto(m)
		refused(t, err, convert.ErrTimeRange, "")
	}
	for _, m := range []*durationpb.Duration{{Seconds: most, Nanos: rest + 1}, {Seconds: 1, Nanos: -1}, {Seconds: -1, Nanos: 1}, {Nanos: -1_000_000_000}, {Seconds: -most - 1}} {
		_, err := convert.DurationFromProto(m)
		refused(t, err, convert.ErrTimeRange, "")
	}
	_, err := convert.TimeToProto(time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC))
	refused(t, err, convert.ErrTimeRange, "")
}

func TestTextsAreUTF8AndPathsLeadToThem(t *testing.T) {
	if text, err := convert.TextOf([]byte("ü")); text != "ü" || err != nil {
		t.Error(text, err)
	}
	_, err := convert.List([]string{"a", "\xff"}, convert.Text)
	refused(t, convert.At("outer", convert.At("names", err)), convert.ErrNotUTF8, "outer.names[1]")
	_, err = convert.Map(map[string][]byte{"k": {0xff}}, convert.Same, convert.TextOf)
	refused(t, convert.At("texts", err), convert.ErrNotUTF8, `texts["k"]`)
	_, err = convert.Map(map[string]int32{"\xff": 1}, convert.Text, convert.Same)
	refused(t, convert.At("numbers", err), convert.ErrNotUTF8, `numbers["\xff"]`)
	refused(t, convert.At("id", convert.ErrMissing), convert.ErrMissing, "id")
}
