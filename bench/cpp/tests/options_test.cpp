#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "command.hpp"

namespace {

TEST(Options, EveryFlagIsUnderstoodInEitherForm) {
    const std::array arguments = {"--once",     "--latency", "--root=/r", "--dataset",
                                  "arrays,b",   "--codec=c", "--case",    "decode",
                                  "--rounds=3", "--sample",  "5"};
    const bench::options parsed = bench::parse(arguments);
    EXPECT_TRUE(parsed.once);
    EXPECT_TRUE(parsed.latency);
    EXPECT_EQ(parsed.root, "/r");
    EXPECT_TRUE(parsed.datasets.has("arrays"));
    EXPECT_TRUE(parsed.datasets.has("b"));
    EXPECT_FALSE(parsed.datasets.has("array"));
    EXPECT_TRUE(parsed.codecs.has("c"));
    EXPECT_FALSE(parsed.codecs.has("d"));
    EXPECT_TRUE(parsed.tasks.has("decode"));
    EXPECT_EQ(parsed.rounds, 3);
    EXPECT_EQ(parsed.sample, std::chrono::milliseconds(5));
}

TEST(Options, WithoutNamesEverythingIsMeant) {
    const bench::options parsed = bench::parse({});
    EXPECT_TRUE(parsed.datasets.all());
    EXPECT_TRUE(parsed.datasets.has("anything"));
    EXPECT_FALSE(parsed.once);
}

TEST(Options, WhatIsNotUnderstoodIsThrown) {
    for (const char* const argument : {"--unknown", "once", "--rounds=x", "--rounds=0",
                                       "--sample=", "--sample=5ms", "--rounds"}) {
        const std::array arguments = {argument};
        EXPECT_THROW(bench::parse(arguments), std::invalid_argument) << argument;
    }
}

TEST(Options, DataSetsThatAreNotThereAreRefused) {
    bench::options with;
    with.datasets = bench::names("nothing");
    EXPECT_THROW(bench::run(with), std::invalid_argument);
}

}  // namespace
