/// On which of its connections a client makes a request [MXP-14.9].
#ifndef MXP_NET_CHOOSING_HPP
#define MXP_NET_CHOOSING_HPP

#include "agents_followed.hpp"
#include "client_state.hpp"

namespace mxp::net {

inline bool client::state::is_usable() const noexcept {
    return std::any_of(links.begin(), links.end(),
                       [](const auto& one) { return one->usable() != nullptr; });
}

/// That with fewer in flight of two that are chosen at random, of those that are not excepted, and
/// none that is left out, unless most would be [MXP-14.10]. Mostly the first two can be taken that
/// are drawn, and no others are looked at.
inline connection* client::state::choose(const std::vector<const connection*>& but) {
    if (links.size() == 1 && but.empty()) {
        return links.front()->usable();
    }
    const auto takes = [&](const auto& one) {
        connection* const there = one->usable();
        return std::find(but.begin(), but.end(), there) == but.end() ? there : nullptr;
    };
    const auto is_inlier = [this](const connection& one) {
        return options.keep_outliers || !one.is_left_out();
    };
    const auto less_busy = [](connection* one, connection* other) {
        return one->in_flight() <= other->in_flight() ? one : other;
    };
    if (links.size() > 1) {
        const auto [first, second] = engine::two(links.size(), draws);
        connection* const one = takes(links[first]);
        connection* const other = takes(links[second]);
        if (one != nullptr && other != nullptr && is_inlier(*one) && is_inlier(*other)) {
            return less_busy(one, other);
        }
    }
    std::vector<connection*> ready;
    std::vector<connection*> inliers;
    for (const auto& link : links) {
        if (connection* const there = takes(link); there != nullptr) {
            ready.push_back(there);
            if (is_inlier(*there)) {
                inliers.push_back(there);
            }
        }
    }
    if (inliers.size() * 2 >= ready.size()) {
        ready = std::move(inliers);
    }
    if (ready.size() < 2) {
        return ready.empty() ? nullptr : ready.front();
    }
    const auto [first, second] = engine::two(ready.size(), draws);
    return less_busy(ready[first], ready[second]);
}

inline bool client::state::is_hopeless() const noexcept {
    if (agents_followed && agents_followed->agents.empty()) {
        return agents_followed->is_hopeless();
    }
    return !is_usable() &&
           (is_single || std::none_of(links.begin(), links.end(), [](const auto& one) {
                return detail::may_heal(one->trouble);
            }));
}

inline failure client::state::trouble() const {
    if (agents_followed && agents_followed->agents.empty()) {
        return agents_followed->trouble;
    }
    if (links.size() == 1) {
        return links.front()->trouble;
    }
    const auto may_heal = [](const auto& one) { return detail::may_heal(one->trouble); };
    const auto found = std::find_if(links.begin(), links.end(), may_heal);
    failure why = (found == links.end() ? links.front() : *found)->trouble;
    why.peer.clear();
    why.text.clear();
    const std::string* last = nullptr;
    for (const auto& one : links) {
        if (last != nullptr && *last == *one->place) {
            continue;  // another connection to the same address
        }
        last = one->place.get();
        why.text.append(why.text.empty() ? "" : "; ").append(*last).append(": ");
        if (one->trouble.name != to_string(session::kind::not_connected)) {
            why.text.append(one->trouble.name).append(one->trouble.text.empty() ? "" : ": ");
        }
        why.text.append(one->trouble.text);
    }
    return why;
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
        one.trouble = failure_of(session::kind::draining);
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

#endif  // MXP_NET_CHOOSING_HPP
