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
#include "mxp_registry.hpp"
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
        registry::Registration asked;
        asked.name = name;
        asked.capabilities = std::move(capabilities);
        asked.lease = lasts;
        const auto given = enter(owner, std::move(asked), now);
        return given ? result<std::uint64_t>{given->lease} : unexpected{given.error()};
    }

    /// Gives a name to an owner as a registration says, with the next epoch. The epoch that it says
    /// means nothing here: no owner takes a name over from another.
    result<registry::Lease> enter(std::uint64_t owner, registry::Registration registration,
                                  std::uint64_t now) {
        expire(now);
        if (registration.name.empty() ||
            !are_distinct(registration.capabilities, limits_.agent_capabilities) ||
            !are_distinct(registration.addresses, most_addresses) ||
            !are_distinct(registration.services, most_services)) {
            return unexpected{kind::agent_invalid};
        }
        const auto held = agents_.find(registration.name);
        if (held != agents_.end() && held->second.owner != owner) {
            return unexpected{kind::agent_taken};
        }
        if (held == agents_.end() && agents_.size() >= limits_.agents) {
            return unexpected{kind::limit_agents};
        }
        registration.lease =
            std::min(std::max(registration.lease, limits_.lease_min_us), limits_.lease_max_us);
        registration.epoch = ++epoch_;
        const registry::Lease given{registration.lease, registration.epoch};
        std::string name = registration.name;
        lease made{owner, std::move(registration), sum(now, given.lease)};
        agents_.insert_or_assign(std::move(name), std::move(made));
        return given;
    }

    /// Renews a lease, and returns how long it lasts [MXP-12.4].
    result<std::uint64_t> heartbeat(std::uint64_t owner, std::string_view name, std::uint64_t now) {
        const auto renewed = renew(owner, name, now);
        return renewed ? result<std::uint64_t>{renewed->lease} : unexpected{renewed.error()};
    }

    /// Renews a lease, whose epoch stays.
    result<registry::Lease> renew(std::uint64_t owner, std::string_view name, std::uint64_t now) {
        expire(now);
        const auto held = agents_.find(name);
        if (held == agents_.end() || held->second.owner != owner) {
            return unexpected{kind::agent_unknown};
        }
        const registry::Registration& given = held->second.given;
        held->second.until = sum(now, given.lease);
        return registry::Lease{given.lease, given.epoch};
    }

    /// The agents that have a capability, or all if it is empty, in the order of their names
    /// [MXP-12.5].
    [[nodiscard]] registry::Agents discover(std::string_view capability, std::uint64_t now) {
        registry::Query asked;
        asked.capability = capability;
        return find(asked, now);
    }

    /// The agents that are all that a query says.
    [[nodiscard]] registry::Agents find(const registry::Query& query, std::uint64_t now) {
        expire(now);
        registry::Agents found;
        for (const auto& [name, held] : agents_) {
            const registry::Registration& given = held.given;
            if (has(given.capabilities, query.capability) && has(given.services, query.service) &&
                (query.name.empty() || query.name == name)) {
                found.agents.push_back({name, given.capabilities, held.until - now, given.addresses,
                                        given.services, given.epoch});
            }
        }
        return found;
    }

    /// Ends all leases of an owner, whose session has ended [MXP-12.6].
    void release(std::uint64_t owner) {
        erase_if([&](const lease& entry) { return entry.owner == owner; });
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
    static constexpr std::size_t most_addresses = 16;
    static constexpr std::size_t most_services = 64;

    struct lease {
        std::uint64_t owner;
        /// With the lease and the epoch that were given.
        registry::Registration given;
        std::uint64_t until;
    };

    /// Whether there are no more texts than can be, and none is empty or there twice.
    [[nodiscard]] static bool are_distinct(const std::vector<std::string>& texts,
                                           std::size_t most) {
        if (texts.size() > most) {
            return false;
        }
        std::vector<std::string_view> sorted(texts.begin(), texts.end());
        std::sort(sorted.begin(), sorted.end());
        return (sorted.empty() || !sorted.front().empty()) &&
               std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    }

    /// Whether a text is there, or nothing is asked about.
    [[nodiscard]] static bool has(const std::vector<std::string>& texts, std::string_view text) {
        return text.empty() || std::find(texts.begin(), texts.end(), text) != texts.end();
    }

    template <class Condition>
    void erase_if(Condition holds) {
        for (auto at = agents_.begin(); at != agents_.end();) {
            at = holds(at->second) ? agents_.erase(at) : std::next(at);
        }
    }

    /// Ends the leases whose time has come.
    void expire(std::uint64_t now) {
        erase_if([&](const lease& entry) { return entry.until <= now; });
    }

    directory_limits limits_;
    /// The epoch that was given last.
    std::uint64_t epoch_ = 0;
    std::map<std::string, lease, std::less<>> agents_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_DIRECTORY_HPP
