#include "spending.hpp"

#include <gtest/gtest.h>
#include <sanitizer/allocator_interface.h>

#include <string>

namespace fuzz {

namespace {

/// The target runs in one thread, and libFuzzer's others don't count.
thread_local std::size_t total = 0;

}  // namespace

void start_counting() {
    // The sanitizer tells of every allocation. To replace operator new instead would hide from it
    // which memory was taken by which function.
    EXPECT_NE(
        __sanitizer_install_malloc_and_free_hooks(
            [](const volatile void*, std::size_t n) { total += n; }, [](const volatile void*) {}),
        0);
    const volatile std::size_t n = 1000;
    std::string text;
    EXPECT_GE(spent_by([&] { text.assign(n, 'x'); }), n);
    counting_resource resource;
    resource.deallocate(resource.allocate(n), n);
    EXPECT_EQ(resource.given(), n);
}

std::size_t spent() noexcept { return total; }

counting_resource::~counting_resource() { EXPECT_EQ(lent_, 0U) << "not all memory came back"; }

void* counting_resource::do_allocate(std::size_t n, std::size_t alignment) {
    void* memory = nullptr;
    given_ += spent_by([&] { memory = std::pmr::new_delete_resource()->allocate(n, alignment); });
    lent_ += n;
    return memory;
}

void counting_resource::do_deallocate(void* memory, std::size_t n, std::size_t alignment) {
    EXPECT_LE(n, lent_) << "more memory comes back than was given";
    lent_ -= n;
    std::pmr::new_delete_resource()->deallocate(memory, n, alignment);
}

}  // namespace fuzz
