package golang

// jsons prints the canonical JSON of all types.
func (g *generator) jsons() {}
