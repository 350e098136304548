// The numbers of the services that a peer says it serves.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mxp/engine/names.hpp"

namespace service_numbers {

namespace {

struct service {
    std::string text;
    [[nodiscard]] std::string_view name() const { return text; }
};

std::vector<service> services(std::size_t count) {
    std::vector<service> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back({"demo.S" + std::to_string(i * 11 % count)});
    }
    return made;
}

// Whether they are looked through, sorted, too many to sort, or more than have numbers.
TEST(service_numbers, are_those_of_the_order_of_hello) {
    for (const std::size_t count : {1U, 3U, 15U, 16U, 100U, 4096U, 5000U, 70'000U}) {
        const auto all = services(count);
        mxp::engine::service_numbers numbers;
        numbers.assign(all);
        for (std::size_t i = 0; i < count; i += 1 + count / 100) {
            const auto found = numbers.find(all[i].text);
            EXPECT_EQ(found.has_value(), i < 65'536) << count << " " << i;
            EXPECT_TRUE(!found || *found == i) << count << " " << i;
        }
        EXPECT_FALSE(numbers.find("demo.S"));
        EXPECT_FALSE(numbers.find(""));
        EXPECT_EQ(numbers.names().size(), std::min<std::size_t>(count, 65'536));
        EXPECT_EQ(numbers.names().front(), all.front().text);
        EXPECT_LT(numbers.held(), 20 * count + 100);
        numbers.clear();
        EXPECT_FALSE(numbers.find(all.front().text));
        EXPECT_TRUE(numbers.names().empty());
    }
}

TEST(service_numbers, of_a_name_that_is_there_twice_are_the_first) {
    for (const std::size_t count : {2U, 20U, 5000U}) {
        auto all = services(count);
        all.push_back(all[1]);
        all.push_back(all[0]);
        mxp::engine::service_numbers numbers;
        numbers.assign(all);
        EXPECT_EQ(numbers.find(all[0].text), 0);
        EXPECT_EQ(numbers.find(all[1].text), 1);
    }
}

}  // namespace

}  // namespace service_numbers
