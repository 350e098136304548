package engine

// Standing is how a connection stands for a request.
type Standing uint8

// How a connection stands: it takes the request, or does only where too few others do, or not at all.
const (
	Absent Standing = iota
	LeftOut
	Ready
)

// chosenFew is of how many connections two are chosen without memory of their own.
const chosenFew = 16

// Choose draws two of n connections that take a request, of which it goes to the less busy
// [MXP-14.9]; connections that are left out count where they are more than half [MXP-14.10]. A
// connection that does not exist is -1.
func Choose(n int, standing func(i int) Standing, draw Draw) (a, b int) {
	if n > 1 { // mostly the first two can be taken that are drawn out of all
		if a, b = draw.two(n); standing(a) == Ready && standing(b) == Ready {
			return a, b
		}
	}
	var some, more [chosenFew]int
	all, ready := some[:0], more[:0]
	for i := range n {
		switch standing(i) {
		case Ready:
			ready = append(ready, i)
			all = append(all, i)
		case LeftOut:
			all = append(all, i)
		}
	}
	if 2*len(ready) >= len(all) {
		all = ready
	}
	switch len(all) {
	case 0:
		return -1, -1
	case 1:
		return all[0], -1
	}
	a, b = draw.two(len(all))
	return all[a], all[b]
}
