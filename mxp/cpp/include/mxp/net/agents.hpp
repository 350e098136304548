/// Agents, who make themselves known to a server by a name [MXP-12].
#ifndef MXP_NET_AGENTS_HPP
#define MXP_NET_AGENTS_HPP

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../session/directory.hpp"
#include "agent.hpp"
#include "typed.hpp"

namespace mxp::net {

namespace detail {

/// A directory that the connections of a server share.
class agents {
   public:
    /// The number of one connection, as the owner of its leases.
    [[nodiscard]] std::uint64_t next_owner() {
        const std::lock_guard<std::mutex> lock{mutex_};
        return ++owners_;
    }
    [[nodiscard]] session::result<registry::Lease> enter(std::uint64_t owner,
                                                         registry::Registration registration) {
        const std::lock_guard<std::mutex> lock{mutex_};
        return directory_.enter(owner, std::move(registration), now());
    }
    [[nodiscard]] session::result<registry::Lease> renew(std::uint64_t owner,
                                                         std::string_view name) {
        const std::lock_guard<std::mutex> lock{mutex_};
        return directory_.renew(owner, name, now());
    }
    [[nodiscard]] registry::Agents find(const registry::Query& query) {
        const std::lock_guard<std::mutex> lock{mutex_};
        return directory_.find(query, now());
    }
    void release(std::uint64_t owner) {
        const std::lock_guard<std::mutex> lock{mutex_};
        directory_.release(owner);
    }

   private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] std::uint64_t now() const {
        const auto passed = clock::now() - born_;
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
    }

    std::mutex mutex_;
    clock::time_point born_ = clock::now();
    std::uint64_t owners_ = 0;
    session::directory directory_;
};

/// How many microseconds a lease has, for a session.
[[nodiscard]] inline std::uint64_t lease_us(std::chrono::microseconds lease) {
    return lease.count() > 0 ? static_cast<std::uint64_t>(lease.count()) : 0;
}

/// The answer to a registration or a heartbeat.
[[nodiscard]] inline outcome<registry::Lease> whole_lease_of(bytes_view value) {
    return decoded_response<registry::Lease>(value);
}

/// The lease in the answer to a registration.
[[nodiscard]] inline outcome<std::chrono::microseconds> lease_of(bytes_view value) {
    const auto read = whole_lease_of(value);
    if (!read) {
        return failed_outcome{read.error()};
    }
    return std::chrono::microseconds{static_cast<std::int64_t>(read->lease)};
}

/// The answer to a query.
[[nodiscard]] inline outcome<registry::Agents> listing_of(bytes_view value) {
    return decoded_response<registry::Agents>(value);
}

/// The agents of such an answer.
[[nodiscard]] inline outcome<std::vector<agent>> agents_of(bytes_view value) {
    auto read = listing_of(value);
    if (!read) {
        return failed_outcome{read.error()};
    }
    return std::move(read->agents);
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_AGENTS_HPP
