package report

import (
	"fmt"
	"strings"
)

// missesMarkdown is a table of all targets of codecs that are missed, and how many they are.
func missesMarkdown(dir string) (string, error) {
	inGo, err := Read(dir)
	if err != nil {
		return "", err
	}
	rust, err := ReadRust(dir)
	if err != nil {
		return "", err
	}
	cpp, err := ReadCPP(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| codecs | target | measured |\n|---|---|---|\n")
	var counts []string
	for i, outcomes := range [][]Outcome{Judge(inGo), JudgeRust(rust), JudgeCPP(cpp)} {
		counts = append(counts, writeMisses(&b, chartLanguages[i], outcomes))
	}
	fmt.Fprintf(&b, "\n%s, where each data set and each allocator counts.\n", strings.Join(counts, ", "))
	return b.String(), nil
}

// writeMisses writes a row for each target that a language misses, and counts them.
func writeMisses(b *strings.Builder, language string, outcomes []Outcome) string {
	missed, judged := 0, 0
	cells := map[string][]string{}
	var order []string
	for _, o := range outcomes {
		if o.Told || o.Measured == "" {
			continue
		}
		judged++
		if o.Pass {
			continue
		}
		missed++
		row := fmt.Sprintf("| %s: %s | %s |", language, o.Title, o.Target)
		if cells[row] == nil {
			order = append(order, row)
		}
		cells[row] = append(cells[row], o.short(language))
	}
	for _, row := range order {
		fmt.Fprintf(b, "%s %s |\n", row, strings.Join(cells[row], ", "))
	}
	return fmt.Sprintf("%s misses %d of %d", language, missed, judged)
}

// short is the measured value, without its interval, behind the data set or the allocator if a language has
// several.
func (o *Outcome) short(language string) string {
	measured, _, _ := strings.Cut(o.Measured, " (")
	switch language {
	case chartLanguages[0]:
		return o.Dataset + " " + measured
	case chartLanguages[1]:
		_, allocator, _ := strings.Cut(o.Dataset, ", ")
		return allocator + " " + measured
	}
	return measured
}
