/// How much stack decoding takes.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "generated/depths/depths.hpp"
#include "sdp/json.hpp"

namespace {

/// Runs a function in a thread whose stack is filled with one byte before, and returns how much of
/// it is another one then.
template <class Run>
[[nodiscard]] std::size_t stack_of(Run run) {
    constexpr std::size_t size = std::size_t{4} << 20;
    constexpr unsigned char untouched = 0x5a;
    struct free_it {
        void operator()(unsigned char* memory) const noexcept { std::free(memory); }
    };
    const std::unique_ptr<unsigned char, free_it> stack(
        static_cast<unsigned char*>(std::aligned_alloc(4096, size)));
    std::fill_n(stack.get(), size, untouched);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack.get(), size);
    pthread_t thread;
    const auto start = [](void* of) -> void* {
        (*static_cast<Run*>(of))();
        return nullptr;
    };
    EXPECT_EQ(pthread_create(&thread, &attributes, start, &run), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    // The stack grows down.
    const unsigned char* end = stack.get() + size;
    return static_cast<std::size_t>(
        end - std::find_if(stack.get(), stack.get() + size,
                           [](unsigned char one) { return one != untouched; }));
}

/// Bytes of a value that is nested as often as `levels`, each level being `step`.
[[nodiscard]] std::string nested(const std::string& step, std::size_t levels,
                                 const std::string& last) {
    std::string bytes;
    for (std::size_t i = 1; i < levels; ++i) {
        bytes += step;
    }
    return bytes + last;
}

/// The same where each level is behind its length.
[[nodiscard]] std::string framed(const std::string& step, std::size_t levels,
                                 const std::string& last) {
    std::string bytes = last;
    for (std::size_t i = 1; i < levels; ++i) {
        const auto n = static_cast<std::uint32_t>(bytes.size());
        std::string length;
        for (unsigned at = 0; at < 32; at += 8) {
            length.push_back(static_cast<char>(n >> at & 0xff));
        }
        bytes = step + length + bytes;
    }
    return bytes;
}

constexpr std::size_t most = std::size_t{256} << 10;
constexpr std::size_t deepest = 64;

/// Decodes bytes in every form, once as deep as may be and once deeper.
template <class Owned, class Borrowed, class Pooled, class View, class Make>
void expect_little_stack(Make make) {
    for (const std::size_t levels : {deepest, deepest + 1}) {
        const std::string bytes = make(levels);
        const bool good = levels == deepest;
        bool as_told = false;
        const std::size_t taken = stack_of([&] {
            as_told = sdp::decode<Owned>(bytes).has_value() == good &&
                      sdp::decode<Borrowed>(bytes).has_value() == good &&
                      sdp::decode<Pooled>(bytes).has_value() == good &&
                      sdp::decode<View>(bytes).has_value() == good;
        });
        EXPECT_TRUE(as_told) << Owned::sdp_codec::name << " at depth " << levels;
        EXPECT_LE(taken, most) << Owned::sdp_codec::name << " at depth " << levels;
    }
}

}  // namespace

// [WIRE-8.8]
TEST(Stack, DecodingTakesLittleAtTheDeepest) {
    const auto structs = [](std::size_t n) { return nested("\1", n, std::string(1, '\0')); };
    expect_little_stack<depths::S, depths::SRef, depths::pmr::S, depths::SView>(structs);
    const auto messages = [](std::size_t n) { return framed("\1", n, std::string(1, '\0')); };
    expect_little_stack<depths::M, depths::MRef, depths::pmr::M, depths::MView>(messages);
    const std::string done("\2\0\0\0\0", 5);
    const auto unions = [&](std::size_t n) { return framed("\1", n, done); };
    expect_little_stack<depths::U, depths::URef, depths::pmr::U, depths::UView>(unions);
    const auto closed = [](std::size_t n) { return nested("\1", n, "\2"); };
    expect_little_stack<depths::C, depths::CRef, depths::pmr::C, depths::CView>(closed);
    const auto lists = [](std::size_t n) {
        return nested(std::string("\1\0\0\0", 4), n, std::string(4, '\0'));
    };
    expect_little_stack<depths::L, depths::LRef, depths::pmr::L, depths::LView>(lists);
    const auto maps = [](std::size_t n) {
        return nested(std::string("\1\0\0\0\7", 5), n, std::string(4, '\0'));
    };
    expect_little_stack<depths::D, depths::DRef, depths::pmr::D, depths::DView>(maps);
}
