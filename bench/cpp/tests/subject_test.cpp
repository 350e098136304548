#include "subject.hpp"

#include <gtest/gtest.h>

#include "dataset/sum.hpp"

namespace {

using bench::byte_span;
using bench::task;

// A value that is its own encoding.
struct letters {
    std::vector<std::byte> bytes;

    bool operator==(const letters&) const = default;

    std::uint64_t sum() const { return sum_of(bytes); }

    static std::uint64_t sum_of(byte_span bytes) {
        bench::checksum sum;
        for (const std::byte each : bytes) {
            sum.unsigned_number(std::to_integer<std::uint64_t>(each));
        }
        return sum.value();
    }
};

bench::subject_builder<letters> start() {
    const auto data =
        std::make_shared<const letters>(letters{std::vector<std::byte>(64, std::byte('a'))});
    return {"own", "1", data, data->bytes};
}

// Whether what was built runs, and agrees with the data, at its first and its second time.
bool agrees(bench::subject_builder<letters> builder) {
    const bench::subject built = std::move(builder).done();
    EXPECT_EQ(built.entries.size(), 1U);
    bench::operation& how = *built.entries[0].how;
    how.run(2);
    const bool first = !how.verify();
    EXPECT_EQ(first, !how.verify());
    return first;
}

// One task of a codec that does right, or that loses the last byte.
bool agrees(task what, bool loses) {
    bench::subject_builder<letters> builder = start();
    const auto part = [loses](byte_span bytes) {
        const byte_span rest = bytes.first(bytes.size() - (loses ? 1 : 0));
        return letters{{rest.begin(), rest.end()}};
    };
    const auto into = [part](letters& value, byte_span bytes) { value = part(bytes); };
    const auto itself = [](const letters& value) -> const letters& { return value; };
    const auto its_bytes = [](const letters& value) { return byte_span(value.bytes); };
    const byte_span bytes = builder.bytes();
    switch (what) {
    case task::encode_fresh:
        builder.encode_fresh(
            what, bytes, [=] { return part(bytes); }, its_bytes);
        break;
    case task::encode_reused:
        builder.encode_reused(
            what, bytes, letters(), [=](letters& value) { into(value, bytes); }, its_bytes);
        break;
    case task::decode_fresh:
        builder.decode_fresh(what, bytes, part, itself);
        break;
    case task::decode_reused:
        builder.decode_reused(what, letters(), into, itself);
        break;
    case task::read:
        builder.read(what, [part](byte_span from) { return part(from).sum(); });
        break;
    case task::read_borrowed:
        builder.read_reused(what, letters(), [into](letters& value, byte_span from) {
            into(value, from);
            return value.sum();
        });
        break;
    default:
        builder.copy(
            what, builder.data(), [part](const letters& from) { return part(from.bytes); }, itself);
    }
    return agrees(std::move(builder));
}

TEST(Subject, VerificationSeesALostByte) {
    for (const task what : {task::encode_fresh, task::encode_reused, task::decode_fresh,
                            task::decode_reused, task::read, task::read_borrowed, task::clone}) {
        EXPECT_TRUE(agrees(what, false)) << bench::name(what);
        EXPECT_FALSE(agrees(what, true)) << bench::name(what);
    }
}

TEST(Subject, VerificationSeesAValidatorThatRefuses) {
    bench::subject_builder<letters> accepting = start();
    accepting.access([](byte_span bytes) { return bytes.size() == 64; });
    EXPECT_TRUE(agrees(std::move(accepting)));
    bench::subject_builder<letters> refusing = start();
    refusing.access([](byte_span) { return false; });
    EXPECT_FALSE(agrees(std::move(refusing)));
}

TEST(Subject, ValidatorThatAcceptsEverythingIsSeen) {
    bench::subject_builder<letters> builder = start();
    EXPECT_THROW(builder.access([](byte_span) { return true; }), std::logic_error);
}

}  // namespace
