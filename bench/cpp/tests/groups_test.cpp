#include "groups.hpp"

#include <algorithm>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

namespace {

using bench::task;

// Does next to nothing.
class counting final : public bench::operation {
   public:
    void run(std::uint64_t times) override {
        for (std::uint64_t i = 0; i < times; ++i) {
            done_ = done_ + 1;
        }
    }

    bench::flaw verify() override { return {}; }

   private:
    volatile std::uint64_t done_ = 0;
};

bench::subject codec(std::string name, std::initializer_list<task> tasks) {
    bench::subject made;
    made.codec = std::move(name);
    for (const task what : tasks) {
        made.entries.push_back({what, std::make_unique<counting>()});
    }
    return made;
}

const bench::group& group(std::string_view name) {
    return *std::ranges::find(bench::groups(), name, &bench::group::name);
}

// The records, each as its codec and case.
std::string measured(std::string_view name, std::string_view cases) {
    std::vector<bench::subject> subjects;
    subjects.push_back(codec("a", {task::encode_fresh, task::encode_fresh_message}));
    subjects.push_back(codec("b", {task::encode_fresh, task::decode_fresh, task::decode_arena}));
    bench::options with;
    with.rounds = 1;
    with.sample = std::chrono::milliseconds(1);
    with.tasks = bench::names(cases);
    std::ostringstream all;
    for (const bench::record& each : bench::measure_group(group(name), subjects, with)) {
        all << each.codec << '.' << each.task << '*' << each.ns.samples.size() << ' ';
    }
    return all.str();
}

TEST(Groups, CodecsTakePartWithTheCasesThatTheyHave) {
    EXPECT_EQ(measured("encode_fresh", ""), "a.encode_fresh*1 b.encode_fresh*1 ");
    EXPECT_EQ(measured("decode", ""), "b.decode_fresh*1 b.decode_arena*1 ");
}

TEST(Groups, PairsNeedBothCasesAndGetTwiceTheRounds) {
    EXPECT_EQ(measured("encode_fresh_message", ""), "a.encode_fresh*2 a.encode_fresh_message*2 ");
}

TEST(Groups, CasesAndGroupsAreChosenByName) {
    EXPECT_EQ(measured("decode", "decode_arena"), "b.decode_arena*1 ");
    EXPECT_EQ(measured("decode", "decode"), "b.decode_fresh*1 b.decode_arena*1 ");
    EXPECT_EQ(measured("decode", "encode_fresh"), "");
    EXPECT_EQ(measured("encode_fresh_message", "encode_fresh"), "");
}

TEST(Groups, LatencyIsThatOfCodecsWithAnArena) {
    std::vector<bench::subject> subjects;
    subjects.push_back(codec("heap", {task::decode_fresh, task::encode_reused}));
    subjects.push_back(codec("arena", {task::encode_reused, task::decode_arena}));
    const auto all = bench::measure_latencies(subjects, 10);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].task, "decode_arena");
    EXPECT_EQ(all[1].task, "encode_reused");
    EXPECT_EQ(all[1].codec, "arena");
    EXPECT_EQ(all[1].took.operations, 10U);
}

}  // namespace
