// Messages of any cut, and how connections end.
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "../running.hpp"
#include "peer.hpp"

namespace websocket_tests {

namespace {

bool is_answered(const came& of) { return !of.replies.empty(); }

// [MXP-19.3]
TEST(websocket_messages, are_cut_anywhere) {
    served all;
    peer one{all.at};
    one.opened();
    for (const std::byte byte : one.made()) {
        one.send(binary, {byte});
        one.send(binary, {});
    }
    one.read([&](const came&) { return one.session().ready(); });
    bytes value(100'000);
    for (std::size_t i = 0; i < value.size(); ++i) {
        value[i] = std::byte(i & 0xFFU);
    }
    const bytes made = one.call(value);
    const auto cut = made.begin() + 20'000;
    one.send(binary, {made.begin(), cut}, false);
    one.send(ping, {std::byte{7}});
    one.send(goes_on, {cut, cut + 3}, false);
    one.send(goes_on, {}, false);
    one.send(goes_on, {cut + 3, made.end()});
    const came back = one.read(is_answered);
    ASSERT_EQ(back.replies.size(), 1U);
    EXPECT_TRUE(back.replies[0] == value);
    EXPECT_LE(back.longest, 16U << 10);
    EXPECT_TRUE(all.serves());
}

// A message that promises to be longer than memory is read as it comes. [MXP-19.3]
TEST(websocket_messages, need_not_fit_into_memory) {
    served all;
    for (const std::uint64_t promised :
         {std::uint64_t{1} << 63U, (std::uint64_t{1} << 63U) - 1, ~std::uint64_t{0}}) {
        peer one{all.at};
        one.opened();
        one.begin(binary, promised);
        one.raw(one.made());
        one.read([&](const came&) { return one.session().ready(); });
        for (const std::size_t size : {0U, 1U, 1U << 20U}) {
            one.raw(one.call(bytes(size, std::byte{3})));
            const came back = one.read(is_answered);
            ASSERT_EQ(back.replies.size(), 1U) << size;
            EXPECT_TRUE(back.replies[0] == bytes(size, std::byte{3}));
        }
        EXPECT_LT(all.stats().held_bytes, 1U << 20U);
    }
    EXPECT_TRUE(all.serves());
}

// Masks are RFC 6455's, with any cut.
TEST(websocket_messages, are_unmasked) {
    served all;
    peer one{all.at};
    one.greeted();
    bytes value(50'000, std::byte{0x5A});
    bytes made = one.call(value);
    const bytes key{std::byte{1}, std::byte{0x80}, std::byte{0xFF}, std::byte{0x31}};
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i] ^= key[i % 4];
    }
    bytes frame{std::byte{0x82}, std::byte{0xFE}, std::byte(made.size() >> 8U),
                std::byte(made.size() & 0xFFU)};
    frame.insert(frame.end(), key.begin(), key.end());
    frame.insert(frame.end(), made.begin(), made.end());
    for (std::size_t at = 0; at < frame.size(); at += 777) {
        const std::size_t end = std::min(at + 777, frame.size());
        one.raw({frame.begin() + static_cast<std::ptrdiff_t>(at),
                 frame.begin() + static_cast<std::ptrdiff_t>(end)});
        if (at < 10'000) {
            std::this_thread::sleep_for(1ms);
        }
    }
    const came back = one.read(is_answered);
    ASSERT_EQ(back.replies.size(), 1U);
    EXPECT_TRUE(back.replies[0] == value);
}

// [MXP-19.3]
TEST(websocket_messages, have_small_frames_together) {
    served all;
    peer one{all.at};
    one.greeted();
    bytes calls;
    for (int i = 0; i < 100; ++i) {
        const bytes made = one.call(bytes(10, std::byte{5}));
        calls.insert(calls.end(), made.begin(), made.end());
    }
    one.send(binary, calls);
    const came back = one.read([](const came& of) { return of.replies.size() == 100; });
    EXPECT_EQ(back.replies.size(), 100U);
    EXPECT_LE(back.messages, 10U);
}

// [MXP-19.3]: 1007 is that of RFC 6455 for text that is none.
TEST(websocket_messages, of_text_are_refused) {
    served all;
    const std::vector<std::pair<bytes, int>> texts{
        {bytes_of("hello"), 1003}, {{}, 1003}, {bytes(1, std::byte{0xFF}), 1007}};
    for (const auto& [what, code] : texts) {
        peer one{all.at};
        one.greeted();
        one.send(text, what);
        const came back = one.read([](const came& of) { return of.end.has_value(); });
        EXPECT_EQ(back.end.value_or(0), code);
        one.send(close, {std::byte{3}, std::byte{0xEB}});
        EXPECT_TRUE(one.rest().is_over);
    }
    EXPECT_TRUE(all.has(0));
    EXPECT_TRUE(all.serves());
}

// Frames that RFC 6455 does not let a client send end the connection.
TEST(websocket_messages, of_frames_that_can_be_none_end_the_connection) {
    served all;
    const auto bytes_from = [](std::vector<unsigned> from) {
        bytes made;
        for (const unsigned one : from) {
            made.push_back(std::byte(one));
        }
        return made;
    };
    for (const bytes& bad : {
             // Without a mask, with a bit of an extension, of no kind, too long, and out of turn.
             bytes_from({0x82, 1, 0}),
             bytes_from({0xC2, 0x81, 0, 0, 0, 0, 0}),
             bytes_from({0x83, 0x81, 0, 0, 0, 0, 0}),
             bytes_from({0x89, 0xFE, 0, 126, 0, 0, 0, 0}),
             bytes_from({0x80, 0x81, 0, 0, 0, 0, 0}),
             bytes_from({0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80, 0, 0, 0, 0}),
             bytes_from({0x88, 0x81, 0, 0, 0, 0, 0}),
             bytes_from({0x82, 0xFE, 0, 1, 0, 0, 0, 0, 0}),
         }) {
        peer one{all.at};
        one.greeted();
        const auto begun = std::chrono::steady_clock::now();
        one.raw(bad);
        const came back = one.rest();
        EXPECT_TRUE(back.is_over);
        EXPECT_EQ(back.end.value_or(0), 1002);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
    }
    EXPECT_TRUE(all.has(0));
    EXPECT_TRUE(all.serves());
}

// A peer that ends is answered, and one that pings is, too. [MXP-19.4]
TEST(websocket_messages, of_control_are_answered) {
    served all;
    peer one{all.at};
    one.greeted();
    one.send(ping, {std::byte{1}, std::byte{2}});
    EXPECT_TRUE(one.read([](const came& of) { return of.has_pong; }).has_pong);
    for (int i = 0; i < 10'000; ++i) {
        one.send(pong, {});
    }
    one.send(close, {std::byte{3}, std::byte{0xE8}});
    const came back = one.rest();
    EXPECT_EQ(back.end.value_or(0), 1000);
    EXPECT_TRUE(all.has(0));
}

// A server that ends says so behind all that it has said, and waits for 5 s at most. [MXP-19.4]
TEST(websocket_messages, end_with_the_server) {
    net::server_options how;
    how.limits.linger_us = 300'000;
    for (const bool answers : {true, false}) {
        served all{how};
        peer one{all.at};
        one.greeted();
        std::promise<void> drained;
        const auto begun = std::chrono::steady_clock::now();
        all.ask([&](net::server& of, running::seen&) {
            of.drain("over", 20s, [&] { drained.set_value(); });
            return 0;
        });
        came back = one.read([](const came& of) { return of.end.has_value() || of.drains; });
        EXPECT_TRUE(back.drains);
        if (answers) {
            EXPECT_TRUE(one.session().drain("", 0));
            one.send(binary, one.made());
            EXPECT_EQ(one.rest().end.value_or(0), 1000);
        }
        EXPECT_EQ(drained.get_future().wait_for(20s), std::future_status::ready);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, 7s);
    }
}

// A peer that reads nothing makes the server wait, and is left. [MXP-16.2]
TEST(websocket_messages, that_nobody_reads_end_the_connection) {
    net::server_options how;
    how.limits.stall_us = 300'000;
    served all{how};
    peer one{all.at};
    one.greeted();
    std::size_t most = 0;
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (one.send(binary, one.call(bytes(64 << 10))) && std::chrono::steady_clock::now() < end) {
        most = std::max(most, all.stats().held_bytes);
    }
    EXPECT_LT(std::chrono::steady_clock::now(), end);
    EXPECT_LT(most, 64U << 20U);
    EXPECT_TRUE(all.has(0));
    EXPECT_TRUE(all.serves());
}

}  // namespace

}  // namespace websocket_tests
