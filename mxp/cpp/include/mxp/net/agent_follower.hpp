/// The agents of the mesh that a client follows, as its node tells of them [MESH-3.2].
#ifndef MXP_NET_AGENT_FOLLOWER_HPP
#define MXP_NET_AGENT_FOLLOWER_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../engine/roster.hpp"
#include "agents.hpp"
#include "client_state.hpp"
#include "mesh_address.hpp"

namespace mxp::net {

/// The options of a client of the program's own node.
[[nodiscard]] inline client_options node_options(const client_options& options) {
    client_options made;
    made.logger = options.logger;
    made.connect_timeout = options.connect_timeout;
#if defined(MXP_TLS)
    made.tls = options.tls;
    made.dangerously_accept_any_certificate = options.dangerously_accept_any_certificate;
#endif
    return made;
}

struct client::agent_follower final {
    agent_follower(state& state, registry::Query request)
        : all(state),
          query(std::move(request)),
          node(state.context, node_address(state.options.node), node_options(state.options)),
          timer(state.context),
          roster(*state.place) {}

    void ask() {
        node.discover(query, all.in_turn_with([this](outcome<registry::Agents> outcome) {
            if (!all.is_closed) {
                answered(std::move(outcome));
            }
        }));
    }
    void close() {
        timer.cancel();
        node.close();
    }
    state& all;
    registry::Query query;
    client node;
    asio::steady_timer timer;
    engine::roster<std::vector<link*>> roster;

   private:
    void answered(outcome<registry::Agents> outcome) {
        const auto pause = outcome ? list(*outcome) : roster.fail(outcome.error());
        if (roster.empty() && all.is_hopeless()) {
            all.fail_waiting();
        }
        timer.expires_after(pause);
        timer.async_wait(all.in_turn([this](const std::error_code& failed) {
            if (!failed && !all.is_closed) {
                ask();
            }
        }));
    }

    /// Connects to the agents of the node. Returns the pause before the next question to it.
    [[nodiscard]] std::chrono::microseconds list(const registry::Agents& answer) {
        std::map<std::string, std::vector<std::string>> there;
        for (const registry::Agent& one : answer.agents) {
            std::vector<std::string> addresses;
            std::copy_if(one.addresses.begin(), one.addresses.end(), std::back_inserter(addresses),
                         [](const std::string& text) { return parse_address(text).has_value(); });
            if (!addresses.empty()) {
                there.insert_or_assign(one.name, std::move(addresses));
            }
        }
        query.version = answer.version;
        return roster.list(
            there, answer.version, all.draws,
            [this](const std::vector<std::string>& addresses) { return enter(addresses); },
            [](const std::vector<link*>& links) {
                for (link* const one : links) {
                    one->retire();
                }
            });
    }

    [[nodiscard]] std::vector<link*> enter(const std::vector<std::string>& addresses) {
        std::vector<link*> made;
        for (std::size_t i = 0; i < std::max<std::size_t>(all.options.connections, 1); ++i) {
            auto one =
                std::make_unique<link>(all, parse_address(addresses.front()), addresses.front());
            one->places = addresses;
            made.push_back(one.get());
            const std::lock_guard<std::mutex> lock{all.mutex};
            all.links.push_back(std::move(one));
        }
        for (link* const one : made) {
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
        links.front()->endpoint.give_up(query.error());
        return;
    }
    agents_followed = std::make_shared<agent_follower>(*this, std::move(*query));
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
        const auto stays = std::stable_partition(all.begin(), all.end(), [](const auto& item) {
            return !item->is_retired || item->current || !item->draining.empty();
        });
        over.assign(std::make_move_iterator(stays), std::make_move_iterator(all.end()));
        all.erase(stays, all.end());
    });
}

}  // namespace mxp::net

#endif  // MXP_NET_AGENT_FOLLOWER_HPP
