package diag

import "strings"

// nearestBytesMax keeps a hostile name of a megabyte from costing its square.
const nearestBytesMax = 64

// Nearest returns the candidate that a misspelt name most likely meant, or ""
// if none is near enough: at most one edit in three letters, where swapping
// two neighbours is one edit and a difference in case alone none. Of equally
// near candidates the first wins.
func Nearest(name string, candidates []string) string {
	if len(name) > nearestBytesMax {
		return ""
	}
	best, bestDistance := "", len(name)/3+1
	for _, candidate := range candidates {
		if abs(len(candidate)-len(name)) >= bestDistance {
			continue
		}
		if d := distance(name, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of two ASCII names.
func distance(a, b string) int {
	if strings.EqualFold(a, b) {
		return 0
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+unequal(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func unequal[T comparable](a, b T) int {
	if a == b {
		return 0
	}
	return 1
}

func abs(n int) int { return max(n, -n) }
