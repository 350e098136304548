package rust

import "testing"

func TestModulesAreNamedAsFilesCanBe(t *testing.T) {
	for name, want := range map[string]string{
		"plugins":           "plugins",
		"audio.host":        "audio_host",
		"audio.PluginHost":  "audio_plugin_host",
		"lv2":               "lv2",
		"type":              "type_",
		"mod":               "mod_",
		"gen":               "gen_",
		"lib":               "lib_",
		"main":              "main_",
		"my.lib":            "my_lib",
		"Self":              "self_",
		"_3d":               "_3d",
		"__":                "package",
		"trailing_":         "trailing",
		"a__b":              "a_b",
		"MXP.HTTPTransport": "mxp_http_transport",
	} {
		if got := ModuleName(name); got != want {
			t.Errorf("package %s is the module %s, want %s", name, got, want)
		}
	}
}
