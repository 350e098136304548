/// The memory that layouts take, once in a process [WIRE-8.9].
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <sdp/sdp.hpp>

namespace {

// The bytes that this thread was given.
thread_local std::size_t allocated = 0;

void* allocate(std::size_t size) noexcept {
    allocated += size;
    return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
    if (void* const memory = allocate(size)) {
        return memory;
    }
    throw std::bad_alloc{};
}
// gcc warns of a mismatch with operator new where it inlines one of the two, as it does for ARM64.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// A text with another behind it that often.
template <std::size_t Times, std::size_t HeadSize, std::size_t LineSize>
constexpr auto lines(const char (&head)[HeadSize], const char (&line)[LineSize]) {
    std::array<char, HeadSize - 1 + Times*(LineSize - 1)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = i < HeadSize - 1 ? head[i] : line[(i - (HeadSize - 1)) % (LineSize - 1)];
    }
    return all;
}

/// A struct of ten fields.
template <std::size_t>
struct part_codec {
    static constexpr std::string_view layout =
        "struct a.Part\n"
        " a opt list4 u32\n b opt list4 u32\n c opt list4 u32\n d opt list4 u32\n"
        " e opt list4 u32\n f opt list4 u32\n g opt list4 u32\n h opt list4 u32\n"
        " i opt list4 u32\n j opt list4 u32\n";
    using layout_types = sdp::wire::codec_list<>;
};

template <std::size_t... Numbers>
sdp::wire::codec_list<part_codec<Numbers>...> part_codecs(std::index_sequence<Numbers...>);

/// The part of generated code that a refusal asks, of a message of that many structs.
template <std::size_t Structs, int Another = 0>
struct codec {
    static constexpr auto block = lines<Structs>("message a.M\n", " part #\n");
    static constexpr std::string_view layout{block.data(), block.size()};
    using layout_types = decltype(part_codecs(std::make_index_sequence<Structs>()));
};

template <class Codec>
std::string text_of() {
    return sdp::wire::join_layout(sdp::wire::part_of<Codec>::value);
}

/// Names the refusal of one byte as a decoder does.
template <class Codec>
sdp::error refused() {
    static constexpr std::array<std::byte, 1> input{std::byte{7}};
    const sdp::decode_options options;
    const sdp::wire::decoder state(input.size(), 1, options);
    const sdp::result<int> answer =
        sdp::wire::refusal(sdp::wire::kept_layout<Codec>(), {input.data(), input.size()}, 0,
                           sdp::wire::mode::whole, options, state);
    return answer.error();
}

const sdp::error want{sdp::kind::presence_invalid, 0, "part.a"};

TEST(kept_layout, is_read_for_the_first_refusal_only) {
    using wide = codec<120>;
    std::size_t before = allocated;
    EXPECT_EQ(refused<wide>(), want);
    EXPECT_LE(allocated - before, 16 * text_of<wide>().size() + 4096);
    before = allocated;
    EXPECT_EQ(refused<wide>(), want);
    EXPECT_LE(allocated - before, 1024U);
}

TEST(kept_layout, is_the_same_for_many_threads) {
    std::vector<std::thread> threads;
    std::vector<std::vector<sdp::error>> said(16);
    for (std::size_t i = 0; i < said.size(); ++i) {
        threads.emplace_back([i, &of = said[i]] {
            // Some begin with one layout, some with another.
            for (std::size_t turn = i; turn < i + 2; ++turn) {
                of.push_back(turn % 2 == 0 ? refused<codec<120, 1>>() : refused<codec<3>>());
            }
        });
    }
    for (std::thread& one : threads) {
        one.join();
    }
    for (const auto& of : said) {
        EXPECT_EQ(of, (std::vector<sdp::error>{want, want}));
    }
}

struct leaf_codec;

struct kind_codec {
    static constexpr std::string_view layout = "enum a.Kind u8\n";
    using layout_types = sdp::wire::codec_list<>;
};

struct tree_codec {
    static constexpr std::string_view layout =
        "message a.Tree\n kind #\n kids list4 #\n by map4 # #\n@2\n also #\n";
    using layout_types =
        sdp::wire::codec_list<kind_codec, tree_codec, kind_codec, leaf_codec, leaf_codec>;
};

