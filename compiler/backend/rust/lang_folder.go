package rust

// most spells a bound of @max.
func most(bound *uint64) string {
	if bound == nil {
		return "wire::ANY"
	}
	return integer(*bound)
}

// bound spells a bound of @max as an Option.
func bound(max *uint64) string {
	if max == nil {
		return "None"
	}
	return "Some(" + integer(*max) + ")"
}
