package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// leaves are what stands where something else may: the ends of every scalar and what lies
// one beyond them, spellings that are not the canonical ones, and other types.
var leaves = strings.Fields(`
null true false {} [] [0] [null] {"a":1} "" "a" "true" "false" "null"
0 1 -1 -0 -0.0 1.0 1.5 1e2 1E+2 1e-7 0.1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536
2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296 9007199254740991 9007199254740993
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 -9223372036854776833
18446744073709551615 18446744073709551616 18446744073709553665 36893488147419103232
3.4028234663852886e38 3.4028235677973366e38 3.4028235677973365e38 3.4028235677973364e38 -3.4028235677973366e38 3.5e38 -3.5e38
340282356779733661637539395458142568447 340282356779733661637539395458142568448
1.7976931348623157e308 1.7976931348623159e308 1e400 -1e400 1e-400 5e-324 2e-324
"0" "1" "-1" "-0" "00" "01" "1.0" "1e2" "+1" "127" "128" "-128" "-129" "255" "256" "300" "32767" "32768" "-32768" "-32769" "65535" "65536"
"2147483647" "2147483648" "-2147483648" "-2147483649" "4294967295" "4294967296"
"9223372036854775807" "9223372036854775808" "-9223372036854775808" "-9223372036854775809" "18446744073709551615" "18446744073709551616" "99999999999999999999"
"Infinity" "-Infinity" "+Infinity" "infinity" "NaN" "-NaN" "nan" "NaN:" "NaN:7fc00000" "NaN:7f800000" "NaN:7f800001" "NaN:ff800000" "NaN:ffffffff" "NaN:7FC00000"
"NaN:7f900000" "NaN:7f7fffff" "NaN:7f80000" "NaN:7f8000010" "NaN:7ff8000000000000" "NaN:7ff0000000000000" "NaN:7ff0000000000001" "NaN:fff0000010000000" "NaN:fff0000000000000" "NaN:7fe8000000000000"
"2026-11-21T03:26:00Z" "2026-11-21T03:26:00.5Z" "2026-11-21T03:26:00.500000000Z" "2026-11-21T03:26:00.5000000000Z" "2026-11-21T03:26:00.Z" "2026-11-21t03:26:00Z"
"2026-11-21T03:26:00z" "2026-11-21T03:26:00+00:00" "2026-02-29T00:00:00Z" "2024-02-29T00:00:00Z" "2000-02-29T00:00:00Z" "1900-02-29T00:00:00Z" "2100-02-29T00:00:00Z"
"2026-04-31T00:00:00Z" "2026-00-10T00:00:00Z" "2026-13-10T00:00:00Z" "2026-10-00T00:00:00Z" "2026-10-32T00:00:00Z" "2026-10-10T24:00:00Z" "2026-10-10T23:60:00Z"
"2026-10-10T23:59:60Z" "2016-12-31T23:59:60Z" "1970-01-01T00:00:00Z" "0000-01-01T00:00:00Z" "9999-12-31T23:59:59Z" "1677-09-21T00:12:43.145224192Z" "1677-09-21T00:12:43.145224191Z"
"1677-09-21T00:12:43.1452242Z" "1677-09-21T00:12:43.1452241Z" "1677-09-21T00:12:43.145Z" "1677-09-21T00:12:43.2Z" "1677-09-21T00:12:43Z" "1677-09-21T00:12:44Z" "1677-12-31T00:00:00Z" "1677-09-20T23:59:59Z" "1676-12-31T23:59:59Z"
"2262-04-11T23:47:16.854775807Z" "2262-04-11T23:47:16.854775808Z" "2262-04-11T23:47:16.85Z" "2262-04-11T23:47:16.86Z" "2262-04-11T23:47:16Z" "2262-04-11T23:47:17Z" "2262-04-12T00:00:00Z" "2262-04-10T23:59:59Z" "2263-01-01T00:00:00Z"
"0s" "-0s" "1s" "-1.5s" "01s" ".5s" "1.s" "1.0000000000s" "1.500000000s" "1m" "+1s" "9223372036s" "9223372036.854775807s" "9223372036.854775808s" "-9223372036.854775808s" "-9223372036.854775809s"
"9223372036.85s" "9223372036.86s" "9223372036.9s" "9223372037s" "-9223372037s" "9223372035.999999999s" "10000000000s"
"00112233-4455-6677-8899-aabbccddeeff" "00112233-4455-6677-8899-AABBCCDDEEFF" "00112233445566778899aabbccddeeff" "00112233-4455-6677-8899-aabbccddeef" "00112233-4455-6677-8899-aabbccddeefg" "{00112233-4455-6677-8899-aabbccddeeff}"
"AA==" "AQ==" "AB==" "AAA=" "AAE=" "AAB=" "AAAA" "AAAAAA==" "AAAAAAA=" "AAAAAAAA" "AAAAAAAAAA==" "AA" "AA=" "A===" "====" "_-==" "qrs=" "AA==\n" "AA\r\n=="
"é" "ää" "ßßßß" "€€€" "😀" "😀😀😀😀" "\u00e9" "\ud83d\ude00" "\ud800" "\udc00x" "\ud800\ud800" "\u0000" "\/"
{"tag":1,"payload":""} {"$unknown":{"tag":200,"payload":"AA=="}} {"$unknown":{"tag":"255","payload":""}} {"$unknown":{"tag":256,"payload":""}} {"$unknown":{"tag":0,"payload":""}}
{"$unknown":{"tag":1,"payload":""}} {"$unknown":{"tag":"1","payload":""}} {"$unknown":{"tag":199,"payload":"A"}} {"$unknown":{"tag":199}} {"$unknown":{"payload":"","tag":199,"more":1}} {"$unknown":null}
`)

