package house_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// control are words before a round bracket that holds no parameters, and words that begin an expression.
var control = wordSet(`if while for switch catch return sizeof decltype alignas noexcept static_assert co_await co_return co_yield new delete
	throw not case goto else typeof await yield in of instanceof match`)

// scalarWords end a parameter of C++ that has no name.
var scalarWords = wordSet(`int char long short unsigned signed double float bool const void auto volatile`)

// closureStarts are what a closure of Rust may stand behind.
var closureStarts = wordSet(`( , = { ; move => return`)

// parametersIn gives the lexemes that name the parameters of functions and methods, and of lambdas and closures.
func parametersIn(lexemes []lexeme, language string) (names []lexeme) {
	for i := 1; i < len(lexemes); i++ {
		isList := lexemes[i].text == "(" && mayHaveParameters(lexemes, i, language)
		isClosure := lexemes[i].text == "|" && language == "rust" && closureStarts[lexemes[i-1].text]
		if !isList && !isClosure {
			continue
		}
		parts, end := partsOf(lexemes, i)
		for _, part := range parts {
			if isClosure {
				names = append(names, boundIn(part)...)
			} else if name, is := parameterOf(part, language); is || isUntyped(lexemes, part, end, language) {
				names = append(names, name)
			}
		}
	}
	return names
}

// partsOf splits a list at its commas; the end is where its bracket closes, or 0.
func partsOf(lexemes []lexeme, open int) (parts [][]lexeme, end int) {
	depth, first := 0, open+1
	for i := open + 1; i < len(lexemes) && depth >= 0; i++ {
		isEnd := lexemes[i].text == ")" || lexemes[i].text == "|" && lexemes[open].text == "|"
		switch text := lexemes[i].text; {
		case depth == 0 && (text == "," || isEnd):
			if i > first {
				parts = append(parts, lexemes[first:i])
			}
			if first = i + 1; isEnd {
				return parts, i
			}
		case strings.Contains("([{", text) || text == "<" && !lexemes[i].isApart:
			depth++
		case strings.Contains(")]}", text) || text == ">" && depth > 0 && !lexemes[i].isApart:
			depth--
		}
	}
	return nil, 0
}

// mayHaveParameters tells whether a round bracket may be that of a function's parameters.
func mayHaveParameters(lexemes []lexeme, open int, language string) bool {
	before := lexemes[open-1]
	switch language {
	case "rust":
		i := beforeGenerics(lexemes, open-1)
		return lexemes[i].text == "fn" || i > 0 && lexemes[i].isWord && lexemes[i-1].text == "fn"
	case "ts":
		return !control[before.text] || open > 1 && lexemes[open-2].text == "."
	}
	return !control[before.text] && (before.isWord || strings.Contains("] > ) = + - * / < == != <= >=", before.text))
}

// beforeGenerics gives the lexeme before the angle brackets that end at a lexeme, or that lexeme.
func beforeGenerics(lexemes []lexeme, end int) int {
	for i, depth := end, 0; i > 0; i-- {
		switch lexemes[i].text {
		case ">":
			depth++
		case "<":
			depth--
		}
		if depth == 0 {
			return max(0, i-min(1, end-i))
		}
	}
	return 0
}

// isUntyped tells of a parameter of an arrow function of TypeScript that has no type.
func isUntyped(lexemes, part []lexeme, end int, language string) bool {
	return language == "ts" && len(part) == 1 && part[0].isWord && end+1 < len(lexemes) && lexemes[end+1].text == "=>"
}

// parameterOf gives the lexeme that names a parameter, where a part of a list is one.
func parameterOf(part []lexeme, language string) (name lexeme, is bool) {
	switch language {
	case "cpp":
		return parameterOfCpp(part)
	case "rust":
		for part[0].text == "#" && len(part) > 1 {
			part = part[min(len(part)-1, lengthOfAttribute(part)):]
		}
		if part[0].text == "mut" && len(part) > 1 {
			part = part[1:]
		}
		return part[0], len(part) > 2 && part[0].isWord && part[1].text == ":" && part[0].text != "self"
	}
	for len(part) > 1 && (part[0].text == "..." || part[1].isWord && modifiers[part[0].text]) {
		part = part[1:]
	}
	isTyped := len(part) > 2 && (part[1].text == ":" || part[1].text == "?" && part[2].text == ":")
	return part[0], isTyped && part[0].isWord && part[0].text != "this"
}

// boundIn gives the names that a parameter of a closure of Rust binds, which may be a pattern.
func boundIn(part []lexeme) (names []lexeme) {
	for i, depth := 0, 0; i < len(part); i++ {
		following := ""
		if i+1 < len(part) {
			following = part[i+1].text
		}
		switch text := part[i].text; {
		case text == ":" && depth == 0:
			return names
		case strings.Contains("([{", text):
			depth++
		case strings.Contains(")]}", text):
			depth--
		case !part[i].isWord || text == "mut" || text == "ref" || unicode.IsUpper(rune(text[0])):
		case following == "::" || following == "(" || following == ":" && depth > 0:
		default:
			names = append(names, part[i])
		}
	}
	return names
}

