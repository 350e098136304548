/// Layouts and bytes that nobody thought of, and the order of a map's keys.
#include <random>

#include "explain_table.hpp"

namespace {

using sdp::wire::mode;

constexpr const char* leaves[] = {"bool", "u8",   "u16",  "u64",    "i8", "i32", "f32",     "f64",
                                  "uuid", "str1", "str4", "bytes2", "#0", "#1",  "str1<=3", "#2"};
constexpr const char* keys[] = {"bool", "u8", "i16", "str1", "#1", "#2"};

/// Draws from a fixed sequence, the same on every machine.
class draws {
   public:
    explicit draws(std::uint32_t seed) : engine_(seed) {}

    std::size_t below(std::size_t n) { return engine_() % n; }

    /// A type that mostly is one.
    std::string type() {
        switch (below(12)) {
        case 0:
            return " list1" + type();
        case 1:
            return " list4<=2" + type();
        case 2:
            return " opt" + type();
        case 3:
            return " array " + std::to_string(below(20)) + type();
        case 4:
            return std::string{" map1 "} + keys[below(std::size(keys))] + type();
        case 5:
            return below(5) == 0 ? " map1" : type();
        default:
            return std::string{" "} + leaves[below(std::size(leaves))];
        }
    }

    std::string block() {
        if (below(6) == 0) {
            return " enum a.E i8 closed\n A -1\n B 0\n C 1\n";
        }
        if (below(5) < 2) {
            std::string text = below(2) == 0 ? " union a.U\n" : " union a.U closed\n";
            for (std::size_t tag = 1 + below(3); tag > 0; --tag) {
                text += " A " + std::to_string(tag) + type() + "\n";
            }
            return text;
        }
        const bool message = below(3) > 0;
        std::string text = message ? " message a.S" : " struct a.S";
        text += message && below(2) == 0 ? " keep\n" : "\n";
        std::size_t segment = 1;
        for (std::size_t n = below(5); n > 0; --n) {
            if (message && below(2) == 0) {
                text += "@" + std::to_string(++segment) + "\n";
            }
            text += " f" + type() + "\n";
        }
        return text;
    }

    std::string layout() { return "0" + block() + "1" + block() + "2" + block(); }

    /// Bytes that are mostly small, as lengths and counts that fit are.
    std::vector<std::byte> input() {
        std::vector<std::byte> bytes(below(64));
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(below(7) > 0 ? below(4) : below(256));
        }
        return bytes;
    }

   private:
    std::mt19937 engine_;
};

/// Reports whether the layout can be followed.
bool check(std::string_view layout, sdp::bytes_view input, std::size_t depth,
           std::optional<std::size_t> memory_at) {
    sdp::limits limits;
    limits.depth = depth;
    limits.elements = 1000;
    for (const mode of : {mode::whole, mode::prefix}) {
        for (const bool exact : {false, true}) {
            const auto refused =
                sdp::wire::explain(layout, input, 10, of, exact, limits, memory_at);
            const std::size_t offset = refused ? refused->offset.value() : 10;
            EXPECT_GE(offset, 10U) << layout;
            EXPECT_LE(offset, 10 + input.size()) << layout;
        }
    }
    return sdp::wire::walk::parse_layout(layout).has_value();
}

}  // namespace

TEST(explain, stays_in_the_input) {
    draws random{1};
    int followed = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string layout = random.layout();
        const auto memory_at =
            random.below(2) == 0 ? std::optional{random.below(70)} : std::nullopt;
        followed += check(layout, random.input(), random.below(100), memory_at) ? 1 : 0;
    }
    EXPECT_GT(followed, 5'000);
    EXPECT_LT(followed, 19'000);
}

TEST(explain, takes_any_damage_to_a_layout) {
    constexpr const char* names[] = {"registry", "event", "closed", "frames", "bound", "grid"};
    draws random{2};
    int followed = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text = layout_of(names[random.below(std::size(names))]);
        std::string put(random.below(4), ' ');
        for (char& c : put) {
            c = random.below(8) == 0 ? '\n' : static_cast<char>(' ' + random.below(95));
        }
        text.replace(random.below(text.size()), 1, put);
        followed += check(text, random.input(), 64, std::nullopt) ? 1 : 0;
    }
    EXPECT_GT(followed, 500);
    EXPECT_LT(followed, 19'500);
}

TEST(explain, takes_any_text) {
    draws random{3};
    for (int i = 0; i < 2'000; ++i) {
        std::string text(random.below(100), ' ');
        for (char& c : text) {
            c = static_cast<char>(random.below(256));
        }
        EXPECT_FALSE(check(text, random.input(), 64, std::nullopt));
    }
}

TEST(explain, compares_keys_by_their_type) {
    struct row {
        std::string word, low, high;
    };
    for (const row& of : {
             row{"u8", "7f", "80"},
             row{"u16", "ff00", "0001"},
             row{"u32", "ffffff00", "00000001"},
             row{"u64", "ff00000000000000", "0000000000000080"},
             row{"i8", "80", "7f"},
             row{"i8", "ff", "00"},
             row{"i16", "0080", "ff7f"},
             row{"i32", "ffffffff", "00000000"},
             row{"i64", "0000000000000080", "ffffffffffffffff"},
             row{"bool", "00", "01"},
             row{"str2", "01007a", "0200c3bf"},
             row{"#1", "ffff", "0000"},
         }) {
        const std::string layout =
            " | 0 struct a.S; m map1 " + of.word + " bool;1 enum a.E i16; A 0; | 02 ";
        const auto refused = [](const std::string& first) {
            return "map_order " + std::to_string(2 + first.size() / 2) + " m[1].key\n";
        };
        check_rows(of.word + layout + of.low + " 00 " + of.high + " 01 | | fine\n" + of.word +
                   layout + of.high + " 00 " + of.low + " 01 | | " + refused(of.high) + of.word +
                   layout + of.low + " 00 " + of.low + " 01 | | " + refused(of.low));
    }
}
