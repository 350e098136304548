package report

import (
	"fmt"
	"slices"
)

// Interval is the median of some samples between two of them, which have the true median between them with a
// probability of 95 % or more. Fewer than six have no such two: then these are the least and the greatest.
type Interval struct {
	Median, Low, High float64
	// Samples are as many as there were if they were too few, else 0.
	Samples int
}

// IntervalOf is the interval of samples that are independent of each other, with any distribution: a sample is as
// likely above the true median as below it, so that how many of n are below is binomial with p = 1/2. H. A. David and
// H. N. Nagaraja, Order Statistics, 3rd edition (2003), 7.1: distribution-free confidence intervals for quantiles.
func IntervalOf(samples []float64) Interval {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	rank := rankOf(n)
	if rank == 0 {
		return Interval{quantile(sorted, 0.5), sorted[0], sorted[n-1], n}
	}
	return Interval{Median: quantile(sorted, 0.5), Low: sorted[rank-1], High: sorted[n-rank]}
}

// rankOf is the greatest rank, from 1, such that at most rank-1 of n samples are below the median with a probability
// of 2.5 % or less; 0 if there is none.
func rankOf(n int) int {
	probability, sum := 1.0, 0.0
	for range n {
		probability /= 2
	}
	for rank := 0; ; rank++ {
		sum += probability
		if sum > 0.025 {
			return rank
		}
		probability *= float64(n-rank) / float64(rank+1)
	}
}

// ratio says how many times longer slow took than fast, in the rounds in which both were sampled one after the other,
// so that what disturbed a round disturbed both.
func ratio(slow, fast *Record) Interval {
	n := min(len(slow.Nanoseconds.Samples), len(fast.Nanoseconds.Samples))
	ratios := make([]float64, n)
	for i := range n {
		ratios[i] = slow.Nanoseconds.Samples[i] / fast.Nanoseconds.Samples[i]
	}
	return IntervalOf(ratios)
}

// Times is a ratio as a table has it.
func (i Interval) Times() string {
	return fmt.Sprintf("%.2f × ", i.Median) + i.between("%.2f")
}

// percent is how much more than once a ratio is.
func (i Interval) percent() string {
	of := func(v float64) float64 { return 100 * (v - 1) }
	i.Low, i.High = of(i.Low), of(i.High)
	return fmt.Sprintf("%+.1f %% ", of(i.Median)) + i.between("%+.1f")
}

func (i Interval) between(format string) string {
	if i.Samples == 1 {
		return "(once)"
	}
	text := fmt.Sprintf(format+" to "+format, i.Low, i.High)
	if i.Samples > 0 {
		text += fmt.Sprintf(" in %d rounds", i.Samples)
	}
	return "(" + text + ")"
}
