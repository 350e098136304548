#include "sdp/convert.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "shapes.hpp"

namespace {

/// A list of events, of which each alternative has memory of its own.
template <class Log, class Event>
Log log_of(std::vector<Event> events) {
    Log log;
    for (Event& event : events) {
        log.events.push_back(std::move(event));
    }
    return log;
}

shapes::Log owned_log() {
    shapes::Event renamed;
    renamed.value = shapes::Event::Renamed{"a name that is too long to lie in place"};
    shapes::Event later;
    later.value = sdp::unknown{77, {std::byte{1}, std::byte{2}}};
    shapes::Event stopped;
    stopped.value = shapes::Event::Stopped{};
    return log_of<shapes::Log, shapes::Event>({renamed, later, stopped});
}

TEST(Convert, BorrowedValuesBecomeOwnedOnes) {
    const shapes::Log log = owned_log();
    auto bytes = sdp::encode(log).value();
    const auto borrowed = sdp::decode<shapes::LogRef>(bytes).value();
    const auto copied = sdp::convert<shapes::Log>(borrowed);
    bytes.assign(bytes.size(), std::byte{0xee});  // What was borrowed is gone, what was copied not.
    ASSERT_TRUE(copied.has_value());
    EXPECT_TRUE(*copied == log);
}

TEST(Convert, ValuesTakeTheirMemoryFromTheResourceThatIsNamed) {
    const shapes::Log log = owned_log();
    std::vector<std::byte> memory(4096);
    std::pmr::monotonic_buffer_resource resource(memory.data(), memory.size(),
                                                 std::pmr::null_memory_resource());
    const auto pooled = sdp::convert<shapes::pmr::Log>(log, &resource);
    ASSERT_TRUE(pooled.has_value());
    EXPECT_EQ(pooled->events.get_allocator().resource(), &resource);
    const auto back = sdp::convert<shapes::Log>(*pooled);
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(*back == log);
}

TEST(Convert, WhatHasNoEncodingIsRefusedByItsPath) {
    shapes::Log log = owned_log();
    log.events.emplace_back();
    const auto copied = sdp::convert<shapes::pmr::Log>(log);
    ASSERT_FALSE(copied.has_value());
    EXPECT_EQ(copied.error(), (sdp::error{sdp::kind::value_invalid, std::nullopt, "events[3]"}));
}

TEST(Convert, StringsThatAreNotUtf8AreRefusedWithoutAnOffset) {
    shapes::LogRef log;
    log.events.emplace_back().value = shapes::EventRef::Renamed{"\xff"};
    const auto copied = sdp::convert<shapes::Log>(log);
    ASSERT_FALSE(copied.has_value());
    EXPECT_EQ(copied.error(),
              (sdp::error{sdp::kind::utf8_invalid, std::nullopt, "events[0].Renamed"}));
}

TEST(Convert, ValuesAreNotHeldToTheLimitsOfUntrustedBytes) {
    shapes::Late late;
    late.numbers.resize(sdp::limit_elements + 1);
    const auto bytes = sdp::encode(late).value();
    EXPECT_EQ(sdp::decode<shapes::Late>(bytes).error().kind, sdp::kind::limit_elements);
    const auto copied = sdp::convert<shapes::Late>(late);
    ASSERT_TRUE(copied.has_value());
    EXPECT_TRUE(*copied == late);
}

}  // namespace
