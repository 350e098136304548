#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "defaults.hpp"
#include "sample.hpp"

namespace {

sample::bytes joined(const std::vector<sample::bytes>& parts) {
    sample::bytes all;
    for (const sample::bytes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

sample::bytes of(std::initializer_list<unsigned char> values) {
    sample::bytes all;
    for (const unsigned char value : values) {
        all.push_back(static_cast<std::byte>(value));
    }
    return all;
}

/// A value of all types that hold a message, whose second segment is as it is told.
sample::bytes all_of(const sample::bytes& message) {
    const sample::bytes count = of({3, 0, 0, 0});
    const sample::bytes some = of({1});
    const sample::bytes held =
        joined({message, message, message, some, message, some, of({1, 0, 0, 0, 7})});
    const sample::bytes choices = joined({count, some, message, of({2}), held, of({3}), held});
    const sample::bytes by_name = joined({of({1, 0, 0, 0, 1, 0, 0, 0, 'k'}), message});
    return joined({choices, by_name, count, held, held, held, some, message});
}

const sample::bytes& missing() {
    static const sample::bytes all = all_of(of({1, 0, 0, 0, 7}));
    return all;
}

const sample::bytes& absent() {
    static const sample::bytes all = all_of(of({2, 0, 0, 0, 7, 0}));
    return all;
}

/// Memory of a fixed size, while there is no other.
struct fixed_memory {
    fixed_memory() : before(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {
        options.resource = &resource;
    }
    fixed_memory(const fixed_memory&) = delete;
    fixed_memory& operator=(const fixed_memory&) = delete;
    ~fixed_memory() { std::pmr::set_default_resource(before); }

    std::pmr::memory_resource* before;
    std::array<std::byte, std::size_t{64} << 10> memory{};
    std::pmr::monotonic_buffer_resource resource{memory.data(), memory.size(),
                                                 std::pmr::null_memory_resource()};
    sdp::decode_options options;
};

void expect_defaults(const defaults::pmr::All& value, std::pmr::memory_resource* resource) {
    const auto expect = [&](const defaults::pmr::Maybe& maybe) {
        ASSERT_TRUE(maybe.text.has_value());
        EXPECT_EQ(*maybe.text, defaults::LONG);
        EXPECT_EQ(maybe.text->get_allocator().resource(), resource);
    };
    const auto expect_held = [&](const defaults::pmr::Held& held) {
        expect(held.maybe);
        expect(held.several[1]);
    };
    expect(std::get<1>(value.choices[0].value).value.operator*());
    expect_held(std::get<2>(value.choices[1].value).held);
    expect(value.by_name.at("k"));
    expect_held(value.list[2]);
    expect(*value.list[2].perhaps);
    EXPECT_EQ(value.list[2].always->text.get_allocator().resource(), resource);
    expect(*value.maybe);
    expect_held(value.held);
    EXPECT_EQ(value.always.text, defaults::LONG);
    EXPECT_EQ(value.always.text.get_allocator().resource(), resource);
}

}  // namespace

TEST(Defaults, OfNewValuesTakeTheirMemoryFromTheResource) {
    fixed_memory memory;
    const auto value = sdp::decode<defaults::pmr::All>(missing(), memory.options);
    ASSERT_TRUE(value);
    expect_defaults(*value, &memory.resource);
}

TEST(Defaults, OfValuesThatWereThereTakeTheirMemoryFromTheResource) {
    fixed_memory memory;
    auto value = sdp::decode<defaults::pmr::All>(absent(), memory.options);
    ASSERT_TRUE(value);
    EXPECT_FALSE(value->by_name.at("k").text);
    value->held.maybe.text.reset();
    value->held.several[1].text.reset();
    ASSERT_TRUE(sdp::decode_into(*value, missing(), memory.options));
    expect_defaults(*value, &memory.resource);
}

TEST(Defaults, OfBorrowedValuesTakeNoMemory) {
    fixed_memory memory;
    const auto value = sdp::decode<defaults::MaybeRef>(of({7}), memory.options);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->text, defaults::LONG);
}

TEST(Defaults, OfNewValuesWithAResourceAreTheSchemas) {
    fixed_memory memory;
    const defaults::pmr::Maybe value(&memory.resource);
    EXPECT_EQ(value.text, defaults::LONG);
    EXPECT_EQ(value.text->get_allocator().resource(), &memory.resource);
}
