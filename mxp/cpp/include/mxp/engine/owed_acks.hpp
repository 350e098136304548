/// Acks that a reader of a stream owes its peer.
#ifndef MXP_ENGINE_OWED_ACKS_HPP
#define MXP_ENGINE_OWED_ACKS_HPP

#include <cstddef>
#include <cstdint>

#include "fifo.hpp"

namespace mxp::engine {

/// The numbers of chunks that ask for an Ack, until a reader has taken them [MXP-8.5].
class owed_acks {
   public:
    /// Notes that a chunk has come that asks for an Ack, or not.
    void came(std::uint64_t number, bool asks) {
        if (asks) {
            numbers_.emplace_back(number);
        }
    }
    /// Counts chunks as taken, and gives the number to acknowledge; 0 where there is none.
    [[nodiscard]] std::uint64_t took(std::size_t chunks) {
        taken_ += chunks;
        std::uint64_t last = 0;
        while (!numbers_.empty() && numbers_.front() <= taken_) {
            last = numbers_.front();
            numbers_.pop_front();
        }
        return last;
    }

   private:
    fifo<std::uint64_t> numbers_{};
    std::uint64_t taken_ = 0;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_OWED_ACKS_HPP
