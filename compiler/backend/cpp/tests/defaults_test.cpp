#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "defaults.hpp"

namespace {

using bytes = std::vector<std::byte>;

bytes joined(const std::vector<bytes>& parts) {
    bytes all;
    for (const bytes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

bytes of(std::initializer_list<unsigned char> values) {
    bytes all;
    for (const unsigned char value : values) {
        all.push_back(static_cast<std::byte>(value));
    }
    return all;
}

/// A value of all types that hold a message, whose second segment is as it is told.
bytes all_of(const bytes& message) {
    const bytes count = of({3, 0, 0, 0});
    const bytes some = of({1});
    const bytes held =
        joined({message, message, message, some, message, some, of({1, 0, 0, 0, 7})});
    const bytes choices = joined({count, some, message, of({2}), held, of({3}), held});
    const bytes by_name = joined({of({1, 0, 0, 0, 1, 0, 0, 0, 'k'}), message});
    return joined({choices, by_name, count, held, held, held, some, message});
}

const bytes& missing() {
    static const bytes all = all_of(of({1, 0, 0, 0, 7}));
    return all;
}

const bytes& absent() {
    static const bytes all = all_of(of({2, 0, 0, 0, 7, 0}));
    return all;
}

/// Memory of a fixed size, while there is no other.
struct room {
    room() : before(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {
        options.resource = &resource;
    }
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room() { std::pmr::set_default_resource(before); }

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
    room room;
    const auto value = sdp::decode<defaults::pmr::All>(missing(), room.options);
    ASSERT_TRUE(value);
    expect_defaults(*value, &room.resource);
}

TEST(Defaults, OfValuesThatWereThereTakeTheirMemoryFromTheResource) {
    room room;
    auto value = sdp::decode<defaults::pmr::All>(absent(), room.options);
    ASSERT_TRUE(value);
    EXPECT_FALSE(value->by_name.at("k").text);
    value->held.maybe.text.reset();
    value->held.several[1].text.reset();
    ASSERT_TRUE(sdp::decode_into(*value, missing(), room.options));
    expect_defaults(*value, &room.resource);
}

TEST(Defaults, OfBorrowedValuesTakeNoMemory) {
    room room;
    const auto value = sdp::decode<defaults::MaybeRef>(of({7}), room.options);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->text, defaults::LONG);
}

TEST(Defaults, OfNewValuesWithAResourceAreTheSchemas) {
    room room;
    const defaults::pmr::Maybe value(&room.resource);
    EXPECT_EQ(value.text, defaults::LONG);
    EXPECT_EQ(value.text->get_allocator().resource(), &room.resource);
}