struct leaf_codec {
    static constexpr std::string_view layout = "struct a.Leaf\n tree opt #\n kind #\n";
    using layout_types = sdp::wire::codec_list<tree_codec, kind_codec>;
};

// A text that is asked for before the program runs.
const std::string text_of_leaf = text_of<leaf_codec>();

// [EVO-5.2]
TEST(layout_text, numbers_types_depth_first) {
    EXPECT_EQ(text_of<tree_codec>(),
              "0 message a.Tree\n kind #1\n kids list4 #0\n by map4 #1 #2\n@2\n also #2\n"
              "1 enum a.Kind u8\n2 struct a.Leaf\n tree opt #0\n kind #1\n");
    EXPECT_EQ(text_of_leaf,
              "0 struct a.Leaf\n tree opt #1\n kind #2\n"
              "1 message a.Tree\n kind #2\n kids list4 #1\n by map4 #2 #0\n@2\n also #0\n"
              "2 enum a.Kind u8\n");
}

TEST(layout_text, has_numbers_of_any_length) {
    const std::string text = text_of<codec<120>>();
    EXPECT_NE(text.find(" part #9\n part #10\n"), text.npos);
    EXPECT_NE(text.find(" part #120\n1 struct a.Part\n"), text.npos);
    EXPECT_NE(text.find("\n120 struct a.Part\n a opt"), text.npos);
}

std::string repeat(int n, std::string_view line) {
    std::string text;
    for (int i = 0; i < n; ++i) {
        text += line;
    }
    return text;
}

// Of each kind of line, the shortest: it costs the most for its bytes.
TEST(kept_layout, takes_sixteen_bytes_for_each_of_its_own) {
    constexpr int n = 10'000;
    std::string tags = "0 union U\n";
    for (int tag = 1; tag <= 255; ++tag) {
        tags += " A " + std::to_string(tag) + "\n";
    }
    std::string blocks = "0 struct S\n";
    for (int i = 1; i <= n; ++i) {
        blocks += std::to_string(i) + " struct S\n";
    }
    for (const std::string& text : {
             "0 struct S\n" + repeat(n, " a u8\n"),
             "0 struct S\n" + repeat(n, " a #1\n") + "1 struct T\n b u8\n",
             "0 struct S\n" + repeat(n, " a opt opt opt u8\n"),
             "0 struct S\n" + repeat(n, " a array 9 u8\n"),
             "0 struct S\n" + repeat(n, " a map4 u8 u8\n"),
             "0 struct S\n1 enum E u8 closed\n" + repeat(n, " A 1\n"),
             "0 struct S\n1 enum E u8\n" + repeat(n, " A 1\n"),
             tags,
             blocks,
         }) {
        const std::size_t before = allocated;
        const auto table = sdp::wire::walk::parse_layout(text);
        EXPECT_LE(allocated - before, 16 * text.size() + 4096) << text.substr(0, 40);
        EXPECT_TRUE(table) << text.substr(0, 40);
    }
}

// Structs without bytes are not walked, except for a struct that lies too deep.
TEST(explain, refuses_the_depth_of_structs_without_bytes_where_it_is) {
    constexpr std::string_view layout =
        "0 struct S\n a #4\n b #1\n c #2\n1 struct T\n x #4\n y #2\n2 struct U\n z #3\n"
        "3 struct V\n4 struct W\n";
    const auto said = [&](std::size_t depth) {
        sdp::limits limits;
        limits.depth = depth;
        return sdp::wire::explain(layout, {}, 0, sdp::wire::mode::whole, false, limits, {});
    };
    const std::array<std::string, 4> paths{"", "a", "b.x", "b.y.z"};
    for (std::size_t depth = 0; depth < paths.size(); ++depth) {
        EXPECT_EQ(said(depth), (sdp::error{sdp::kind::limit_depth, 0, paths[depth]})) << depth;
    }
    EXPECT_FALSE(said(paths.size()));
}

}  // namespace
