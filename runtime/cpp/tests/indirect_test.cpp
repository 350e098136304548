#include "sdp/indirect.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sdp/values.hpp"

namespace {

using texts = std::array<std::pmr::string, 3>;

/// A resource that says how often it was asked.
class counted : public std::pmr::memory_resource {
   public:
    int asked = 0;
    std::size_t bytes = 0;

   private:
    void* do_allocate(std::size_t n, std::size_t alignment) override {
        ++asked;
        bytes += n;
        return std::pmr::new_delete_resource()->allocate(n, alignment);
    }
    void do_deallocate(void* memory, std::size_t n, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(memory, n, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

TEST(Indirect, IsMadeWhenItIsTouched) {
    counted memory;
    sdp::pmr::indirect<std::array<int, 1000>> value(&memory);
    const auto& read = value;
    EXPECT_EQ((*read)[999], 0);
    EXPECT_EQ(read->size(), 1000U);
    EXPECT_FALSE(value.is_made());
    EXPECT_EQ(memory.asked, 0);
    (*value)[999] = 7;
    EXPECT_TRUE(value.is_made());
    EXPECT_EQ(memory.bytes, 1000 * sizeof(int));
    EXPECT_EQ((*read)[999], 7);
    EXPECT_EQ((*value)[0], 0);
    EXPECT_EQ(memory.asked, 1);
}

TEST(Indirect, OneThatWasNotTouchedEqualsANewValue) {
    const sdp::indirect<int> untouched;
    sdp::indirect<int> touched;
    *touched = 0;
    EXPECT_TRUE(untouched == touched);
    EXPECT_TRUE(sdp::wire::same(untouched, touched));
    *touched = 1;
    EXPECT_TRUE(untouched != touched);
    EXPECT_FALSE(sdp::wire::same(touched, untouched));
}

TEST(Indirect, CopiesKeepWhetherItWasTouched) {
    sdp::indirect<int> value;
    sdp::indirect<int> copy = value;
    EXPECT_FALSE(copy.is_made());
    *value = 3;
    copy = value;
    EXPECT_EQ(*std::as_const(copy), 3);
    *copy = 4;
    EXPECT_EQ(*std::as_const(value), 3);
    value = sdp::indirect<int>();
    EXPECT_FALSE(value.is_made());
}

struct later;

/// Has two values of types that aren't complete yet.
struct holder {
    explicit holder(const sdp::wire::resource_allocator& allocator)
        : one(allocator), some(allocator) {}
    sdp::pmr::indirect<later> one;
    sdp::pmr::indirect_optional<std::array<later, 2>> some;
};

struct later {
    std::string text;
};

TEST(Indirect, HoldsWhatIsCompletedLater) {
    counted memory;
    holder held(&memory);
    held.one = later{"one"};
    held.some = std::array<later, 2>{{{"a"}, {"b"}}};
    EXPECT_EQ(held.one->text + (*held.some)[1].text, "oneb");
    EXPECT_EQ(memory.asked, 2);
}

TEST(Indirect, IsMadeOfWhatItsValueIsMadeOf) {
    sdp::indirect<std::string> text = "text";
    text = "other";
    const sdp::indirect_optional<std::vector<int>> list({1, 2});
    EXPECT_EQ(*text, "other");
    EXPECT_EQ(list->size(), 2U);
}

TEST(Indirect, WhatWasMovedFromIsNew) {
    sdp::indirect<std::string> value(std::string("text"));
    const sdp::indirect<std::string> taken = std::move(value);
    EXPECT_EQ(*taken, "text");
    EXPECT_EQ(*std::as_const(value), "");
    *value = "other";
    EXPECT_EQ(*std::as_const(value), "other");
}

TEST(Indirect, ClearingKeepsMemoryAndTakesNone) {
    counted memory;
    sdp::pmr::indirect<texts> value(&memory);
    sdp::wire::clear(value, std::pmr::get_default_resource());
    EXPECT_EQ(memory.asked, 0);
    (*value)[1] = "text";
    sdp::wire::clear(value, std::pmr::get_default_resource());
    EXPECT_TRUE(value.is_made());
    EXPECT_EQ((*value)[1], "");
    EXPECT_EQ(memory.asked, 1);
}

TEST(Made, ArraysTellTheirElementsOfTheResource) {
    counted memory;
    sdp::pmr::indirect<texts> alone(&memory);
    EXPECT_EQ((*alone)[2].get_allocator().resource(), &memory);
    sdp::pmr::indirect_optional<std::array<texts, 2>> optional(&memory);
    EXPECT_EQ(optional.emplace()[1][2].get_allocator().resource(), &memory);
    std::pmr::vector<texts> list(&memory);
    EXPECT_EQ(sdp::wire::added(list, &memory)[2].get_allocator().resource(), &memory);
    std::pmr::map<int, texts> map(&memory);
    EXPECT_EQ(sdp::wire::added(map, 1, &memory)[2].get_allocator().resource(), &memory);
}

#if defined(__cpp_exceptions)

int alive = 0;
int left = 0;

/// Fails to be made once none are left.
struct limited {
    using allocator_type = std::pmr::polymorphic_allocator<std::byte>;

    limited() = default;
    explicit limited(const allocator_type&) {
        if (left == 0) {
            throw std::runtime_error("none left");
        }
        --left;
        ++alive;
    }
    limited(const limited&) = delete;
    limited& operator=(const limited&) = delete;
    ~limited() { --alive; }
};

TEST(Made, AnArrayThatFailsDestroysWhatWasMadeOfIt) {
    counted memory;
    sdp::pmr::indirect_optional<std::array<limited, 4>> value(&memory);
    left = 3;
    EXPECT_THROW(value.emplace(), std::runtime_error);
    EXPECT_EQ(alive, 0);
    EXPECT_FALSE(value.has_value());
}

#endif

}  // namespace
