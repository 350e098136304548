/// Connections that are left out for a while, since requests fail on them [MXP-14.10].
#ifndef MXP_NET_OUTLIER_HPP
#define MXP_NET_OUTLIER_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "../session.hpp"

namespace mxp::net::detail {

/// The record of a connection's requests, by which it is left out where they fail one after the
/// other.
class outlier {
   public:
    using clock = std::chrono::steady_clock;

    explicit outlier(session::role side) noexcept : made_odd_(side == session::role::opener) {}

    /// Whether requests are to be made on other connections.
    [[nodiscard]] bool is_left_out() const {
        return until_ != clock::time_point{} && clock::now() < until_;
    }
    /// How often it was left out. For any thread.
    [[nodiscard]] const session::counter& times() const noexcept { return times_; }

    /// Notes the end of a request of this side's, if that is what has come.
    template <class In>
    void note(const In& /*of*/) noexcept {}
    void note(const session::in::response& /*of*/) noexcept { row_ = 0; }
    void note(const session::in::acked& of) noexcept { ends_if(of.chunk == 0); }
    void note(const session::in::chunk& of) noexcept { ends_if(of.is_final && has_made(of.id)); }
    void note(const session::in::chunks& of) noexcept { ends_if(of.is_final && has_made(of.id)); }
    void note(const session::in::finished& of) noexcept { ends_if(has_made(of.id)); }
    void note(const session::in::ended& of) { failed(of.why.status, of.why.acted); }

    /// Notes a failure of a request, on which somebody may have acted or nobody has.
    void failed(session::status why, bool has_acted) {
        switch (why) {
        case session::status::Cancelled:
            return;
        case session::status::DeadlineExceeded:
            if (has_acted) {
                count();
            }
            return;
        case session::status::Unknown:
        case session::status::Internal:
        case session::status::Unavailable:
        case session::status::DataLoss:
            count();
            return;
        default:
            row_ = 0;
        }
    }

    /// How long a connection is left out that was left out so often already, since a request on it
    /// has ended well.
    [[nodiscard]] static std::chrono::microseconds pause(std::size_t times) noexcept {
        const std::uint64_t longest = session::outlier_min_us << std::min<std::size_t>(times, 16);
        return std::chrono::microseconds{
            static_cast<std::int64_t>(std::min(longest, session::outlier_max_us))};
    }

   private:
    [[nodiscard]] bool has_made(std::uint64_t id) const noexcept {
        return (id % 2 == 1) == made_odd_;
    }
    void ends_if(bool is_end) noexcept { row_ = is_end ? 0 : row_; }
    void count() {
        if (is_left_out()) {  // what was made before is not counted
            return;
        }
        if (++row_ >= session::outlier_failures) {
            until_ = clock::now() + pause(row_ - session::outlier_failures);
            ++times_;
        }
    }

    bool made_odd_;
    /// Requests that have failed since one has not.
    std::size_t row_ = 0;
    clock::time_point until_{};
    session::counter times_{};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_OUTLIER_HPP
