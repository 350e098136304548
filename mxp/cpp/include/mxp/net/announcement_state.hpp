/// How a program stays registered at its own node [MESH-3.4].
#ifndef MXP_NET_ANNOUNCEMENT_STATE_HPP
#define MXP_NET_ANNOUNCEMENT_STATE_HPP

#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "../engine/lease.hpp"
#include "agent_follower.hpp"
#include "announcement.hpp"

namespace mxp::net {

/// Used in the turns of the node's client, but for the epoch.
struct announcement::state final : std::enable_shared_from_this<state> {
    using clock = std::chrono::steady_clock;
    using microseconds = std::chrono::microseconds;

    state(asio::io_context& io, registry::Registration registration, const client_options& options,
          handler told_by)
        : lease(std::move(registration)),
          then(std::move(told_by)),
          node(io, node_address(options.node), node_options(options)),
          timer(io) {}

    /// A function that calls another later, if this object is still there.
    template <class Function>
    [[nodiscard]] auto in_turn(Function call) {
        return [weak = weak_from_this(), call](const auto&... values) {
            if (const auto self = weak.lock(); self != nullptr && !self->is_over) {
                call(*self, values...);
            }
        };
    }

    void begin() {
        if (!detail::is_agent_name(lease.registration().name)) {
            failure why = failure_of(session::kind::agent_invalid);
            why.text =
                "the name has other characters than letters, digits, - and _ in parts with a dot "
                "between two, or is too long";
            why.acted = false;
            node.post(in_turn([why](state& self) {
                if (self.lease.lost(why)) {
                    self.tell(&why);
                }
            }));
            return;
        }
        node.all_->on_connected = in_turn([](state& self) { self.connected(); });
        node.post(in_turn([](state& self) { self.register_now(); }));
    }

    void connected() {
        if (lease.connected()) {
            register_now();
        }
    }

    void register_now() {
        timer.cancel();
        lease.begin();
        node.register_agent(
            lease.registration(),
            in_turn([round = lease.round()](state& self, const outcome<registry::Lease>& outcome) {
                if (round == self.lease.round()) {
                    self.proceed(self.lease.registered(outcome, clock::now()),
                                 outcome ? nullptr : &outcome.error());
                }
            }),
            patience);
    }

    void renew() {
        const auto sent = clock::now();
        node.heartbeat(lease.registration().name,
                       in_turn([sent, round = lease.round()](state& self,
                                                             const outcome<microseconds>& outcome) {
                           if (round == self.lease.round()) {
                               const failure* const why = outcome ? nullptr : &outcome.error();
                               self.proceed(self.lease.renewed(why, sent, clock::now()), why);
                           }
                       }),
                       lease.left(sent));
    }

    void proceed(const engine::lease::next& next, const failure* why) {
        if (next.is_told) {
            tell(why);
        }
        if (next.pause.count() == 0) {
            register_now();
        } else if (next.registers) {
            after(next.pause, [](state& self) { self.register_now(); });
        } else {
            after(next.pause, [](state& self) { self.renew(); });
        }
    }

    void tell(const failure* why) {
        epoch = lease.epoch();
        if (then) {
            then(epoch, why);
        }
    }

    /// Calls a function after a time, unless the name is asked for meanwhile.
    template <class Function>
    void after(microseconds time, Function call) {
        timer.expires_after(time);
        timer.async_wait(
            [weak = weak_from_this(), round = lease.round(), call](const std::error_code& failed) {
                if (const auto self = weak.lock(); self != nullptr && !failed) {
                    self->node.post(self->in_turn([round, call](state& core) {
                        if (round == core.lease.round()) {
                            call(core);
                        }
                    }));
                }
            });
    }

    static constexpr microseconds patience{10'000'000};

    engine::lease lease;
    handler then;
    client node;
    asio::steady_timer timer;
    std::atomic<std::uint64_t> epoch{0};
    std::atomic<bool> is_over{false};
};

announcement::announcement(asio::io_context& io, registry::Registration registration,
                           client_options node, handler then, detail::standard /*same*/)
    : state_(std::make_shared<state>(io, std::move(registration), node, std::move(then))) {
    state_->begin();
}

announcement::~announcement() {
    state_->is_over = true;
    state_->node.post([kept = state_] { kept->timer.cancel(); });
    state_->node.close();
}

std::uint64_t announcement::epoch() const noexcept { return state_->epoch; }

}  // namespace mxp::net

#endif  // MXP_NET_ANNOUNCEMENT_STATE_HPP
