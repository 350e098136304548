/// On which of its connections a client makes a request [MXP-14.9].
#ifndef MXP_NET_BALANCER_HPP
#define MXP_NET_BALANCER_HPP

#include "../engine/balancer.hpp"
#include "agent_follower.hpp"
#include "client_state.hpp"

namespace mxp::net {

inline bool client::state::is_usable() const noexcept {
    return std::any_of(links.begin(), links.end(),
                       [](const auto& item) { return item->usable() != nullptr; });
}

/// Chooses a connection that is not excepted.
inline connection* client::state::choose(const std::vector<const connection*>& but) {
    if (links.size() == 1 && but.empty()) {
        return links.front()->usable();
    }
    const auto takes = [&](std::size_t i) {
        connection* const there = links[i]->usable();
        return std::find(but.begin(), but.end(), there) == but.end() ? there : nullptr;
    };
    return engine::least_busy<connection>(
        links.size(), draws, takes, [this](const connection& connection) {
            return options.keep_outliers || !connection.is_left_out();
        });
}

inline bool client::state::is_hopeless() const noexcept {
    if (agents_followed && agents_followed->roster.empty()) {
        return agents_followed->roster.is_hopeless();
    }
    return !is_usable() &&
           (is_single || std::none_of(links.begin(), links.end(),
                                      [](const auto& item) { return item->endpoint.may_heal(); }));
}

inline failure client::state::trouble() const {
    if (agents_followed && agents_followed->roster.empty()) {
        return agents_followed->roster.trouble();
    }
    if (links.size() == 1) {
        return links.front()->endpoint.trouble();
    }
    engine::causes all;
    for (const auto& one : links) {
        all.add(*one->place, one->endpoint.trouble());
    }
    return std::move(all).joint();
}

/// It asks in the connection's turns, and has it as long as that is there.
inline std::shared_ptr<client> connection::back() {
    if (back_client_ == nullptr && !is_gone_) {
        const auto all = std::make_shared<client::state>(context_, client_options{}, turns_);
        all->is_single = true;
        all->place = options_.peer;
        all->meters = options_.meters;
        if (options_.told != nullptr) {
            all->options.interceptors.push_back(
                detail::told_outgoing(options_.told->by, options_.meters, {}));
        }
        all->links.push_back(std::make_unique<client::link>(
            *all, std::nullopt, options_.peer != nullptr ? *options_.peer : std::string{}));
        client::link& one = *all->links.front();
        one.is_able = false;
        one.endpoint.give_up(failure_of(session::kind::draining));
        one.current = std::shared_ptr<connection>{std::shared_ptr<void>{}, this};
        all->is_connected = true;
        back_ = std::shared_ptr<owner>{all, &one};
        back_client_ = std::shared_ptr<client>{new client{all}};
    }
    return back_client_;
}

std::shared_ptr<client> request::client() const {
    const auto there = by.lock();
    return there == nullptr ? nullptr : there->back();
}

}  // namespace mxp::net

#endif  // MXP_NET_BALANCER_HPP
