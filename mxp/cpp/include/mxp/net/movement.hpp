/// How much a connection let go of lately.
#ifndef MXP_NET_MOVEMENT_HPP
#define MXP_NET_MOVEMENT_HPP

#include <chrono>
#include <cstddef>

namespace mxp::net::detail {

/// The bytes that a connection let go of in the last second at least, and in the last two
/// at most.
class movement {
   public:
    void add(std::size_t n, std::chrono::steady_clock::time_point now) {
        turn(now);
        now_ += n;
    }
    [[nodiscard]] std::size_t bytes(std::chrono::steady_clock::time_point now) {
        turn(now);
        return now_ + before_;
    }

   private:
    void turn(std::chrono::steady_clock::time_point now) {
        const auto past = now - began_;
        if (past < std::chrono::seconds{1}) {
            return;
        }
        const bool is_next = past < std::chrono::seconds{2};
        before_ = is_next ? now_ : 0;
        now_ = 0;
        began_ = is_next ? began_ + std::chrono::seconds{1} : now;
    }

    std::chrono::steady_clock::time_point began_{};
    std::size_t now_ = 0;
    std::size_t before_ = 0;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_MOVEMENT_HPP
