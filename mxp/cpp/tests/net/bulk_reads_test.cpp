#include "mxp/net/bulk_reads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mxp/engine/fifo.hpp"

namespace {

using mxp::engine::fifo;
using mxp::net::detail::bulk_reads;

struct reading final : bulk_reads::member {
    reading(std::string& told, char name) : to(told), is(name) {}
    void on_turn() override { to += is; }
    std::string& to;
    char is;
};

// Others that are ready meanwhile, here the small letters, have their turn after each of them.
TEST(BulkReads, OneReadsInEachRound) {
    asio::io_context context;
    const auto order = std::make_shared<bulk_reads>(context);
    std::string told;
    const std::vector<std::shared_ptr<reading>> all{std::make_shared<reading>(told, 'A'),
                                                    std::make_shared<reading>(told, 'B'),
                                                    std::make_shared<reading>(told, 'C')};
    for (const auto& one : all) {
        order->wait(one);
    }
    std::function<void(char)> small = [&](char name) {
        told += name;
        if (name < 'e') {
            asio::post(context, [&, name] { small(static_cast<char>(name + 1)); });
        }
    };
    asio::post(context, [&] { small('a'); });
    context.run();
    EXPECT_EQ(told, "AaBbCcde");
}

TEST(BulkReads, OneThatHasGoneIsPassedOver) {
    asio::io_context context;
    const auto order = std::make_shared<bulk_reads>(context);
    std::string told;
    auto first = std::make_shared<reading>(told, 'A');
    const auto second = std::make_shared<reading>(told, 'B');
    order->wait(first);
    order->wait(second);
    order->wait(first);
    first.reset();
    context.run();
    EXPECT_EQ(told, "B");
    order->wait(second);
    context.restart();
    context.run();
    EXPECT_EQ(told, "BB");
}

TEST(BulkReads, AFewReadAsOthersDo) {
    asio::io_context context;
    const auto order = std::make_shared<bulk_reads>(context);
    int taken = 0;
    while (order->take_place()) {
        ++taken;
    }
    EXPECT_EQ(taken, 4);
    order->give_place_back();
    EXPECT_TRUE(order->take_place());
    EXPECT_FALSE(order->take_place());
}

TEST(Fifo, GivesWhatCameFirst) {
    fifo<std::string> all;
    int came = 0;
    int gone = 0;
    // It is never empty for long, and gives places up that were taken from.
    for (int round = 0; round < 1000; ++round) {
        for (int i = 0; i < round % 7; ++i) {
            all.emplace_back(std::to_string(came++));
        }
        for (int i = 0; i < round % 5 && !all.empty(); ++i) {
            ASSERT_EQ(all.front(), std::to_string(gone++));
            all.pop_front();
        }
        ASSERT_EQ(all.size(), static_cast<std::size_t>(came - gone));
    }
    EXPECT_FALSE(all.empty());
    all.clear();
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.size(), 0U);
}

TEST(Fifo, HoldsLittleMoreThanWhatIsLeft) {
    fifo<std::array<char, 56>> all;
    constexpr std::size_t count = 500'000;
    const auto values = [&] { return all.size() * (56 + 16); };
    for (std::size_t i = 0; i < count; ++i) {
        all.emplace_back();
        ASSERT_GE(all.held(), values());
        ASSERT_LE(all.held(), values() + values() / 50 + 6'000);
    }
    for (std::size_t i = 1; i < count; ++i) {
        all.pop_front();
        ASSERT_LE(all.held(), values() + values() / 50 + 6'000);
    }
    all.pop_front();
    EXPECT_EQ(all.held(), 0U);
    all.emplace_back();
    all.clear();
    EXPECT_LT(all.held(), 300U);
}

}  // namespace
