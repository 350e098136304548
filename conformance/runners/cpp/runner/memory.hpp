/// Counts what the program asks the allocator for.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace runner {

/// How many bytes `operator new` was asked for since the program began.
[[nodiscard]] std::size_t allocated() noexcept;

/// Memory that `operator new` knows nothing of.
class pool final : public std::pmr::memory_resource {
   public:
    /// How many bytes it was asked for.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

   private:
    void* do_allocate(std::size_t n, std::size_t alignment) override;
    void do_deallocate(void* memory, std::size_t n, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t bytes_ = 0;
};

}  // namespace runner
