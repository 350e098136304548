#include "results.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

TEST(Results, QuantilesInterpolateBetweenRanks) {
    const bench::nanosecond_samples one({7});
    EXPECT_EQ(one.p10, 7);
    EXPECT_EQ(one.median, 7);
    EXPECT_EQ(one.p90, 7);
    const bench::nanosecond_samples two({10, 0});
    EXPECT_EQ(two.p10, 1);
    EXPECT_EQ(two.median, 5);
    EXPECT_EQ(two.p90, 9);
    const bench::nanosecond_samples four({4, 1, 2, 3});
    EXPECT_DOUBLE_EQ(four.p10, 1.3);
    EXPECT_EQ(four.median, 2.5);
    EXPECT_DOUBLE_EQ(four.p90, 3.7);
}

TEST(Results, SamplesStayInTheOrderOfTheirRounds) {
    const std::vector<double> samples = {3, 1, 2};
    EXPECT_EQ(bench::nanosecond_samples(samples).samples, samples);
}

bench::results made_up() {
    bench::results of{.dataset = "arrays",
                      .date = "2026-01-02",
                      .commit = "0123456789ab",
                      .where = {"x", 2, 0.5},
                      .records = {},
                      .latencies = {}};
    of.records.push_back({"decode",
                          "decode_arena",
                          "sdp-pmr",
                          "1.2.3",
                          10,
                          bench::nanosecond_samples(std::vector<double>(15, 2.5)),
                          {3, 40}});
    return of;
}

TEST(Results, FileHasTheFormOfAllLanguages) {
    const nlohmann::json file = nlohmann::json::parse(made_up().text());
    EXPECT_EQ(file.at("language"), "cpp");
    EXPECT_EQ(file.at("dataset"), "arrays");
    EXPECT_FALSE(file.contains("latencies"));
    const nlohmann::json& record = file.at("records").at(0);
    EXPECT_EQ(record.at("case"), "decode_arena");
    EXPECT_EQ(record.at("ns").at("median"), 2.5);
    EXPECT_EQ(record.at("allocations"), 3);
    EXPECT_EQ(record.at("allocated_bytes"), 40);
    EXPECT_EQ(record.at("heap").at("mode"), "none");
}

TEST(Results, LatenciesAreAddedWhereTheyWereMeasured) {
    bench::results of = made_up();
    of.latencies.push_back({"decode_arena", "sdp-pmr", {1'000'000, 20, 30, 40, {0, 0}}});
    const nlohmann::json file = nlohmann::json::parse(of.text());
    EXPECT_EQ(file.at("latencies").at(0),
              nlohmann::json::parse(R"({"case": "decode_arena", "codec": "sdp-pmr",
                  "operations": 1000000, "median": 20.0, "p99": 30.0, "worst": 40.0, "allocations": 0})"));
}

TEST(Results, FileIsNamedByLanguageAndDataSet) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
    made_up().write(folder);
    std::ifstream in(folder / "cpp-arrays.json");
    std::ostringstream text;
    text << in.rdbuf();
    EXPECT_EQ(text.str(), made_up().text());
    EXPECT_THROW(made_up().write(folder / "missing"), std::runtime_error);
}

TEST(Results, MachineAndCommitAreTold) {
    const bench::results of = bench::here("../..", "arrays");
    EXPECT_GE(of.commit.size(), 12U);
    EXPECT_EQ(of.date.size(), 10U);
    EXPECT_GE(of.where.cores, 1U);
    EXPECT_FALSE(of.where.cpu.empty());
    EXPECT_THROW(bench::here("/nowhere", "arrays"), std::runtime_error);
}

}  // namespace
