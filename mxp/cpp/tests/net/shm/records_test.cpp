// The records of a channel's handover.
#include "channels.hpp"

namespace record_tests {

namespace {

using namespace sharing;
namespace shm = net::detail::shm;

[[nodiscard]] shm::open_request an_opening() {
    return {"demo.Desk",
            0x0102,
            {net::delivery::queue, 24, 0x1111'2222'3333'4444},
            {net::delivery::latest, 114'688, 0x5555'6666'7777'8888}};
}

[[nodiscard]] bool is_same(const shm::form& a, const shm::form& b) {
    return a.delivery == b.delivery && a.bytes == b.bytes && a.fingerprint == b.fingerprint;
}

void expect_same(const shm::open_request& a, const shm::open_request& b) {
    EXPECT_EQ(a.service, b.service);
    EXPECT_EQ(a.method, b.method);
    EXPECT_TRUE(is_same(a.requests, b.requests) && is_same(a.responses, b.responses));
}

/// Puts letters somewhere.
void put(shm::record& into, std::size_t place, std::string_view letters) {
    std::copy(letters.begin(), letters.end(), into.begin() + static_cast<std::ptrdiff_t>(place));
}

// [MXP-18.12]: the bytes that the specification gives.
TEST(record, an_opening_has_its_bytes) {
    shm::record want{};
    put(want, 0, {"MXPC\1\0\1\x09\2\1", 10});
    put(want, 16, {"\x18\0\0\0\0\xc0\1\0", 8});
    put(want, 24, "\x44\x44\x33\x33\x22\x22\x11\x11\x88\x88\x77\x77\x66\x66\x55\x55");
    put(want, 64, "demo.Desk");
    EXPECT_EQ(*shm::encode(an_opening()), want);
    expect_same(*shm::decode_opening(want), an_opening());
}

TEST(record, names_of_all_lengths_have_their_place_but_none_and_longer_ones) {
    for (const auto& [n, fits] : std::vector<std::pair<std::size_t, bool>>{
             {0, false}, {1, true}, {255, true}, {256, false}}) {
        auto one = an_opening();
        one.service = std::string(n, 'x');
        const auto made = shm::encode(one);
        ASSERT_EQ(made.has_value(), fits) << n;
        if (made) {
            expect_same(*shm::decode_opening(*made), one);
        }
    }
}

// [MXP-18.13]: each byte that is not the opener's choice is looked at.
TEST(record, an_opening_with_another_byte_where_there_is_no_choice_is_none) {
    const auto good = *shm::encode(an_opening());
    std::vector<std::pair<std::size_t, unsigned char>> all{
        {5, 2}, {6, 255}, {7, 0}, {7, 8}, {64, 0xff}};
    for (std::size_t at = 0; at < good.size(); ++at) {
        if (at < 5 || (at >= 10 && at < 16) || (at >= 40 && at < 64) || at >= 73) {
            all.emplace_back(at, static_cast<unsigned char>(good[at] ^ 1U));
        }
    }
    for (const auto& [at, byte] : all) {
        auto changed = good;
        changed[at] = byte;
        EXPECT_FALSE(shm::decode_opening(changed)) << at;
    }
}

[[nodiscard]] net::failure a_refusal() {
    net::failure why;
    why.status = ms::status::Unimplemented;
    why.name = "channel_unknown";
    why.text = "not here";
    why.acted = false;
    return why;
}

[[nodiscard]] std::string repeated(std::string_view what, std::size_t n) {
    std::string made;
    for (std::size_t i = 0; i < n; ++i) {
        made += what;
    }
    return made;
}

TEST(record, an_answer_is_read_as_it_was_written_and_cut_where_it_is_too_long) {
    EXPECT_FALSE(*shm::decode_answer(shm::granted(), false));
    const auto no = shm::encode_refusal(a_refusal());
    EXPECT_EQ(std::string(no.begin() + 5, no.begin() + 31), "\x0c\x0f\x08"
                                                            "channel_unknownnot here");
    const auto read = shm::decode_answer(no, true);
    ASSERT_TRUE(read && *read);
    EXPECT_EQ((*read)->status, ms::status::Unimplemented);
    EXPECT_EQ((*read)->name, "channel_unknown");
    EXPECT_EQ((*read)->text, "not here");
    EXPECT_FALSE((*read)->acted);
    net::failure longer = a_refusal();
    longer.status = static_cast<ms::status>(999);
    longer.name = repeated("ä", 100);
    longer.text = repeated("ö", 500) + "\xff";
    const auto cut = shm::decode_answer(shm::encode_refusal(longer), true);
    ASSERT_TRUE(cut && *cut);
    EXPECT_EQ((*cut)->status, ms::status::Unknown);
    EXPECT_LE((*cut)->name.size(), 64U);
    EXPECT_GE((*cut)->name.size(), 60U);
    EXPECT_LE((*cut)->text.size(), 248U);
    EXPECT_GE((*cut)->text.size(), 244U);
}

TEST(record, an_answer_that_contradicts_itself_or_its_offer_is_none) {
    const auto yes = shm::granted();
    const auto no = shm::encode_refusal(a_refusal());
    const auto changed = [](shm::record bytes, std::size_t at, unsigned char byte) {
        bytes[at] = byte;
        return bytes;
    };
    for (const auto& [bytes, is_refused] :
         std::vector<std::pair<shm::record, bool>>{{yes, true},
                                                   {no, false},
                                                   {changed(yes, 0, 0), false},
                                                   {changed(yes, 4, 2), false},
                                                   {changed(yes, 6, 1), false},
                                                   {changed(yes, 319, 1), false},
                                                   {changed(no, 6, 65), true},
                                                   {changed(no, 7, 249), true},
                                                   {changed(no, 7, 1), true},
                                                   {changed(no, 8, 0xff), true},
                                                   {changed(no, 319, 1), true}}) {
        EXPECT_FALSE(shm::decode_answer(bytes, is_refused));
    }
}

// [MXP-18.14].
TEST(slots, they_are_as_many_as_strides_fit_into_a_ring) {
    const auto of = [](std::uint32_t bytes) { return shm::form{{}, bytes, 0}; };
    EXPECT_EQ(shm::ring_for(of(14), 0), std::size_t{4096});
    EXPECT_EQ(shm::ring_for(of(14), 65), std::size_t{8192});
    EXPECT_EQ(shm::ring_for(of(114'688), 4), std::size_t{1} << 19);
    EXPECT_EQ(shm::ring_for(of(1U << 28), 4), std::size_t{1} << 30);
    for (const auto& [bytes, capacity] :
         std::vector<std::pair<std::uint32_t, std::size_t>>{{0, 4},
                                                            {(1U << 28) + 1, 4},
                                                            {~std::uint32_t{0}, 4},
                                                            {14, (std::size_t{1} << 24) + 1},
                                                            {14, ~std::size_t{0}}}) {
        EXPECT_FALSE(shm::ring_for(of(bytes), capacity)) << bytes;
    }
    EXPECT_FALSE(shm::slots::of(of(1025), 4096));
    const auto four = shm::slots::of(of(1024), 4096);
    ASSERT_TRUE(four);
    EXPECT_EQ(four->count, 4U);
    EXPECT_EQ(four->place(7), 3072U);
    EXPECT_EQ(four->behind(3072), 0U);
    EXPECT_EQ(shm::slots::of(of(65), 4096)->count, 32U);
}

}  // namespace

}  // namespace record_tests
