/// Layouts and bytes that nobody thought of.
#include "sdp/walk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "fuzz.hpp"

namespace fuzz {

namespace {

/// The words of layouts, so that what bytes choose from them often means something. Rust's target
/// has the same ones, so that inputs mean the same.
constexpr std::array<std::string_view, 45> words{
    "\n0 struct a.S\n f",
    "\n1 struct a.T\n f",
    "\n2 union a.U\n",
    "\n1 union a.U closed\n",
    "\n2 enum a.E i8 closed\n A -1\n B 0\n",
    "0 struct a.S\n f",
    "0 message a.M\n f",
    "0 message a.M keep\n f",
    "0 union a.U\n",
    "0 union a.U closed\n",
    "1 message a.N\n f",
    "\n f",
    "\n@2\n f",
    "\n@3\n f",
    " A 1",
    " B 2\n",
    " C 3",
    " bool",
    " u8",
    " u16",
    " u64",
    " i8",
    " i32",
    " f32",
    " f64",
    " uuid",
    " str1",
    " str4",
    " bytes2",
    " list1",
    " list4",
    " list1<=2",
    " map1",
    " map2",
    " array",
    " opt",
    " 2",
    " 3",
    " 4294967296",
    " 18446744073709551615",
    " #0",
    " #1",
    " #2",
    " #3",
    "\n",
};

/// Ends the layout in the bytes that choose it.
constexpr std::byte end_of_layout{0xff};

/// Starts bytes that are the layout themselves.
constexpr std::byte is_text{0xfe};

std::string layout_of(sdp::bytes_view chosen) {
    if (!chosen.empty() && chosen[0] == is_text) {
        return {reinterpret_cast<const char*>(chosen.data()) + 1, chosen.size() - 1};
    }
    std::string layout;
    for (const std::byte i : chosen) {
        layout += words[std::to_integer<std::size_t>(i) % words.size()];
    }
    return layout;
}

/// A refusal lies in the input; and bytes that every mode refuses, the exact one refuses.
void check(std::string_view layout, sdp::bytes_view input, const sdp::limits& limits,
           std::optional<std::size_t> memory_at) {
    constexpr std::size_t base = 10;
    for (const auto mode : {sdp::wire::mode::whole, sdp::wire::mode::prefix}) {
        const auto walked = [&](bool is_exact) {
            return sdp::wire::explain(layout, input, base, mode, is_exact, limits, memory_at);
        };
        const auto loose = walked(false);
        const auto exact = walked(true);
        for (const auto& refusal : {loose, exact}) {
            if (refusal) {
                ASSERT_TRUE(refusal->offset) << layout;
                EXPECT_GE(*refusal->offset, base) << refusal->message() << " of " << layout;
                EXPECT_LE(*refusal->offset, base + input.size())
                    << refusal->message() << " of " << layout;
            }
        }
        EXPECT_TRUE(!loose || exact) << layout;
    }
}

}  // namespace

void explain(sdp::bytes_view input) {
    const auto* end = std::find(input.begin(), input.end(), end_of_layout);
    const auto n = static_cast<std::size_t>(end - input.begin());
    const std::string layout = layout_of(input.first(n));
    const sdp::bytes_view value = input.subspan(std::min(n + 1, input.size()));
    sdp::limits limits;
    limits.elements = 1000;
    for (const std::size_t depth :
         {std::size_t{4}, std::size_t{64}, std::numeric_limits<std::size_t>::max()}) {
        limits.depth = depth;
        check(layout, value, limits, std::nullopt);
        for (const std::size_t memory_at : {std::size_t{0}, value.size() / 2, value.size() + 1}) {
            check(layout, value, limits, memory_at);
        }
    }
}

}  // namespace fuzz
