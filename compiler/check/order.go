package check

// inOrder sorts nodes so that each stands behind the nodes that it uses, and finds the cycles that
// make this impossible. It needs no recursion, because a hostile file can chain millions of
// declarations.
func inOrder[T comparable](nodes []T, uses func(T) []T) (sorted []T, cycles [][]T) {
	type visit struct {
		node T
		uses []T
	}
	const (
		open = iota + 1
		done
	)
	state := map[T]int{}
	for _, root := range nodes {
		if state[root] != 0 {
			continue
		}
		state[root] = open
		trail := []visit{{root, uses(root)}}
		for len(trail) > 0 {
			top := &trail[len(trail)-1]
			if len(top.uses) == 0 {
				state[top.node] = done
				sorted = append(sorted, top.node)
				trail = trail[:len(trail)-1]
				continue
			}
			next := top.uses[0]
			top.uses = top.uses[1:]
			switch state[next] {
			case 0:
				state[next] = open
				trail = append(trail, visit{next, uses(next)})
			case open:
				var cycle []T
				for i := len(trail) - 1; len(cycle) == 0 || cycle[len(cycle)-1] != next; i-- {
					cycle = append(cycle, trail[i].node)
				}
				cycles = append(cycles, cycle)
			}
		}
	}
	return sorted, cycles
}
