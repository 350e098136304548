/// Agents by their names, while their leases are live [MXP-12].
#ifndef MXP_SESSION_DIRECTORY_HPP
#define MXP_SESSION_DIRECTORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange.hpp"
#include "result.hpp"

namespace mxp::session {

/// Bounds of a directory, by the names of limits.toml. Times are in microseconds.
struct directory_limits {
    std::size_t agents = mxp::session::agents;
    std::size_t agent_capabilities = mxp::session::agent_capabilities;
    std::uint64_t lease_min_us = mxp::session::lease_min_us;
    std::uint64_t lease_max_us = mxp::session::lease_max_us;
};

/// Keeps agents by their names. One directory serves all sessions of a hub, each of which is an
/// owner by a number of its own. It reads no clock.
class directory {
   public:
    explicit directory(directory_limits limits = {}) : limits_(limits) {}

    /// Gives a name to an owner, and returns how long the lease lasts [MXP-12.3].
    result<std::uint64_t> register_agent(std::uint64_t owner, std::string_view name,
                                         std::vector<std::string> capabilities, std::uint64_t lasts,
                                         std::uint64_t now) {
        expire(now);
        if (name.empty() || capabilities.size() > limits_.agent_capabilities ||
            !are_distinct(capabilities)) {
            return unexpected{kind::agent_invalid};
        }
        const auto held = agents_.find(name);
        if (held != agents_.end() && held->second.owner != owner) {
            return unexpected{kind::agent_taken};
        }
        if (held == agents_.end() && agents_.size() >= limits_.agents) {
            return unexpected{kind::limit_agents};
        }
        lasts = std::min(std::max(lasts, limits_.lease_min_us), limits_.lease_max_us);
        lease made{owner, std::move(capabilities), lasts, sum(now, lasts)};
        agents_.insert_or_assign(std::string{name}, std::move(made));
        return lasts;
    }

    /// Renews a lease, and returns how long it lasts [MXP-12.4].
    result<std::uint64_t> heartbeat(std::uint64_t owner, std::string_view name, std::uint64_t now) {
        expire(now);
        const auto held = agents_.find(name);
        if (held == agents_.end() || held->second.owner != owner) {
            return unexpected{kind::agent_unknown};
        }
        held->second.until = sum(now, held->second.lasts);
        return held->second.lasts;
    }

    /// The agents that have a capability, or all if it is empty, in the order of their names
    /// [MXP-12.5].
    [[nodiscard]] control::Agents discover(std::string_view capability, std::uint64_t now) {
        expire(now);
        control::Agents found;
        for (const auto& [name, held] : agents_) {
            const auto& can = held.capabilities;
            if (capability.empty() || std::find(can.begin(), can.end(), capability) != can.end()) {
                found.agents.push_back({name, can, held.until - now});
            }
        }
        return found;
    }

    /// Ends all leases of an owner, whose session has ended [MXP-12.6].
    void release(std::uint64_t owner) {
        erase_if([&](const lease& held) { return held.owner == owner; });
    }

    /// The earliest end of a lease.
    [[nodiscard]] std::optional<std::uint64_t> next_timeout() const {
        std::optional<std::uint64_t> at;
        for (const auto& [name, held] : agents_) {
            at = std::min(at.value_or(never), held.until);
        }
        return at;
    }

   private:
    struct lease {
        std::uint64_t owner;
        std::vector<std::string> capabilities;
        std::uint64_t lasts;
        std::uint64_t until;
    };

    /// Whether no capability is empty or there twice.
    [[nodiscard]] static bool are_distinct(const std::vector<std::string>& capabilities) {
        std::vector<std::string_view> sorted(capabilities.begin(), capabilities.end());
        std::sort(sorted.begin(), sorted.end());
        return (sorted.empty() || !sorted.front().empty()) &&
               std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    }

    template <class Condition>
    void erase_if(Condition holds) {
        for (auto at = agents_.begin(); at != agents_.end();) {
            at = holds(at->second) ? agents_.erase(at) : std::next(at);
        }
    }

    /// Ends the leases whose time has come.
    void expire(std::uint64_t now) {
        erase_if([&](const lease& held) { return held.until <= now; });
    }

    directory_limits limits_;
    std::map<std::string, lease, std::less<>> agents_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_DIRECTORY_HPP
