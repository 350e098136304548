/// How much memory something asks for.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace fuzz {

/// Starts to count, and makes sure that it works.
void start_counting();

/// All bytes that were ever asked for since.
[[nodiscard]] std::size_t spent() noexcept;

/// How many bytes something asks for in all, those included that it returns.
template <class Does>
[[nodiscard]] std::size_t spent_by(Does does) {
    const std::size_t before = spent();
    does();
    return spent() - before;
}

/// Memory from the heap, and how much of it. All of it must be returned, each piece with the size
/// that it was asked for with.
class counting_resource : public std::pmr::memory_resource {
   public:
    counting_resource() = default;
    counting_resource(const counting_resource&) = delete;
    counting_resource& operator=(const counting_resource&) = delete;
    ~counting_resource() override;

    /// All bytes that it asked the heap for.
    [[nodiscard]] std::size_t given() const noexcept { return given_; }

   private:
    void* do_allocate(std::size_t n, std::size_t alignment) override;
    void do_deallocate(void* memory, std::size_t n, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t given_ = 0;
    std::size_t lent_ = 0;
};

/// Makes all that takes memory from the default resource fail, for as long as it lives.
class no_default_resource {
   public:
    no_default_resource()
        : before_(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {}
    no_default_resource(const no_default_resource&) = delete;
    no_default_resource& operator=(const no_default_resource&) = delete;
    ~no_default_resource() { std::pmr::set_default_resource(before_); }

   private:
    std::pmr::memory_resource* before_;
};

}  // namespace fuzz
