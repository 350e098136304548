#include "memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace {

std::size_t& counter() noexcept {
    static std::size_t bytes = 0;
    return bytes;
}

#ifdef _WIN32
// Windows frees aligned memory by a function of its own: all memory is of that kind here.
void* take(std::size_t n, std::size_t alignment) noexcept {
    return _aligned_malloc(n == 0 ? 1 : n, std::max(alignment, alignof(std::max_align_t)));
}
void give_back(void* memory) noexcept { _aligned_free(memory); }
#else
/// Memory from malloc, or none.
void* take(std::size_t n, std::size_t alignment) noexcept {
    if (n == 0) {
        n = 1;
    }
    if (alignment <= alignof(std::max_align_t)) {
        return std::malloc(n);
    }
    // aligned_alloc takes multiples of the alignment.
    return std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
}
void give_back(void* memory) noexcept { std::free(memory); }
#endif

void* take_or_throw(std::size_t n, std::size_t alignment) {
    void* memory = take(n, alignment);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

namespace runner {

std::size_t allocated() noexcept { return counter(); }

void* pool::do_allocate(std::size_t n, std::size_t alignment) {
    bytes_ += n;
    return take_or_throw(n, alignment);
}

void pool::do_deallocate(void* memory, std::size_t, std::size_t) { give_back(memory); }

}  // namespace runner

// These take the place of the standard library's. Its arrays go through them, and a sanitizer's
// keep to themselves.

void* operator new(std::size_t n) {
    counter() += n;
    return take_or_throw(n, 1);
}
void* operator new(std::size_t n, std::align_val_t alignment) {
    counter() += n;
    return take_or_throw(n, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    counter() += n;
    return take(n, 1);
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
