/// How much memory the connections of one server, or of one client, hold together [MXP-15.4].
#ifndef MXP_NET_BUDGET_HPP
#define MXP_NET_BUDGET_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>

#include "../engine/budget.hpp"
#include "../session.hpp"
#include "system/memory.hpp"

namespace mxp::net {

/// How many bytes a program may hold for connections unless it says otherwise: a part of the
/// machine's memory, or of that of its control group.
[[nodiscard]] inline std::size_t default_memory_bytes() {
    static const std::size_t made = [] {
        const std::uint64_t most = detail::machine_memory() / session::server_bytes_part;
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(most, std::numeric_limits<std::size_t>::max()));
    }();
    return made;
}

namespace detail {

/// The budget of the connections of a server or a client, on any thread.
class budget {
   public:
    using member = engine::budget::member;
    using time_point = engine::budget::time_point;

    explicit budget(std::size_t bytes) : all_(bytes) {}

    void join(member& holder) {
        locked([&] { all_.join(holder); });
    }
    void leave(member& holder, time_point now) {
        locked([&] { all_.leave(holder, now); });
    }
    void awoke(member& holder, time_point now) {
        locked([&] { all_.awoke(holder, now); });
    }
    [[nodiscard]] bool weigh(member& holder, const engine::budget::load& load, time_point now) {
        return locked([&] { return all_.weigh(holder, load, now); });
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return all_.bytes(); }
    [[nodiscard]] std::size_t held() const {
        return locked([this] { return all_.held(); });
    }
    [[nodiscard]] bool is_trim_due(time_point now) {
        return locked([&] { return all_.is_trim_due(now); });
    }
    [[nodiscard]] bool has_let_go() const {
        return locked([this] { return all_.has_let_go(); });
    }
    static void trim() { trim_memory(); }

   private:
    template <class Call>
    std::invoke_result_t<Call> locked(Call call) const {
        const std::lock_guard<std::mutex> lock{mutex_};
        return call();
    }

    mutable std::mutex mutex_;
    engine::budget all_;
};

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_BUDGET_HPP
