#include "explain_table.hpp"

#include <algorithm>
#include <map>

namespace {

std::string_view named(std::string_view name) {
    constexpr std::string_view plugin = "; name str1; gain f32; on bool; note opt str4;";
    static const std::map<std::string_view, std::string> layouts{
        {"plugin", "0 struct demo.Plugin" + std::string{plugin}},
        {"registry", "0 message demo.Registry; plugins list4 #1;@2; total u32; host str4;"
                     "1 struct demo.Plugin" +
                         std::string{plugin}},
        {"event", "0 union demo.HostEvent; Loaded 1 #1; Changed 2 #2; Stopped 3;"
                  "1 struct demo.Plugin" +
                      std::string{plugin} + "2 struct demo.HostEvent.Changed; id u32; value f32;"},
        {"levels", "0 struct demo.Levels; m map4 str1 i16;"},
        {"closed", "0 struct demo.S; kind #1; u #2;"
                   "1 enum demo.Kind i16 closed; Low -1; Zero 0; High 300;"
                   "2 union demo.U closed; A 1 bool; B 2 #3; C 3;"
                   "3 struct demo.U.B; n u16;"},
        // A message in a union in a message, and the reverse.
        {"frames", "0 struct demo.F; u #1; m #3;"
                   "1 union demo.U; M 1 #2; T 2 str1;"
                   "2 message demo.M; a u8;@2; b u16;@3; c bool;"
                   "3 message demo.N keep; u opt #1;"},
        // A list that holds itself.
        {"tree", "0 struct demo.Tree; v u8; kids list1 #0;"},
        // A union and a message that hold themselves.
        {"nest", "0 union demo.Nest; In 1 #0; End 2; Msg 3 #1;"
                 "1 message demo.NestMessage; nest opt #0;"},
        {"bound", "0 struct demo.B; s str1<=3; l list1<=2 u16; m map1<=1 u8 bool; b bytes2<=4;"},
        {"grid", "0 struct demo.G; grid array 2 array 3 u16; cells array 2 #1;"
                 "1 struct demo.Cell; on bool;"},
        {"flags", "0 struct demo.Flags; flags array 3 bool; many list1 bool;"},
        {"mixed", "0 struct demo.S; on bool; name str1; list list1 #1; last opt u8;"
                  "1 struct demo.T; x u16;"},
    };
    const auto found = layouts.find(name);
    return found == layouts.end() ? name : std::string_view{found->second};
}

/// A row's columns without the spaces around them.
std::vector<std::string> columns(std::string_view row) {
    std::vector<std::string> all;
    for (bool more = true; more;) {
        const std::size_t bar = row.find('|');
        more = bar != std::string_view::npos;
        std::string_view column = row.substr(0, bar);
        column.remove_prefix(std::min(column.find_first_not_of(' '), column.size()));
        column = column.substr(0, column.find_last_not_of(' ') + 1);
        all.emplace_back(column);
        row.remove_prefix(more ? bar + 1 : row.size());
    }
    return all;
}

struct conditions {
    sdp::wire::mode mode = sdp::wire::mode::whole;
    bool exact = false;
    sdp::limits limits;
    std::optional<std::size_t> memory_at;
};

/// Sets what one option says, and reports whether there is such an option.
bool set(conditions& of, std::string_view option) {
    const std::size_t sign = option.find('=');
    const std::string_view name = option.substr(0, sign);
    const std::string digits{sign == std::string_view::npos ? "0" : option.substr(sign + 1)};
    const std::size_t number = std::stoul(digits);
    if (name == "prefix") {
        of.mode = sdp::wire::mode::prefix;
    } else if (name == "exact") {
        of.exact = true;
    } else if (name == "depth") {
        of.limits.depth = number;
    } else if (name == "elements") {
        of.limits.elements = number;
    } else if (name == "message_bytes") {
        of.limits.message_bytes = number;
    } else if (name == "memory_at") {
        of.memory_at = number;
    } else {
        return false;
    }
    return true;
}

/// Spells what `explain` said as a row does: kind, offset, path.
std::string said(const std::optional<sdp::error>& error, std::size_t base) {
    if (!error) {
        return "fine";
    }
    std::string text{to_string(error->kind)};
    text += " " + std::to_string(error->offset.value() - base);
    return error->path.empty() ? text : text + " " + error->path;
}

void check_row(std::string_view row) {
    const auto column = columns(row);
    ASSERT_EQ(column.size(), 5U) << row;
    conditions of;
    std::string_view options = column[3];
    while (!options.empty()) {
        const std::string_view option = options.substr(0, options.find(' '));
        ASSERT_TRUE(set(of, option)) << row;
        options.remove_prefix(std::min(option.size() + 1, options.size()));
    }
    const std::string layout = layout_of(column[1]);
    const auto input = from_hex(column[2]);
    for (const std::size_t base : {std::size_t{0}, sdp::header_bytes}) {
        const auto got =
            sdp::wire::explain(layout, input, base, of.mode, of.exact, of.limits, of.memory_at);
        EXPECT_EQ(said(got, base), column[4]) << row;
    }
}

}  // namespace

std::string layout_of(std::string_view name) {
    std::string text{named(name)};
    for (char& c : text) {
        c = c == ';' ? '\n' : c;
    }
    return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (c != ' ') {
            digits += c;
        }
    }
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const unsigned long byte = std::stoul(digits.substr(i, 2), nullptr, 16);
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
}

void check_rows(std::string_view rows) {
    std::size_t checked = 0;
    while (!rows.empty()) {
        const std::string_view row = rows.substr(0, rows.find('\n'));
        rows.remove_prefix(std::min(row.size() + 1, rows.size()));
        if (!row.empty()) {
            check_row(row);
            ++checked;
        }
    }
    EXPECT_GT(checked, 0U);
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

std::optional<sdp::error> explain_whole(std::string_view layout, sdp::bytes_view input,
                                        const sdp::limits& limits) {
    return sdp::wire::explain(layout, input, 0, sdp::wire::mode::whole, false, limits,
                              std::nullopt);
}
