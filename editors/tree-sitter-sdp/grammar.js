/**
 * The grammar of schema files, as the compiler's parser takes them (compiler/syntax).
 * spec/grammar.ebnf says the same for people, and is stricter in places that the
 * compiler refuses later, in its checks.
 *
 * @file SDP schemas
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// Words of the language are names wherever the grammar has no other use for them.
const DECLARATIONS = ["const", "type", "enum", "struct", "message", "union", "service"];
const OTHER_WORDS = ["package", "import", "as", "call", "stream", "event", "reserved", "Option", "Box", "map"];
const BOOLEANS = ["true", "false"];

const commaSeparated = (rule) => seq(rule, repeat(seq(",", rule)));
const trailingComma = (rule) => seq(commaSeparated(rule), optional(","));

const DIGITS = "[0-9](_?[0-9])*";
const EXPONENT = `[eE][+-]?${DIGITS}`;

export default grammar({
  name: "sdp",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n]/, $.comment, $.block_comment, $.doc_comment, $.file_doc_comment],

  inline: ($) => [$._name, $._value_name],

  supertypes: ($) => [$.declaration, $.type, $.value],

  rules: {
    source_file: ($) => seq(optional($.package_statement), repeat($.import_statement), repeat(choice($.declaration, $.reserved_statement))),

    // Attributes before the package statement are the file's.
    package_statement: ($) => seq(optional($._attributes), "package", field("name", $.package_name), ";"),

    import_statement: ($) => seq("import", field("path", $.string), optional(seq("as", field("name", $._name))), ";"),

    declaration: ($) =>
      choice(
        $.const_declaration,
        $.alias_declaration,
        $.enum_declaration,
        $.struct_declaration,
        $.message_declaration,
        $.union_declaration,
        $.service_declaration,
      ),

    const_declaration: ($) =>
      seq(optional($._attributes), "const", field("name", $._name), ":", field("type", $.type), "=", field("value", $.value), ";"),

    alias_declaration: ($) => seq(optional($._attributes), "type", field("name", $._name), "=", field("type", $.type), ";"),

    enum_declaration: ($) =>
      seq(optional($._attributes), "enum", field("name", $._name), ":", field("base", $.type), field("body", $.enum_body)),

    enum_body: ($) => numbered($, $.enum_member),

    enum_member: ($) => seq(optional($._attributes), field("name", $._name), "=", field("value", $.value)),

    struct_declaration: ($) => seq(optional($._attributes), "struct", field("name", $._name), field("body", $.field_list)),

    message_declaration: ($) => seq(optional($._attributes), "message", field("name", $._name), field("body", $.field_list)),

    field_list: ($) => seq("{", optional(trailingComma($.field)), "}"),

    field: ($) =>
      seq(optional($._attributes), field("name", $._name), ":", field("type", $.type), optional(seq("=", field("default", $.value)))),

    union_declaration: ($) => seq(optional($._attributes), "union", field("name", $._name), field("body", $.union_body)),

    union_body: ($) => numbered($, $.alternative),

    alternative: ($) =>
      seq(
        optional($._attributes),
        field("name", $._name),
        optional(choice(seq("(", field("type", $.type), ")"), field("fields", $.field_list))),
        "=",
        field("tag", choice($.integer, $.malformed_number)),
      ),

    service_declaration: ($) => seq(optional($._attributes), "service", field("name", $._name), field("body", $.service_body)),

    service_body: ($) => seq("{", repeat(choice($.method, $.reserved_statement)), "}"),

    method: ($) =>
      seq(
        optional($._attributes),
        choice(
          seq(
            field("kind", choice("call", "stream")),
            field("name", $._name),
            seq("(", $._request, ")"),
            seq("->", $._response),
          ),
          seq(field("kind", "event"), field("name", $._name), seq("(", $._request, ")")),
        ),
        "=",
        field("number", $.integer),
        ";",
      ),

    _request: ($) => choice(field("request", $.type), seq("stream", field("request", $._streamed))),
    _response: ($) => choice(field("response", $.type), seq("stream", field("response", $._streamed))),

    // "stream" is the keyword if a name follows it.
    _streamed: ($) => choice($.type_name, $.option_type, $.box_type, $.map_type),

    reserved_statement: ($) => seq("reserved", commaSeparated(choice($.integer, $.range, $.string, field("name", $._name))), ";"),

    range: ($) => seq(field("first", $.integer), "..", field("last", $.integer)),

    type: ($) =>
      choice(
        $.attributed_type,
        $.list_type,
        $.array_type,
        $.optional_type,
        $.option_type,
        $.box_type,
        $.map_type,
        $.type_name,
      ),

    attributed_type: ($) =>
      seq(
        $._attributes,
        choice($.list_type, $.array_type, $.optional_type, $.option_type, $.box_type, $.map_type, $.type_name),
      ),

    list_type: ($) => seq("[", "]", field("element", $.type)),
    array_type: ($) => seq("[", field("length", choice($.integer, $.boolean, $.constant_name)), "]", field("element", $.type)),
    optional_type: ($) => seq("?", field("element", $.type)),
    option_type: ($) => seq("Option", "<", field("element", $.type), ">"),
    box_type: ($) => seq("Box", "<", field("element", $.type), ">"),
    map_type: ($) => seq("map", "<", field("key", $.type), ",", field("element", $.type), ">"),

    _attributes: ($) => repeat1($.attribute),

    attribute: ($) => seq("@", field("name", $.attribute_name), optional(field("arguments", $.arguments))),

    arguments: ($) => seq("(", optional(trailingComma($.argument)), ")"),

    argument: ($) => seq(optional(seq(field("name", $._name), "=")), field("value", $.value)),

    value: ($) => choice($.integer, $.float, $.string, $.boolean, $.constant_name, $.malformed_number),

    boolean: () => choice(...BOOLEANS),

    package_name: ($) => seq($._name, repeat(seq(".", $._name))),
    type_name: ($) => seq($._name, repeat(seq(".", $._name))),
    attribute_name: ($) => seq($._name, repeat(seq(".", $._name))),
    constant_name: ($) => seq($._value_name, repeat(seq(".", $._name))),

    _name: ($) => choice($.identifier, ...[...DECLARATIONS, ...OTHER_WORDS, ...BOOLEANS].map((word) => alias(word, $.identifier))),
    _value_name: ($) => choice($.identifier, ...[...DECLARATIONS, ...OTHER_WORDS].map((word) => alias(word, $.identifier))),

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,

    integer: () => new RegExp(`-?(${DIGITS}|0x[0-9A-Fa-f](_?[0-9A-Fa-f])*|0b[01](_?[01])*)`),

    float: () => new RegExp(`-?${DIGITS}(\\.${DIGITS}(${EXPONENT})?|${EXPONENT})`),

    // A number takes all letters and digits behind it, so that 12abc is no number and a
    // name. What it takes is longest here, where nothing that is valid can follow.
    malformed_number: () =>
      seq(
        token(/-?[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?([eE][+-][0-9A-Za-z_]*)?/),
        token.immediate(/[0-9A-Za-z_]/),
      ),

    string: ($) => seq('"', repeat(choice($.string_content, $.escape)), choice(token.immediate('"'), $._line_end)),

    string_content: () => token.immediate(prec(1, /[^"\\\r\n]+/)),

    // The number of \u{…} is of a Unicode scalar value.
    escape: () =>
      token.immediate(
        /\\(["\\nrt0]|u\{([0-9A-Fa-f]{1,3}|0{0,2}([0-9A-Ca-cE-Fe-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2})|0?[1-9A-Fa-f][0-9A-Fa-f]{4}|10[0-9A-Fa-f]{4})\})/,
      ),

    // A string ends on its line: nothing that is valid follows a line's end in it.
    _line_end: () => seq(token.immediate(prec(2, /[\r\n]+/)), token.immediate(prec(2, /[\r\n]/))),

    comment: () => /\/\/([^\/!\n][^\n]*)?|\/\/\/\/[^\n]*/,
    doc_comment: () => /\/\/\/([^\/\n][^\n]*)?/,
    file_doc_comment: () => /\/\/![^\n]*/,
    block_comment: () => /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
  },
});

/** A body whose items have numbers: a reserved statement ends itself, so that the comma before it may be left out. */
function numbered($, item) {
  const reserved = repeat1($.reserved_statement);
  return seq(
    "{",
    optional(reserved),
    optional(seq(item, repeat(seq(choice(seq(",", optional(reserved)), reserved), item)), optional(","), optional(reserved))),
    "}",
  );
}
