package golang_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
)

// logged is a handler's text about a value.
func logged(value any, handler func(*strings.Builder, *slog.HandlerOptions) slog.Handler) string {
	var out strings.Builder
	plain := &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(handler(&out, plain)).Info("", "v", value)
	return strings.TrimSpace(out.String())
}

func TestValuesPrintAsTheirJSON(t *testing.T) {
	changed := shapes.Event{Value: &shapes.EventChanged{ID: 9, Value: -0.5}}
	stopped := shapes.Event{Value: &shapes.EventStopped{}}
	settings := shapes.NewSettings()
	log := shapes.Log{Events: []shapes.Event{changed, stopped}}
	node := shapes.Node{Value: 1, Left: &shapes.Node{Value: 2}}
	const changedText = `{"Changed":{"id":9,"value":-0.5}}`
	const settingsText = `{"rate":0,"title":"untitled","limit":7,"mode":"On","origin":{"x":0,"y":0}}`
	for _, c := range []struct {
		value any
		want  string
	}{
		{changed, changedText},
		{&changed, changedText},
		{[]shapes.Event{changed, stopped}, `[` + changedText + ` {"Stopped":null}]`},
		{log, `{"events":[` + changedText + `,{"Stopped":null}]}`},
		{&log, `{"events":[` + changedText + `,{"Stopped":null}]}`},
		{node, `{"value":1,"left":{"value":2,"left":null,"right":null},"right":null}`},
		{settings, settingsText},
		{*settings, settingsText},
		{struct{ Held *shapes.Settings }{settings}, `{` + settingsText + `}`},
		{shapes.Event{}, `(sdp: value_invalid)`},
		{(*shapes.Settings)(nil), `<nil>`},
	} {
		if got := fmt.Sprintf("%v", c.value); got != c.want {
			t.Errorf("%T prints as %s, want %s", c.value, got, c.want)
		}
	}
	text := func(out *strings.Builder, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(out, o) }
	json := func(out *strings.Builder, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(out, o) }
	for _, v := range []any{log, &log} {
		want := `{"events":[` + changedText + `,{"Stopped":null}]}`
		if got := logged(v, text); got != fmt.Sprintf("v=%q", want) {
			t.Errorf("%T is logged as %s", v, got)
		}
		if got := logged(v, json); got != `{"v":`+want+`}` {
			t.Errorf("%T is logged as %s", v, got)
		}
	}
}
