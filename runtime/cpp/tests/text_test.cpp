#include "sdp/shapes_text.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "sdp/decoder.hpp"
#include "sdp/shape.hpp"

namespace {

using sdp::wire::cursor;
using sdp::wire::decoder;
using sdp::wire::text;
using sdp::wire::writer;

/// Longer than any text that has a way of its own.
constexpr std::size_t longest = 40;

std::string text_of(std::size_t n) {
    std::string made;
    for (std::size_t i = 0; i < n; ++i) {
        made.push_back(static_cast<char>('a' + i % 26));
    }
    return made;
}

/// A text of each length is read into strings of all others, with and without bytes behind it.
template <class String>
void read_into(const String& empty) {
    for (std::size_t n = 0; n <= longest; ++n) {
        for (std::size_t before = 0; before <= longest; ++before) {
            for (const std::size_t behind : {std::size_t{0}, std::size_t{1}, longest}) {
                std::vector<std::byte> bytes(4 + n + behind, std::byte{0xff});
                writer w(bytes.data() + 4 + n);
                const std::byte* end = sdp::wire::write<text<4>>(w, bytes.data(), text_of(n), 0);
                ASSERT_EQ(end, bytes.data() + 4 + n);
                String value(before, '-', empty.get_allocator());
                decoder d(bytes.size(), 1, {});
                cursor s{bytes.data(), bytes.data() + bytes.size()};
                ASSERT_TRUE((sdp::wire::read<text<4>>(d, s, value, 0)));
                EXPECT_EQ(value, text_of(n).c_str()) << n << " bytes over " << before;
                EXPECT_EQ(value.c_str()[n], '\0');
                EXPECT_EQ(s.left(), behind);
            }
        }
    }
}

TEST(Text, IsReadIntoStringsOfAnyLength) {
    read_into(std::string());
    std::pmr::monotonic_buffer_resource memory;
    read_into(std::pmr::string(&memory));
}

template <std::size_t Width>
void write_into_any_room() {
    for (std::size_t n = 0; n <= longest; ++n) {
        for (std::size_t room = 0; room <= Width + longest + 1; ++room) {
            std::vector<std::byte> bytes(room + 1, std::byte{0xee});
            writer w(bytes.data() + room);
            const std::byte* end = sdp::wire::write<text<Width>>(w, bytes.data(), text_of(n), 0);
            const bool fits = Width + n <= room;
            EXPECT_EQ(w.refused(), !fits) << n << " bytes into " << room;
            EXPECT_EQ(static_cast<std::size_t>(end - bytes.data()), fits ? Width + n : 0);
            EXPECT_EQ(bytes[room], std::byte{0xee});
        }
    }
}

TEST(Text, IsWrittenWhereThereIsRoom) {
    write_into_any_room<1>();
    write_into_any_room<2>();
    write_into_any_room<4>();
}

TEST(Text, IsRefusedBeyondItsWidthAndItsBound) {
    std::vector<std::byte> bytes(1000);
    const auto refused = [&](auto shape, std::size_t n) {
        writer w(bytes.data() + bytes.size());
        static_cast<void>(sdp::wire::write<decltype(shape)>(w, bytes.data(), text_of(n), 0));
        return w.refused();
    };
    EXPECT_FALSE(refused(text<1>(), 255));
    EXPECT_TRUE(refused(text<1>(), 256));
    EXPECT_FALSE((refused(text<1, 10>(), 10)));
    EXPECT_TRUE((refused(text<1, 10>(), 11)));
    EXPECT_FALSE((refused(text<4, 300>(), 300)));
    EXPECT_TRUE((refused(text<4, 300>(), 301)));
}

}  // namespace
