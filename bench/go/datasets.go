package bench

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// Dataset is one set of data with every codec that is compared on it.
type Dataset struct {
	Name     string
	Subjects []Subject
}

// Datasets lists all of them; dir is the folder of the data files.
func Datasets(dir string) []Dataset {
	return []Dataset{
		{"lv2-62", registries(dir, "../../examples/registry/lv2-62.json")},
		{"lv2-483", registries(dir, "lv2-483.json.gz")},
		{"mixed", subjects(from[dataset.Session](dir, "mixed.json"), protobufMixed, sdpMixed, flatbuffersMixed, bencMixed)},
		{"arrays", subjects(from[dataset.Frame](dir, "arrays.json"), protobufArrays, sdpArrays, flatbuffersArrays, bencArrays)},
		{"absent", subjects(from[dataset.Speaker](dir, "absent.json"), protobufAbsent, sdpAbsent, flatbuffersAbsent, bencAbsent)},
	}
}

func registries(dir, file string) []Subject {
	return subjects(from[dataset.Registry](dir, file), protobufPlugins, sdpPlugins, flatbuffersPlugins, bencPlugins)
}

// from is the loader of one data file.
func from[T any](dir, file string) func() (*T, error) {
	return func() (*T, error) { return dataset.Load[T](dir, file) }
}

// subjects are all codecs of a data set. A nil codec is not built in.
func subjects[T any, P model[T]](load func() (*T, error), protobuf func(func() (*T, error)) []Subject,
	single ...func(func() (*T, error)) Subject) []Subject {
	all := append(protobuf(load), jsonCodec[T, P](load))
	for _, codec := range single {
		if subject := codec(load); subject != nil {
			all = append(all, subject)
		}
	}
	return all
}

// Find returns one codec of one data set.
func Find(dir, name, codec string) (Subject, error) {
	for _, d := range Datasets(dir) {
		for _, s := range d.Subjects {
			if d.Name == name && s.Codec() == codec {
				return s, nil
			}
		}
	}
	return nil, fmt.Errorf("there is no codec %s on data %s", codec, name)
}