// modifiers make a parameter of a constructor of TypeScript a member.
var modifiers = wordSet(`private protected public readonly override`)

// lengthOfAttribute gives the length of a part's beginning up to where its square brackets close.
func lengthOfAttribute(part []lexeme) int {
	depth := 0
	for i, lexeme := range part {
		switch lexeme.text {
		case "[":
			depth++
		case "]":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(part)
}

// parameterOfCpp knows a type before a name from an expression by how clang-format sets them apart.
func parameterOfCpp(part []lexeme) (name lexeme, is bool) {
	if len(part) > 1 && part[0].text == "[" && part[1].text == "[" {
		part = part[lengthOfAttribute(part):]
	}
	if i := slices.IndexFunc(part, func(l lexeme) bool { return l.text == "=" }); i >= 0 {
		part = part[:i]
	}
	if i := slices.IndexFunc(part, func(l lexeme) bool { return l.text == "[" }); i > 0 && part[len(part)-1].text == "]" {
		part = part[:i]
	}
	if len(part) < 2 || !part[0].isWord && part[0].text != "::" || control[part[0].text] {
		return lexeme{}, false
	}
	if inner, is := declaredInBrackets(part); is {
		return inner, true
	}
	if slices.ContainsFunc(part, func(l lexeme) bool { return l.text == "." || l.text == "->" }) {
		return lexeme{}, false
	}
	name, before := part[len(part)-1], part[len(part)-2]
	if !name.isWord || scalarWords[name.text] {
		return lexeme{}, false
	}
	if before.isWord {
		return name, !control[before.text]
	}
	isDeclarator := strings.Contains("& && * ... >", before.text)
	return name, isDeclarator && !before.isApart && name.isApart
}

// declaredInBrackets finds a reference to an array, or a pointer to a function or to a member.
func declaredInBrackets(part []lexeme) (name lexeme, is bool) {
	for i := 1; i < len(part); i++ {
		if part[i].text != "(" || !part[i].isApart || !part[i-1].isWord && !strings.Contains("> * &", part[i-1].text) {
			continue
		}
		for i++; i < len(part) && (part[i].isWord || part[i].text == "::"); i++ {
		}
		if i+2 < len(part) && (part[i].text == "&" || part[i].text == "*") && part[i+1].isWord && part[i+2].text == ")" {
			return part[i+1], true
		}
	}
	return lexeme{}, false
}

func TestParametersAreFound(t *testing.T) {
	for _, c := range []struct{ language, source, names string }{
		{"cpp", "#define CALL(a, b) a(int b)\nint add(int a, const std::map<int, long>& b = {}, T&&... rest);", "a b rest"},
		{"cpp", "explicit lease(registration wanted, int) : held_(std::move(wanted)), n_(a * b) { int x(y); f(x && y, a > b); }", "wanted"},
		{"cpp", "auto f = [&](const auto& one, char (&text)[4]) { return g(one, new T, sizeof text); };", "one text"},
		{"cpp", "bool operator==(const T& other) const { for (const auto& x : xs) if (auto y = z) catch (const E& e) {} }", "other"},
		{"cpp", "std::function<void(int told)> h; void run(void (Server::*to)(int), void (*call)(int n), [[maybe_unused]] int i);", "told to call i n"},
		{"cpp", "// f(int a)\nauto s = R\"(f(int b))\" \"f(int c)\"; auto n = 1'000; x = y * (a)(*b).c;", ""},
		{"rust", "fn add<F: Fn(u8) -> u8>(mut a: u8, #[x] b: &'a str, (c, d): (u8, u8)) -> u8 { let e: u8 = f(a, |g: u8, h| g | h); S { i: 1 } }", "a b g h"},
		{"rust", "let f = move |&a, (mut b, C(d)), E { e: g, h, .. }: E, [i, _]: &[u8]| a | b; match x { J { .. } | K(l) => m || n | o, p => |q| r }", "a b d g h i _ q"},
		{"rust", "impl T { fn set(&mut self, at: Instant, _: u8) {} } const C: char = '('; let s = r#\"fn x(y: u8) \"\"#; type F = fn(told: u8);", "at _ told"},
		{"ts", "function add(a: number, b?: string, c = 1, ...rest: number[]): void { const d: Map<a, b> = call(a, e ? f : g); }", "a b rest"},
		{"ts", "class S { constructor(private readonly at: number) {} set(of: T) { if (x) { y(z => z); } } catch(e: E) {} }", "at of"},
		{"ts", "list.map((one) => one / 2); list.map((one, two: T) => one); const t = `(${f(x)})`; s.replace(/\\((a: b)/, '(c: d)');", "one one two"},
		{"ts", "type F = (told: Failure) => void; interface I { go(to: string): void; in: { a: number } }", "told to"},
	} {
		var names []string
		for _, name := range parametersIn(lexemesOf(c.source, c.language), c.language) {
			names = append(names, name.text)
		}
		if found := strings.Join(names, " "); found != c.names {
			t.Errorf("%s has the parameters %q, and not %q", c.source, found, c.names)
		}
	}
}
