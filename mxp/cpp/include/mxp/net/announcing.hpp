/// How a program stays registered at its own node [MESH-3.4].
#ifndef MXP_NET_ANNOUNCING_HPP
#define MXP_NET_ANNOUNCING_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agents_followed.hpp"
#include "announcement.hpp"

namespace mxp::net {

/// Used in the turns of the node's client, but for the epoch.
struct announcement::state final : std::enable_shared_from_this<state> {
    using clock = std::chrono::steady_clock;
    using microseconds = std::chrono::microseconds;

    state(asio::io_context& io, registry::Registration wanted, const client_options& options,
          told told_by)
        : asked(std::move(wanted)),
          then(std::move(told_by)),
          node(io, node_address(options.node), node_options(options)),
          timer(io) {
        if (asked.lease == 0) {
            asked.lease = 10'000'000;
        }
    }

    /// A function of what is still there, for those who call it later.
    template <class Function>
    [[nodiscard]] auto in_turn(Function call) {
        return [weak = weak_from_this(), call](const auto&... values) {
            if (const auto self = weak.lock(); self != nullptr && !self->is_over) {
                call(*self, values...);
            }
        };
    }

    void begin() {
        if (!detail::is_agent_name(asked.name)) {
            failure why = failure_of(session::kind::agent_invalid);
            why.text =
                "the name has other characters than letters, digits, - and _ in parts with a dot "
                "between two, or is too long";
            why.acted = false;
            node.post(in_turn([why](state& self) { self.lose(why); }));
            return;
        }
        node.all_->on_connected = in_turn([](state& self) { self.connected(); });
        node.post(in_turn([](state& self) { self.register_now(); }));
    }

    /// Asks for the name on a connection that is new. One request at a time is under way, so that
    /// the epoch that is told is that of the last: what waits for the first connection goes on by
    /// itself, and what may have gone over an older one is asked again behind its answer.
    void connected() {
        const bool is_first = !std::exchange(was_connected, true);
        if (!is_asking) {
            register_now();
        } else if (!is_first) {
            is_due = true;
        }
    }

    /// Asks for the name. Answers to what was asked before count no more.
    void register_now() {
        const std::uint64_t round = ++rounds;
        timer.cancel();
        is_asking = true;
        node.register_agent(asked,
                            in_turn([round](state& self, const outcome<registry::Lease>& came) {
                                if (round == self.rounds) {
                                    self.is_asking = false;
                                    self.registered(came);
                                }
                            }),
                            patience);
    }

    void registered(const outcome<registry::Lease>& came) {
        using namespace std::chrono_literals;
        const bool is_anew = std::exchange(is_due, false);
        if (!came) {
            lose(came.error());
            after(500ms, [](state& self) { self.register_now(); });
            return;
        }
        asked.epoch = came->epoch;
        const std::uint64_t now = std::max<std::uint64_t>(came->epoch, 1);  // 0.3 counts none
        const bool is_new = epoch.exchange(now) != now;
        loss.clear();
        lease = microseconds{static_cast<std::int64_t>(
            std::clamp(came->lease, session::lease_min_us, session::lease_max_us))};
        until = clock::now() + lease;
        if (is_new && then) {
            then(now, nullptr);
        }
        if (is_anew) {
            register_now();
        } else {
            after(lease / 3, [](state& self) { self.renew(); });
        }
    }

    void renew() {
        const auto sent = clock::now();
        const auto left = std::chrono::duration_cast<microseconds>(until - sent);
        node.heartbeat(
            asked.name,
            in_turn([sent, round = rounds](state& self, const outcome<microseconds>& came) {
                if (round != self.rounds) {
                    return;
                }
                if (came) {
                    self.until = sent + self.lease;
                } else if (came.error().name == to_string(session::kind::agent_unknown) ||
                           clock::now() >= self.until) {
                    self.lose(came.error());
                    self.register_now();
                    return;
                }
                self.after(self.lease / 3, [](state& that) { that.renew(); });
            }),
            std::max(left, microseconds{1000}));
    }

    /// Calls a function after a time, unless the name is asked for meanwhile.
    template <class Function>
    void after(microseconds time, Function call) {
        timer.expires_after(time);
        timer.async_wait(
            [weak = weak_from_this(), round = rounds, call](const std::error_code& failed) {
                if (const auto self = weak.lock(); self != nullptr && !failed) {
                    self->node.post(self->in_turn([round, call](state& that) {
                        if (round == that.rounds) {
                            call(that);
                        }
                    }));
                }
            });
    }

    /// Tells of a loss, if it is another.
    void lose(const failure& why) {
        const bool was_held = epoch.exchange(0) != 0;
        if (was_held || loss != why.name) {
            loss = why.name;
            if (then) {
                then(0, &why);
            }
        }
    }

    static constexpr microseconds patience{10'000'000};

    registry::Registration asked;
    told then;
    client node;
    asio::steady_timer timer;
    std::atomic<std::uint64_t> epoch{0};
    std::atomic<bool> is_over{false};
    std::uint64_t rounds = 0;
    /// Whether an answer to the last round is awaited, whether the name is to be asked for anew
    /// behind it, and whether there ever was a connection.
    bool is_asking = false;
    bool is_due = false;
    bool was_connected = false;
    microseconds lease{0};
    clock::time_point until{};
    /// The name of the failure that was told last.
    std::string loss{};
};

announcement::announcement(asio::io_context& io, registry::Registration asked, client_options node,
                           told then, detail::standard /*same*/)
    : state_(std::make_shared<state>(io, std::move(asked), node, std::move(then))) {
    state_->begin();
}

announcement::~announcement() {
    state_->is_over = true;
    state_->node.post([kept = state_] { kept->timer.cancel(); });
    state_->node.close();
}

std::uint64_t announcement::epoch() const noexcept { return state_->epoch; }

}  // namespace mxp::net

#endif  // MXP_NET_ANNOUNCING_HPP
