// Counts what sessions allocate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "pair.hpp"

namespace {

std::size_t count = 0;
std::size_t total = 0;

void* counted(std::size_t n) {
    ++count;
    total += n;
    void* const made = std::malloc(n == 0 ? 1 : n);
    if (made == nullptr) {
        std::abort();
    }
    return made;
}

}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace ms = mxp::session;

namespace {

/// Has two sessions say much to each other, at first to make room for it.
void talk(const ms::config& config, std::size_t told) {
    pair::two t{config, config};
    t.met();
    ASSERT_TRUE(t.a.session.open({}, {}, false, std::string_view{}, 0));
    t.to_b();
    ASSERT_TRUE(t.b.session.grant(1, {1'000'000, 1'000'000'000}, 0));
    t.to_a();
    ms::batch batch;
    const std::string value(100, 'x');
    std::size_t events = 0;
    std::size_t bytes = 0;
    const auto round = [&] {
        for (int i = 0; i < 10; ++i) {
            for (int k = 0; k < 3; ++k) {
                events += t.a.session.event({}, false, ms::when_full::refuse, value, 0) ? 1U : 0U;
            }
            for (int k = 0; k < 3; ++k) {
                events += t.a.session.chunk(1, false, false, value, 0) ? 1U : 0U;
            }
            const auto id = t.a.session.call({}, value, 0);
            events += id && t.a.session.cancel(*id, 0) ? 1U : 0U;
        }
        while (t.a.session.next()) {
        }
        t.a.session.poll_batch(batch, 0);
        batch.each([&](mxp::bytes_view piece) {
            while (const auto one = t.b.session.receive(piece, 0)) {
                ++events;
                if (const auto* const chunks = std::get_if<ms::in::chunks>(&*one)) {
                    for (const mxp::bytes_view each : chunks->values) {
                        bytes += each.size();
                    }
                }
            }
        });
    };
    for (int i = 0; i < 4; ++i) {
        round();
    }
    const std::size_t before = count;
    events = 0;
    for (int i = 0; i < 100; ++i) {
        round();
    }
    EXPECT_EQ(count - before, 0U);
    EXPECT_EQ(events, 100U * 10 * (7 + told));
    EXPECT_EQ(bytes, config.offers_batches ? 104U * 10 * 3 * 100 : 0U);
}

}  // namespace

TEST(allocations, are_none_for_small_frames) { talk(pair::serving(), 6); }

// [MXP-17.1]
TEST(allocations, are_none_for_batches) {
    ms::config config = pair::serving();
    config.offers_batches = true;
    talk(config, 2);
}

// Layouts of a peer's types may name a long name often, and a service that this side has methods
// of; their memory is bounded by the sum of both sides, not by their product. [EVO-5.7] [MXP-6.8]
TEST(allocations, of_hostile_layouts_are_few) {
    ms::config here;
    here.types = {{"a.T", {1}, "0 struct a.T\n x u8\n", {}, {}}};
    for (std::uint16_t number = 0; number < 200; ++number) {
        here.types[0].requests.push_back({"a.S", number, "m"});
    }
    // Names are half of the text, and a field's type the other.
    std::string layout = "0 struct a.T\n x";
    for (int i = 0; i < 10'000; ++i) {
        layout += " #1";
    }
    layout += "\n1 struct " + std::string(32'000, 'n');
    ms::config there;
    there.types = {{"a.T", {2}, layout + "\n", {{"a.S", 0, "m"}}, {}}};
    there.services.assign(65'536, "a.S");
    pair::two t{here, there};
    const auto greeting = t.b.give(0);
    t.b.take(t.a.give(0), 0);
    const auto layouts = t.b.give(0);
    const std::size_t before = total;
    for (const auto* const said : {&greeting, &layouts}) {
        mxp::bytes_view input{said->data(), said->size()};
        while (t.a.session.receive(input, 0)) {
        }
    }
    EXPECT_LT(total - before, 32U << 20U);
    EXPECT_TRUE(t.a.session.ready());
    ASSERT_EQ(t.a.session.differences().size(), 200U);
    EXPECT_EQ(t.a.session.differences()[0].text.size(), 400U);
}
