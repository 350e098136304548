package house_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const cppHeaders = "mxp/cpp/include/"

var (
	cppInclude = regexp.MustCompile(`(?m)^#include "([^"]+)"`)
	cppText    = regexp.MustCompile(`//[^\n]*|(?m:^#include "[^"]+")|"(\\.|[^"\\\n])*"`)
	// cppOwn is the equipment of a driver: a clock, locks, threads, draws, sockets, files, the system, and
	// functions that take memory.
	cppOwn = regexp.MustCompile(`(?m)^#include <(asio|thread|mutex|shared_mutex|condition_variable|atomic|future|random|fstream|iostream|functional|sys/|.*\.h>).*|\b(\w*clock::now|asio|std::function|random_device)\b`)
)

// The engine of MXP in C++ has no clock, sockets, threads, locks and random numbers of its own: a driver gives it what it needs.
func TestCppsEngineNeedsNoDriver(t *testing.T) {
	engine, texts := 0, cppTexts(t)
	includes := includesOf(texts)
	for name, text := range texts {
		if !strings.HasPrefix(name, "mxp/engine/") {
			continue
		}
		engine++
		if found := cppOwn.FindString(cppText.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s has %s, which is a driver's", name, found)
		}
		for _, other := range includes[name] {
			if strings.HasPrefix(other, "mxp/net") {
				t.Errorf("%s includes %s, which is above it", name, other)
			}
		}
	}
	if engine < 15 {
		t.Fatalf("only %d files of the engine were found, so that the test looks in the wrong place", engine)
	}
}

// The files for the system include no transport: transports are made of them.
func TestCppsSystemNeedsNoTransport(t *testing.T) {
	system, texts := 0, cppTexts(t)
	for name, others := range includesOf(texts) {
		if !strings.HasPrefix(name, "mxp/net/system/") {
			continue
		}
		system++
		for _, other := range others {
			if strings.HasPrefix(other, "mxp/net/transport") {
				t.Errorf("%s includes %s, which is above it", name, other)
			}
		}
	}
	if system < 15 {
		t.Fatalf("only %d files of the system were found, so that the test looks in the wrong place", system)
	}
}

func TestHeadersOfCppIncludeEachOtherOneWay(t *testing.T) {
	for _, circle := range circles(includesOf(cppTexts(t))) {
		t.Errorf("headers of %s form a circle of includes: %s", cppHeaders, strings.Join(circle, ", "))
	}
}

func TestCirclesOfHeadersAndDriversAreFound(t *testing.T) {
	texts := map[string]string{
		"mxp/a.hpp":        "#include <vector>\n#include \"engine/b.hpp\"\n#include \"sdp/span.hpp\"\n",
		"mxp/engine/b.hpp": "// #include \"../a.hpp\"\n#include \"c.hpp\"\n",
		"mxp/engine/c.hpp": "#include \"mxp/engine/d.hpp\"\n",
		"mxp/engine/d.hpp": "#include \"../a.hpp\"\n",
		"mxp/e.hpp":        "#include \"a.hpp\"\n",
	}
	found := circles(includesOf(texts))
	if len(found) != 1 || !slices.Equal(found[0], []string{"mxp/a.hpp", "mxp/engine/b.hpp", "mxp/engine/c.hpp", "mxp/engine/d.hpp"}) {
		t.Errorf("circles %q", found)
	}
	for text, is := range map[string]bool{
		"const auto now = clock::now();":                    true,
		"std::chrono::steady_clock::now()":                  true,
		"#include <mutex>":                                  true,
		"#include <sys/uio.h>":                              true,
		"#include <unistd.h>":                               true,
		"#include <asio/post.hpp>":                          true,
		"std::function<void()> then;":                       true,
		"// it has no std::function, and no clock::now()":   false,
		"using time_point = steady_clock::time_point; now;": false,
		"#include <chrono>\n#include \"../frame.hpp\"":      false,
	} {
		if cppOwn.MatchString(cppText.ReplaceAllString(text, "")) != is {
			t.Errorf("%q is a driver's: %v", text, !is)
		}
	}
}

// cppTexts are the headers of MXP in C++, by their paths from where they are included.
func cppTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range files(t) {
		if inside, found := strings.CutPrefix(name, cppHeaders); found && path.Ext(name) == ".hpp" {
			texts[inside] = string(read(t, name))
		}
	}
	if len(texts) < 100 {
		t.Fatalf("only %d headers were found in %s, so that the test looks in the wrong place", len(texts), cppHeaders)
	}
	return texts
}

// includesOf says for each header which others it includes, as it finds them: beside itself, or from the root.
func includesOf(texts map[string]string) map[string][]string {
	includes := map[string][]string{}
	for file, text := range texts {
		includes[file] = nil
		for _, include := range cppInclude.FindAllStringSubmatch(text, -1) {
			for _, other := range []string{path.Join(path.Dir(file), include[1]), include[1]} {
				if _, found := texts[other]; found {
					includes[file] = append(includes[file], other)
					break
				}
			}
		}
	}
	return includes
}
