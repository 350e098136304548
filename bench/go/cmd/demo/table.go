package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

const (
	// rounds is how many samples a time is the median of. The contestants take
	// turns, so that what else the machine does meets all.
	rounds = 9
	// sampleTimeMin is long enough for the clock and for some collections.
	sampleTimeMin = 20 * time.Millisecond
)

// writeTable measures and prints the contestants.
func writeTable(out io.Writer, table []contestant) error {
	encodings := make([][]float64, len(table))
	decodings := make([][]float64, len(table))
	for range rounds {
		for i, c := range table {
			if c.refusal != nil {
				continue
			}
			data, err := c.encode()
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if err := sample(&encodings[i], func() error { _, err := c.encode(); return err }); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if err := sample(&decodings[i], func() error { return c.decode(data) }); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	fmt.Fprintf(out, "  %-20s %10s %12s %12s\n", "", "bytes", "encode µs", "decode µs")
	for i, c := range table {
		if c.refusal != nil {
			fmt.Fprintf(out, "  %-20s %v\n", c.name, c.refusal)
			continue
		}
		fmt.Fprintf(out, "  %-20s %10s %12.1f %12.1f\n", c.name, grouped(c.bytes), median(encodings[i]), median(decodings[i]))
	}
	fmt.Fprintln(out)
	return nil
}

// sample appends how many microseconds one call takes, from as many calls as
// fill the sample time.
func sample(samples *[]float64, call func() error) error {
	calls := 0
	start := time.Now()
	for ; time.Since(start) < sampleTimeMin; calls++ {
		if err := call(); err != nil {
			return err
		}
	}
	*samples = append(*samples, float64(time.Since(start).Nanoseconds())/1000/float64(calls))
	return nil
}

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

// grouped writes 119150 as 119,150.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
