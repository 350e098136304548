// Replaces glibc's functions by functions that count and call glibc's. While nothing is counted
// that costs a load and a branch that is always the same, for every codec alike. `operator new` of
// libstdc++ ends here, too; `free` is glibc's own.

#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

// The names under which glibc keeps its functions for programs that replace them.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

using std::memory_order_relaxed;

constinit std::atomic<bool> counts = false;
constinit std::atomic<std::uint64_t> allocation_count = 0;
constinit std::atomic<std::uint64_t> byte_count = 0;

void note(std::size_t bytes) noexcept {
    if (counts.load(memory_order_relaxed)) {
        allocation_count.fetch_add(1, memory_order_relaxed);
        byte_count.fetch_add(bytes, memory_order_relaxed);
    }
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    note(size);
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    note(count * size);
    return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
    if (const std::size_t had = malloc_usable_size(old); size > had) {
        note(size - had);
    }
    return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    note(size);
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return memalign(alignment, size);
}

int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept {
    void* const made = memalign(alignment, size);
    if (made == nullptr) {
        return ENOMEM;
    }
    *to = made;
    return 0;
}
}

namespace bench {

allocation_counter::allocation_counter() noexcept {
    allocation_count.store(0, memory_order_relaxed);
    byte_count.store(0, memory_order_relaxed);
    counts.store(true, memory_order_relaxed);
}

allocation_counter::~allocation_counter() { counts.store(false, memory_order_relaxed); }

allocated allocation_counter::counted() const noexcept {
    return {allocation_count.load(memory_order_relaxed), byte_count.load(memory_order_relaxed)};
}

}  // namespace bench
