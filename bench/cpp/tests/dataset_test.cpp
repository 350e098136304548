#include <bit>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "dataset/arrays.hpp"
#include "dataset/plugins.hpp"
#include "dataset/primitives.hpp"
#include "dataset/sum.hpp"

namespace {

const std::filesystem::path data = "../data";

// FNV-1a over the numbers as 32 bits each, lowest byte first.
std::uint64_t digest(std::span<const std::uint32_t> numbers) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::uint32_t number : numbers) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (number >> shift & 0xffU)) * 0x100000001b3U;
        }
    }
    return hash;
}

TEST(Dataset, RegistryHoldsWhatTheFileSays) {
    const bench::plugin_registry registry = bench::plugin_registry::load(data);
    std::size_t parameters = 0;
    for (const bench::plugin& each : registry.plugins) {
        parameters += each.parameters.size();
    }
    EXPECT_EQ(registry.plugins.size(), 62U);
    EXPECT_EQ(parameters, 1759U);
    EXPECT_EQ(registry.total_plugin_count, 62U);
    EXPECT_EQ(registry.total_parameter_count, 1759U);
    EXPECT_EQ(registry.plugins[0].parameters[1].min_value, 0.015625F);
}

// The numbers come from Python's own reading of the same file.
TEST(Dataset, ArraysAreReadBitByBitAsElsewhere) {
    const bench::frame frame = bench::frame::load(data);
    ASSERT_EQ(frame.samples.size(), 4096U);
    ASSERT_EQ(frame.indices.size(), 4096U);
    std::vector<std::uint32_t> bits;
    for (const float sample : frame.samples) {
        bits.push_back(std::bit_cast<std::uint32_t>(sample));
    }
    EXPECT_EQ(digest(bits), 0xc9b8f633842d9d71U);
    EXPECT_EQ(digest(frame.indices), 0xf6649ba1cebed7e4U);
}

// The numbers were added up by Python from the same files, by the rule that holds for all
// languages.
TEST(Dataset, ChecksumsAreThoseOfTheOtherLanguages) {
    EXPECT_EQ(bench::plugin_registry::load(data).sum(), 6004459933528U);
    EXPECT_EQ(bench::frame::load(data).sum(), 17383142334604U);
    EXPECT_EQ(bench::primitives::load(data).sum(), 6215372448137415952U);
}

TEST(Dataset, FilesThatAreMissingAreNamed) {
    try {
        bench::frame::load("nowhere");
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& flaw) {
        EXPECT_STREQ(flaw.what(), "nowhere/arrays.json can't be read");
    }
}

TEST(Checksum, EveryKindOfFieldChangesIt) {
    bench::checksum sum;
    sum.unsigned_number(7);
    EXPECT_EQ(sum.value(), 7U);
    sum.signed_number(-2);
    EXPECT_EQ(sum.value(), 5U);
    sum.float_number(1);
    EXPECT_EQ(sum.value(), 5U + 0x3f800000U);
    sum.float_number(-1);
    sum.double_number(1);
    EXPECT_EQ(sum.value(), 5U + 0x3f800000U + 0xbf800000U + 0x3ff0000000000000U);
    const std::uint64_t before = sum.value();
    sum.flag(true);
    sum.flag(false);
    sum.text("");
    sum.text("ab");
    EXPECT_EQ(sum.value(), before + 1 + 2 + 'b');
}

}  // namespace
