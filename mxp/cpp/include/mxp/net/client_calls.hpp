/// The functions of a client that its user calls.
#ifndef MXP_NET_CLIENT_CALLS_HPP
#define MXP_NET_CLIENT_CALLS_HPP

#include "agent_follower.hpp"
#include "agents.hpp"
#include "client_requests.hpp"
#include "client_state.hpp"
#include "typed_call.hpp"

namespace mxp::net {

client::client(asio::io_context& io, const address& address, client_options options,
               detail::standard same)
    : client(io, std::vector<detail::destination>{{address, to_string(address)}},
             std::move(options), same) {}
client::client(asio::io_context& io, std::string_view address, client_options options,
               detail::standard same)
    : client(io, std::vector<std::string>{std::string{address}}, std::move(options), same) {}
client::client(asio::io_context& io, const std::vector<std::string>& addresses,
               client_options options, detail::standard same)
    : client(io, detail::destinations(addresses), std::move(options), same) {
    if (addresses.size() == 1 && detail::names_agents(addresses.front())) {
        all_->follow(addresses.front());
        all_->turns->run([all = all_] {
            if (all->agents_followed) {
                all->agents_followed->ask();
            }
        });
    }
}

client::client(asio::io_context& io, const std::vector<detail::destination>& destinations,
               client_options options, detail::standard /*same*/)
    : all_(std::make_shared<state>(io, std::move(options))) {
    if (all_->options.telemetry != nullptr) {
        auto& all = all_->options.interceptors;
        std::vector<address> places;
        for (const detail::destination& one : destinations) {
            if (one.at) {
                places.push_back(*one.at);
            }
        }
        all.insert(all.begin(), detail::told_outgoing(all_->options.telemetry, all_->meters,
                                                      detail::place{places}));
    }
    for (const detail::destination& one : destinations) {
        for (std::size_t i = 0; i < std::max<std::size_t>(all_->options.connections, 1); ++i) {
            all_->links.push_back(std::make_unique<link>(*all_, one.at, one.text));
        }
    }
    all_->place = all_->links.size() == 1 ? all_->links.front()->place : nullptr;
    all_->turns->run([all = all_] {
        for (const auto& one : all->links) {
            one->connect();
        }
    });
}

client::~client() {
    all_->turns->run([all = all_] { all->close(); });
}

std::uint64_t client::call(const method& method, session::value body, call_options options,
                           answer_handler then) {
    const std::uint64_t ticket = all_->next_ticket();
    all_->call(ticket, method, std::move(body), std::move(options), std::move(then));
    return ticket;
}

std::uint64_t client::call(std::string_view service, std::uint16_t method, session::value body,
                           call_options options, answer_handler then) {
    return call({service, method, {}}, std::move(body), std::move(options), std::move(then));
}

std::uint64_t client::event(const method& method, session::value body, event_options options,
                            answer_handler then) {
    const std::uint64_t ticket = all_->next_ticket();
    all_->event(ticket, method, std::move(body), std::move(options), std::move(then));
    return ticket;
}

std::uint64_t client::event(std::string_view service, std::uint16_t method, session::value body,
                            event_options options, answer_handler then) {
    return event({service, method, {}}, std::move(body), std::move(options), std::move(then));
}

void client::events(const method& method, packed_values values, event_options options,
                    answer_handler then) {
    all_->events(method, std::move(values), std::move(options), std::move(then));
}

client::answer_handler detail::end_of_events(callback<void> then, std::optional<failure> why) {
    return [then = std::move(then), why = std::move(why)](const answer& answer) {
        if (!then) {
            return;
        }
        if (const auto& failure = answer.failed ? answer.failed : why) {
            then(failed_outcome{*failure});
        } else {
            then({});
        }
    };
}

stream client::open(const method& method, session::value body, call_options options,
                    bool is_final) {
    return all_->open(method, std::move(body), std::move(options), is_final);
}

stream client::open(std::string_view service, std::uint16_t method, session::value body,
                    call_options options) {
    return open({service, method, {}}, std::move(body), std::move(options));
}

std::uint64_t
client::register_agent(std::string name, std::vector<std::string> capabilities,
                       std::chrono::microseconds lease,
                       std::function<void(const outcome<std::chrono::microseconds>&)> then,
                       std::chrono::microseconds deadline) {
    return all_->agents(
        [name = std::move(name), can = std::move(capabilities),
         lease = detail::lease_us(lease)](session::session& session, std::uint64_t now) {
            const std::vector<std::string_view> shown(can.begin(), can.end());
            return session.register_agent(name, shown, lease, now);
        },
        detail::lease_of, std::move(then), deadline);
}

std::uint64_t client::register_agent(const registry::Registration& registration,
                                     std::function<void(const outcome<registry::Lease>&)> then,
                                     std::chrono::microseconds deadline) {
    return all_->agents(
        [registration](session::session& session, std::uint64_t now) {
            return session.register_agent(registration, now);
        },
        detail::whole_lease_of, std::move(then), deadline);
}

std::uint64_t client::heartbeat(std::string name,
                                std::function<void(const outcome<std::chrono::microseconds>&)> then,
                                std::chrono::microseconds deadline) {
    return all_->agents(
        [name = std::move(name)](session::session& session, std::uint64_t now) {
            return session.heartbeat(name, now);
        },
        detail::lease_of, std::move(then), deadline);
}

std::uint64_t client::discover(std::string capability,
                               std::function<void(const outcome<std::vector<agent>>&)> then,
                               std::chrono::microseconds deadline) {
    return all_->agents(
        [capability = std::move(capability)](session::session& session, std::uint64_t now) {
            return session.discover(capability, now);
        },
        detail::agents_of, std::move(then), deadline);
}

std::uint64_t client::discover(const registry::Query& query,
                               std::function<void(const outcome<registry::Agents>&)> then,
                               std::chrono::microseconds deadline) {
    return all_->agents([query](session::session& session,
                                std::uint64_t now) { return session.discover(query, now); },
                        detail::listing_of, std::move(then), deadline);
}

stream client::refused(failure why) {
    const stream made{all_->turns};
    made.state_->is_own = true;
    post([made, why = std::move(why)] { made.fail(why); });
    return made;
}

void client::post(std::function<void()> then) { all_->turns->post(std::move(then)); }

failure client::explained(const method& method, failure why) const {
    return all_->subject_of(method).explained(std::move(why), clock::now());
}

void client::cancel(std::uint64_t ticket) {
    all_->turns->run([all = all_, ticket] { all->cancel(ticket); });
}

void client::drain(std::string_view reason, std::chrono::milliseconds most,
                   std::function<void()> then) {
    all_->turns->run(
        [all = all_, why = std::string{reason}, most, then = std::move(then)]() mutable {
            all->drain(std::move(why), most, std::move(then));
        });
}

void client::close() {
    all_->turns->run([all = all_] {
        if (!all->is_single) {
            all->close();
        }
    });
}

bool client::is_connected() const noexcept { return all_->is_connected; }

session::statistics client::stats() const {
    const std::lock_guard<std::mutex> lock{all_->mutex};
    session::statistics made = all_->gone;
    for (const auto& to : all_->links) {
        if (to->current) {
            made.add(to->current->stats());
        }
        for (const auto& one : to->draining) {
            made.add(one->stats());
        }
    }
    all_->repetitions.add_to(made);
    made.shm_fallbacks += all_->options.shm.account->fallbacks();
    if (!all_->is_single) {  // else whoever has the connection counts its methods
        all_->meters->add_to(made);
    }
    return made;
}

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_CALLS_HPP
