/// Layouts and bytes that are made to cost much.
#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pthread.h>

#include "explain_table.hpp"

namespace {

/// So many trees, each the only child of the previous tree.
std::vector<std::byte> nested(std::size_t n) {
    std::vector<std::byte> trees(2 * n);
    for (std::size_t i = 1; i + 2 < trees.size(); i += 2) {
        trees[i] = std::byte{1};
    }
    return trees;
}

/// Structs without bytes that hold each other, twice on each of 60 levels.
std::string doubling() {
    std::string text = "0 message a.M; x u8;@2; s #1;";
    for (int i = 1; i < 60; ++i) {
        const std::string next = std::to_string(i + 1);
        text += std::to_string(i) + " struct a.S; l #" + next + "; r #" + next + ";";
    }
    return layout_of(text + "60 struct a.S;");
}

std::string big_enum() {
    std::string text = "0 struct a.S; l list4 #1;1 enum a.E u16 closed;";
    for (int i = 10'000; i-- > 0;) {
        text += " M " + std::to_string(i) + ";";
    }
    return layout_of(text);
}

/// A count and so many zeros.
std::vector<std::byte> counted(std::uint32_t n, std::size_t bytes) {
    std::vector<std::byte> input(4 + bytes);
    for (std::size_t i = 0; i < 4; ++i) {
        input[i] = static_cast<std::byte>(n >> (8 * i));
    }
    return input;
}

/// Runs a function on a thread whose stack has 64 KiB, or the least that the system has: 128 KiB on
/// ARM64.
void on_small_stack(void (*function)()) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    const auto least = static_cast<std::size_t>(PTHREAD_STACK_MIN);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::max<std::size_t>(64 << 10, least)), 0);
    const auto run = [](void* given) -> void* {
        (*static_cast<void (**)()>(given))();
        return nullptr;
    };
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
}

}  // namespace

TEST(explain, calls_every_prefix_cut) {
    struct row {
        const char* layout;
        const char* hex;
    };
    for (const row& of : {
             row{"plugin", "02 4551 0000c03f 01 01 02000000 c3a4"},
             row{"closed", "2c01 02 0500"},
             row{"event", "02 08000000 09000000 000000bf"},
             row{"levels", "02000000 0161 ffff 0162 2c01"},
             row{"tree", "01 02 02 00 03 01 04 00"},
             row{"bound", "03 414141 02 00000000 01 0000 0400 00000000"},
             row{"grid", "0000 0000 0000 0000 0000 0000 00 01"},
             row{"frames", "01 08000000 04000000 07 0100 01 06000000 01 09 00000000"},
         }) {
        const std::string layout = layout_of(of.layout);
        const auto input = from_hex(of.hex);
        EXPECT_FALSE(sdp::wire::explain(layout, input, 0, sdp::wire::mode::whole, true, {}, {}));
        for (std::size_t n = 0; n < input.size(); ++n) {
            const auto refused = explain_whole(layout, sdp::bytes_view{input.data(), n});
            ASSERT_TRUE(refused) << of.layout << ", " << n << " bytes";
            EXPECT_TRUE(refused->kind == sdp::kind::truncated ||
                        refused->kind == sdp::kind::length_exceeds_input ||
                        refused->kind == sdp::kind::count_exceeds_input)
                << of.layout << ", " << n << " bytes: " << refused->message();
        }
    }
}

TEST(explain, stops_at_the_depth_limit) {
    const std::string tree = layout_of("tree");
    EXPECT_FALSE(explain_whole(tree, nested(64)));
    const std::string path = repeated("kids[0].", 63) + "kids[0]";
    for (const std::size_t n : {std::size_t{65}, std::size_t{1'000'000}}) {
        EXPECT_EQ(explain_whole(tree, nested(n)), (sdp::error{sdp::kind::limit_depth, 128, path}));
    }
}

TEST(explain, needs_no_stack_for_depth) {
    on_small_stack([] {
        // Each level of this type is 64 lists inside each other.
        const std::string lists = layout_of("0 struct a.S; l " + repeated("list1 ", 64) + "#0;");
        const std::vector<std::byte> many(64 * 10'000, std::byte{1});
        sdp::limits limits;
        limits.depth = static_cast<std::size_t>(-1);
        const auto refused = explain_whole(lists, many, limits);
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->kind, sdp::kind::count_exceeds_input);
        EXPECT_EQ(refused->offset, many.size() - 1);
        EXPECT_EQ(refused->path.substr(0, 11), "l[0][0][0][");
        EXPECT_FALSE(explain_whole(layout_of("tree"), nested(1'000'000), limits));
    });
}

// A careless walk would take longer than the universe has left.
TEST(explain, takes_linear_time) {
    struct row {
        std::string layout;
        std::vector<std::byte> input;
    };
    const std::uint32_t many = 1 << 20;
    for (const row& of : {
             row{doubling(), std::vector<std::byte>(2)},
             row{layout_of("0 struct a.S; a array 9223372036854775807 u8;"),
                 std::vector<std::byte>(100)},
             row{layout_of("0 struct a.S; a list4 u8; b bool;"), counted(many, 1 << 20)},
             row{big_enum(), counted(many, 2 << 20)},
             row{layout_of("0 struct a.S; t str4;"), counted(many, 2 << 20)},
             row{layout_of("0 struct a.S; a list4 bool; b bool;"), counted(many, 1 << 20)},
         }) {
        const auto start = std::chrono::steady_clock::now();
        (void)explain_whole(of.layout, of.input);
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{20});
    }
}

TEST(explain, finds_nothing_without_layout) {
    const auto input = from_hex("0202");
    for (const char* text : {"", "\n", "0 struct a.S", "0 struct a.S\n a #0\n"}) {
        EXPECT_FALSE(explain_whole(text, input)) << text;
    }
}
