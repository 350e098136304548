package mxp

import "testing"

func TestTypesThatAreReachedAreSortedAndStandOnce(t *testing.T) {
	services := NewServices()
	services.Service("a").Reaches(Type{Name: "c"}, Type{Name: "a"})
	services.Service("b").Reaches(Type{Name: "a"}, Type{Name: "b"})
	given := []Type{{Name: "b", Layout: "first"}, {Name: "B"}}
	names := ""
	for _, one := range reached(services, given) {
		names += one.Name + one.Layout + " "
	}
	if names != "B a bfirst c " {
		t.Errorf("got %s", names)
	}
	if given[0].Name != "b" {
		t.Error("what was given has changed")
	}
}
