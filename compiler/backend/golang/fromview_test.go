package golang_test

import (
	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// everythingOf reads all that a view shows. A view doesn't show kept tails.
func everythingOf(w shapes.EverythingView) *shapes.Everything {
	v := &shapes.Everything{
		Scalars: scalarsOf(w.Scalars()), Short: w.Short(), Bounded: w.Bounded(), Data: w.Data(),
		Settings: settingsOf(w.Settings()), Kept: shapes.Kept{A: w.Kept().A(), B: w.Kept().B()},
		Event: eventOf(w.Event()), Wide: new([300]uint32),
		Err: w.Err(), Len: w.Len(), R: w.R(), Equal_: w.Equal_(), String_: w.String_(), Type: w.Type(), B: w.B(), EncodedSize_: w.EncodedSize_(),
	}
	listsOf(w, v)
	arraysOf(w, v)
	optionalsOf(w, v)
	mapsOf(w, v)
	if n, ok := w.Choice().Number(); ok {
		v.Choice.Value = &shapes.ChoiceNumber{Value: n}
	}
	if s, ok := w.Choice().Text(); ok {
		v.Choice.Value = &shapes.ChoiceText{Value: s}
	}
	if w.Choice().Nothing() {
		v.Choice.Value = &shapes.ChoiceNothing{}
	}
	return v
}

func scalarsOf(w shapes.ScalarsView) shapes.Scalars {
	return shapes.Scalars{
		B: w.B(), U8: w.U8(), U16: w.U16(), U32: w.U32(), U64: w.U64(), I8: w.I8(), I16: w.I16(), I32: w.I32(), I64: w.I64(),
		F32: w.F32(), F64: w.F64(), At: w.At(), Took: w.Took(), ID: w.ID(), Kind: w.Kind(), Mode: w.Mode(), Gain: w.Gain(),
	}
}

func pointOf(w shapes.PointView) shapes.Point { return shapes.Point{X: w.X(), Y: w.Y()} }

func listsOf(w shapes.EverythingView, v *shapes.Everything) {
	for s := range w.Names() {
		v.Names = append(v.Names, s)
	}
	for p := range w.Points() {
		v.Points = append(v.Points, pointOf(p))
	}
	for row := range w.Grid() {
		var cells []float32
		for x := range row.All() {
			cells = append(cells, x)
		}
		v.Grid = append(v.Grid, cells[:row.Len():row.Len()])
	}
	for x := range w.Flags() {
		v.Flags = append(v.Flags, x)
	}
	for x := range w.Modes() {
		v.Modes = append(v.Modes, x)
	}
	for x := range w.History() {
		v.History = append(v.History, settingsOf(x))
	}
	for x := range w.Events() {
		v.Events = append(v.Events, eventOf(x))
	}
	for x := range w.Maybes() {
		v.Maybes = append(v.Maybes, x)
	}
}

func arraysOf(w shapes.EverythingView, v *shapes.Everything) {
	i := 0
	for p := range w.Corner() {
		v.Corner[i] = pointOf(p)
		i++
	}
	i = 0
	for x := range w.Channels() {
		v.Channels[i] = x
		i++
	}
	i = 0
	for x := range w.Wide() {
		v.Wide[i] = x
		i++
	}
	i = 0
	for x := range w.Texts() {
		v.Texts[i] = x
		i++
	}
}

func optionalsOf(w shapes.EverythingView, v *shapes.Everything) {
	v.Maybe.Value, v.Maybe.Present = w.Maybe()
	if p, ok := w.MaybePoint(); ok {
		v.MaybePoint = sdp.Some(pointOf(p))
	}
	if l, ok := w.MaybeLarge(); ok {
		v.MaybeLarge = &shapes.Large{Name: l.Name()}
		i := 0
		for x := range l.A() {
			v.MaybeLarge.A[i] = x
			i++
		}
	}
	if l, ok := w.MaybeList(); ok {
		v.MaybeList.Present = true
		for x := range l.All() {
			v.MaybeList.Value = append(v.MaybeList.Value, x)
		}
	}
	if n, ok := w.Tree(); ok {
		v.Tree = nodeOf(n)
	}
	if e, ok := w.MaybeEvent(); ok {
		v.MaybeEvent = sdp.Some(eventOf(e))
	}
}

func nodeOf(w shapes.NodeView) *shapes.Node {
	v := &shapes.Node{Value: w.Value()}
	if n, ok := w.Left(); ok {
		v.Left = nodeOf(n)
	}
	if n, ok := w.Right(); ok {
		v.Right = nodeOf(n)
	}
	return v
}

func mapsOf(w shapes.EverythingView, v *shapes.Everything) {
	v.ByName, v.ByNumber = map[string]shapes.Point{}, map[int16]string{}
	v.ByKind, v.ByFlag = map[shapes.Kind][]byte{}, map[bool]uint8{}
	for k, x := range w.ByName() {
		v.ByName[k] = pointOf(x)
	}
	for k, x := range w.ByNumber() {
		v.ByNumber[k] = x
	}
	for k, x := range w.ByKind() {
		v.ByKind[k] = x
	}
	for k, x := range w.ByFlag() {
		v.ByFlag[k] = x
	}
}

func settingsOf(w shapes.SettingsView) shapes.Settings {
	v := shapes.Settings{Rate: w.Rate(), Title: w.Title(), Mode: w.Mode(), Origin: pointOf(w.Origin())}
	v.Limit.Value, v.Limit.Present = w.Limit()
	return v
}

func eventOf(w shapes.EventView) (v shapes.Event) {
	known := 0
	if p, ok := w.Loaded(); ok {
		v.Value = &shapes.EventLoaded{Value: pluginOf(p)}
		known++
	}
	if c, ok := w.Changed(); ok {
		v.Value = &shapes.EventChanged{ID: c.ID(), Value: c.Value()}
		known++
	}
	if w.Stopped() {
		v.Value = &shapes.EventStopped{}
		known++
	}
	if s, ok := w.Renamed(); ok {
		v.Value = &shapes.EventRenamed{Value: s}
		known++
	}
	if s, ok := w.Applied(); ok {
		v.Value = &shapes.EventApplied{Value: settingsOf(s)}
		known++
	}
	if known == 0 {
		v.Value = &shapes.EventUnknown{Number: w.Tag(), Payload: w.Payload()}
	}
	return v
}

func pluginOf(w plugins.PluginView) plugins.Plugin {
	v := plugins.Plugin{Name: w.Name(), Manufacturer: w.Manufacturer(), URI: w.URI(), Class: w.Class()}
	for p := range w.Parameters() {
		v.Parameters = append(v.Parameters, plugins.Parameter{
			Address: p.Address(), DisplayName: p.DisplayName(), Identifier: p.Identifier(), Unit: p.Unit(),
			MinValue: p.MinValue(), MaxValue: p.MaxValue(), DefaultValue: p.DefaultValue(), CurrentValue: p.CurrentValue(),
			RawFlags: p.RawFlags(), IsWritable: p.IsWritable(), CanRamp: p.CanRamp(),
		})
	}
	return v
}
