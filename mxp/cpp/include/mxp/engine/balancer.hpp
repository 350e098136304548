/// The choice among a client's connections [MXP-14.9].
#ifndef MXP_ENGINE_BALANCER_HPP
#define MXP_ENGINE_BALANCER_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "draw.hpp"
#include "outage.hpp"

namespace mxp::engine {

/// The connection with fewer requests in flight of two that are chosen at random out of so many,
/// and none that is left out, unless most would be [MXP-14.10]; null if none is ready. Mostly the
/// first two can be taken that are drawn, and no others are looked at.
template <class Connection, class Draw, class Ready, class IsInlier>
[[nodiscard]] Connection* least_busy(std::size_t connections, Draw& draw, Ready ready,
                                     IsInlier is_inlier) {
    const auto less_busy = [](Connection* a, Connection* b) {
        return a->in_flight() <= b->in_flight() ? a : b;
    };
    if (connections > 1) {
        const auto [first, second] = two(connections, draw);
        Connection* const one = ready(first);
        Connection* const other = ready(second);
        if (one != nullptr && other != nullptr && is_inlier(*one) && is_inlier(*other)) {
            return less_busy(one, other);
        }
    }
    std::vector<Connection*> all;
    std::vector<Connection*> inliers;
    for (std::size_t i = 0; i < connections; ++i) {
        if (Connection* const there = ready(i); there != nullptr) {
            all.push_back(there);
            if (is_inlier(*there)) {
                inliers.push_back(there);
            }
        }
    }
    if (inliers.size() * 2 >= all.size()) {
        all = std::move(inliers);
    }
    if (all.size() < 2) {
        return all.empty() ? nullptr : all.front();
    }
    const auto [first, second] = two(all.size(), draw);
    return less_busy(all[first], all[second]);
}

/// Why there is no connection to any of several addresses: the cause of each.
class causes {
   public:
    /// Adds the cause of an address, unless it is that of another connection to the last one.
    void add(const std::string& address, const failure& cause) {
        if (last_ == nullptr || (!may_heal(why_) && may_heal(cause))) {
            why_ = cause;
        }
        if (last_ != nullptr && *last_ == address) {
            return;
        }
        last_ = &address;
        text_.append(text_.empty() ? "" : "; ").append(address).append(": ");
        if (cause.name != to_string(session::kind::not_connected)) {
            text_.append(cause.name).append(cause.text.empty() ? "" : ": ");
        }
        text_.append(cause.text);
    }
    /// The failure of all. The addresses are still there.
    [[nodiscard]] failure joint() && {
        why_.peer.clear();
        why_.text = std::move(text_);
        return std::move(why_);
    }

   private:
    failure why_{};
    std::string text_{};
    const std::string* last_ = nullptr;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_BALANCER_HPP