// keys are names that an object may have besides.
var keys = strings.Fields(`"unknown" "$unknown" "tag" "" "0" "1" "-1" "01" "255" "256" "true" "false" "null" "é" "__proto__" "constructor" "toString" "\u0061"`)

// damager makes texts of others.
type damager struct{ rng *rand.Rand }

func (d *damager) pick(list []string) string { return list[d.rng.IntN(len(list))] }

func (d *damager) key() string {
	if d.rng.IntN(3) == 0 {
		return quoted(fmt.Sprint("k", d.rng.IntN(300)))
	}
	return d.pick(keys)
}

// texts makes a text of one that is accepted, changed in up to some places.
func (d *damager) text(t *tree, changes int) string {
	t = t.clone()
	for range changes {
		all := t.all()
		d.change(all[d.rng.IntN(len(all))])
	}
	if d.rng.IntN(12) == 0 {
		d.nest(t)
	}
	text := t.String()
	if d.rng.IntN(20) == 0 {
		text = d.strike(text)
	}
	if d.rng.IntN(20) == 0 {
		text = d.pick([]string{" ", "\n\t\r", "\ufeff", "\u00a0", "x", "null", "{}", "\xff", "\x00"}) + text
	}
	return text
}

// change changes a part of a tree.
func (d *damager) change(t *tree) {
	switch {
	case t.open == 0 && d.rng.IntN(2) == 0:
		t.raw = d.bent(t.raw)
		return
	case t.open == 0 || d.rng.IntN(6) == 0:
		*t = *parseLoose(d.pick(leaves))
		return
	case len(t.parts) == 0:
		d.add(t)
		return
	}
	i := d.rng.IntN(len(t.parts))
	j := d.rng.IntN(len(t.parts))
	switch d.rng.IntN(9) {
	case 0, 1:
		t.parts = slices.Delete(t.parts, i, i+1)
		if t.open == '{' {
			t.keys = slices.Delete(t.keys, i, i+1)
		}
	case 2:
		d.add(t)
	case 3:
		t.parts = append(t.parts, t.parts[i].clone())
		if t.open == '{' {
			t.keys = append(t.keys, t.keys[i])
		}
	case 4:
		t.parts[i], t.parts[j] = t.parts[j], t.parts[i]
	case 5:
		if t.open == '{' {
			t.keys[i] = d.key()
		}
	case 6:
		if t.open == '{' {
			t.keys[i] = d.bent(t.keys[i])
		}
	case 7:
		t.parts[i] = &tree{raw: "null"}
	case 8:
		if t.open == '{' {
			t.open, t.keys = '[', nil
		} else {
			t.parts[i] = &tree{open: '[', parts: []*tree{t.parts[i]}}
		}
	}
}

// add adds members or elements.
func (d *damager) add(t *tree) {
	count := 1
	if d.rng.IntN(4) == 0 {
		count = d.rng.IntN(300)
	}
	for range count {
		one := parseLoose(d.pick(leaves))
		if len(t.parts) > 0 && d.rng.IntN(4) > 0 {
			one = t.parts[d.rng.IntN(len(t.parts))].clone()
		}
		if t.open == '{' {
			t.keys = append(t.keys, d.key())
		}
		t.parts = append(t.parts, one)
	}
}

// parseLoose is a leaf as it is written, and brackets in parts.
func parseLoose(text string) *tree {
	if (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return parse([]byte(text))
	}
	return &tree{raw: text}
}

// bent is a leaf or key that is nearly the same.
func (d *damager) bent(raw string) string {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
			return []string{fmt.Sprint(n + 1), fmt.Sprint(n - 1), raw + "0", raw + ".0", raw + "e0", `"` + raw + `"`, "-" + raw, raw + ".5"}[d.rng.IntN(8)]
		}
		return []string{raw + "0", `"` + raw + `"`, strings.ToUpper(raw), "-" + raw}[d.rng.IntN(4)]
	}
	inner := raw[1 : len(raw)-1]
	switch d.rng.IntN(6) {
	case 0:
		return strings.Trim(raw, `"`) // of digits a number; else no JSON
	case 1:
		return `"` + strings.Repeat(inner, 1+d.rng.IntN(40)) + `"`
	case 2:
		return `"` + strings.Repeat(d.pick([]string{"a", "é", "€", "😀"}), 1+d.rng.IntN(260)) + `"`
	case 3:
		return `"` + inner + d.pick([]string{"=", " ", "A", "0", "9", ".", "Z", "s", "é", `\n`, `\ud800`, "😀", `\u0061`}) + `"`
	case 4:
		return `"` + d.strike(inner) + `"`
	}
	return raw
}

// strike changes a byte of a text.
func (d *damager) strike(text string) string {
	if text == "" {
		return text
	}
	i := d.rng.IntN(len(text))
	with := d.pick([]string{"", "0", "9", "-", "a", "Z", ":", ",", `"`, "{", "}", "[", "]", " ", "\xc3", "\x01"})
	if d.rng.IntN(2) == 0 {
		return text[:i] + with + text[i:]
	}
	return text[:i] + with + text[i+1:]
}

// nest puts a value of a type that holds itself into itself, many times.
func (d *damager) nest(t *tree) {
	outer, inner := t.alike()
	if inner == nil {
		return
	}
	again := outer.clone()
	if len(again.String()) > 1000 {
		return
	}
	for range 1 + d.rng.IntN(70) {
		*inner = *again.clone()
		if _, inner = inner.alike(); inner == nil {
			return
		}
	}
}
