/// The agents of the mesh that a client follows, as its node tells of them [MESH-3.2].
#ifndef MXP_NET_AGENTS_FOLLOWED_HPP
#define MXP_NET_AGENTS_FOLLOWED_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents.hpp"
#include "client_state.hpp"
#include "mesh_address.hpp"

namespace mxp::net {

/// The options of a client of the program's own node.
[[nodiscard]] inline client_options node_options(const client_options& of) {
    client_options made;
    made.logger = of.logger;
    made.connect_timeout = of.connect_timeout;
#if defined(MXP_TLS)
    made.tls = of.tls;
    made.dangerously_accept_any_certificate = of.dangerously_accept_any_certificate;
#endif
    return made;
}

struct client::following final {
    following(state& of, registry::Query asked)
        : all(of),
          query(std::move(asked)),
          node(of.context, node_address(of.options.node), node_options(of.options)),
          timer(of.context),
          trouble(unavailable("the node has not answered yet", *of.place)) {}

    /// An agent, by the addresses that there are transports for.
    struct agent {
        std::vector<std::string> addresses{};
        std::vector<link*> links{};
    };

    void ask() {
        node.discover(query, all.in_turn_with([this](outcome<registry::Agents> came) {
            if (!all.is_closed) {
                answered(std::move(came));
            }
        }));
    }
    void close() {
        timer.cancel();
        node.close();
    }
    /// Whether there are no agents, and will be none.
    [[nodiscard]] bool is_hopeless() const noexcept {
        return !may_come && !detail::may_heal(trouble);
    }

    state& all;
    registry::Query query;
    client node;
    asio::steady_timer timer;
    std::map<std::string, agent, std::less<>> agents{};
    /// Why there are no agents, and whether one may come at any time.
    failure trouble;
    bool may_come = true;

   private:
    void answered(outcome<registry::Agents> came) {
        using namespace std::chrono_literals;
        std::chrono::microseconds pause = 250ms;
        if (came) {
            pause = came->version == 0 || came->version == query.version
                        ? std::chrono::microseconds{1s}
                        : std::chrono::microseconds{session::asking_pause_us};
            query.version = came->version;
            take(came->agents);
        } else {
            trouble = came.error();
            may_come = false;
        }
        if (agents.empty() && all.is_hopeless()) {
            all.fail_waiting();
        }
        timer.expires_after(pause);
        timer.async_wait(all.in_turn([this](const std::error_code& failed) {
            if (!failed && !all.is_closed) {
                ask();
            }
        }));
    }

    /// Makes the agents those that the node knows of, and no more of them than a client follows:
    /// the ones that are known already, and others at random.
    void take(const std::vector<registry::Agent>& told) {
        std::map<std::string_view, std::vector<std::string>> there;
        for (const registry::Agent& one : told) {
            std::vector<std::string> addresses;
            std::copy_if(one.addresses.begin(), one.addresses.end(), std::back_inserter(addresses),
                         [](const std::string& text) { return parse_address(text).has_value(); });
            if (!addresses.empty()) {
                there.insert_or_assign(one.name, std::move(addresses));
            }
        }
        for (auto known = agents.begin(); known != agents.end();) {
            const auto still = there.find(known->first);
            if (still != there.end() && still->second == known->second.addresses) {
                ++known;
                continue;
            }
            for (link* const one : known->second.links) {
                one->retire();
            }
            known = agents.erase(known);
        }
        std::vector<std::pair<std::string_view, std::vector<std::string>>> others;
        for (auto& [name, addresses] : there) {
            if (agents.find(name) == agents.end()) {
                others.emplace_back(name, std::move(addresses));
            }
        }
        engine::shuffle(others, all.draws);
        for (auto& [name, addresses] : others) {
            if (agents.size() < session::followed_agents) {
                agents.emplace(name, enter(std::move(addresses)));
            }
        }
        trouble = failure_of(session::kind::agent_unknown);
        trouble.text = "the node knows of no such agent that can be reached";
        trouble.acted = false;
        trouble.peer = *all.place;
        may_come = true;
    }

    [[nodiscard]] agent enter(std::vector<std::string> addresses) {
        agent made{std::move(addresses), {}};
        for (std::size_t i = 0; i < std::max<std::size_t>(all.options.connections, 1); ++i) {
            auto one = std::make_unique<link>(all, parse_address(made.addresses.front()),
                                              made.addresses.front());
            one->places = made.addresses;
            made.links.push_back(one.get());
            const std::lock_guard<std::mutex> lock{all.mutex};
            all.links.push_back(std::move(one));
        }
        for (link* const one : made.links) {
            one->connect();
        }
        return made;
    }
};

/// Makes the client one of agents.
inline void client::state::follow(std::string_view address) {
    place = std::make_shared<const std::string>(address);
    auto query = detail::agents_named(address);
    if (!query) {
        links.push_back(std::make_unique<link>(*this, std::nullopt, *place));
        links.front()->trouble = query.error();
        return;
    }
    agents_followed = std::make_shared<following>(*this, std::move(*query));
}

/// Asks nothing more on a connection to an agent that is gone, and lets what is in flight end.
inline void client::link::retire() {
    is_retired = true;
    attempt_timer.cancel();
    pause_timer.cancel();
    if (const auto now = std::exchange(give_up, nullptr)) {
        now();
    }
    if (const auto leaving = current) {
        set_aside();
        leaving->drain("the agent is gone");
    }
    all.sweep_later();
}

/// Takes the next address of an agent, behind an attempt that has failed.
inline void client::link::turn_to_next_place() {
    if (places.size() < 2) {
        return;
    }
    std::rotate(places.begin(), places.begin() + 1, places.end());
    place = std::make_shared<const std::string>(places.front());
    if (auto next = parse_address(places.front())) {
        at = std::move(*next);
        by = detail::transports::registered().find(at.scheme);
    }
}

/// Forgets the links that were retired and have no connection any more, in a turn of its own.
inline void client::state::sweep_later() {
    turns->post([weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self == nullptr || self->is_closed) {
            return;
        }
        std::vector<std::unique_ptr<link>> over;
        const std::lock_guard<std::mutex> lock{self->mutex};
        auto& all = self->links;
        const auto stays = std::stable_partition(all.begin(), all.end(), [](const auto& one) {
            return !one->is_retired || one->current || !one->draining.empty();
        });
        over.assign(std::make_move_iterator(stays), std::make_move_iterator(all.end()));
        all.erase(stays, all.end());
    });
}

}  // namespace mxp::net

#endif  // MXP_NET_AGENTS_FOLLOWED_HPP
