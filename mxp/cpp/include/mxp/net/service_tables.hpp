/// The tables of services, and what stands in them.
#ifndef MXP_NET_SERVICE_TABLES_HPP
#define MXP_NET_SERVICE_TABLES_HPP

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../engine/failure_text.hpp"
#include "services.hpp"
#include "types.hpp"

namespace mxp::net {

void add_types(std::vector<session::type>& types, std::vector<session::type> more) {
    for (session::type& one : more) {
        const auto at = std::lower_bound(
            types.begin(), types.end(), one.name,
            [](const session::type& a, const std::string& name) { return a.name < name; });
        if (at == types.end() || at->name != one.name) {
            types.insert(at, std::move(one));
            continue;
        }
        at->requests.insert(at->requests.end(), one.requests.begin(), one.requests.end());
        at->responses.insert(at->responses.end(), one.responses.begin(), one.responses.end());
    }
}

namespace detail {

/// The facts of a method that a schema has.
[[nodiscard]] inline method_facts facts_of(const method& method, flows flows = {}) {
    return {std::string{method.name}, method.is_idempotent, flows};
}

template <class Table>
[[nodiscard]] auto find_handler(const Table& handlers, std::uint16_t method) {
    const auto found = handlers.find(method);
    return found == handlers.end() ? nullptr : &found->second;
}

}  // namespace detail

service::service(std::string name) : name_(std::move(name)) {}
service::service(const service&) = default;
service::service(service&&) noexcept = default;
service& service::operator=(const service&) = default;
service& service::operator=(service&&) noexcept = default;
service::~service() = default;

template <class Handler>
service& service::add(table<Handler>& rows, std::uint16_t number, method_facts facts,
                      Handler handler) {
    if (find_call(number) != nullptr || find_stream(number) != nullptr ||
        find_event(number) != nullptr) {
        throw std::invalid_argument{"mxp: " + name_ + " has two methods " + std::to_string(number)};
    }
    rows.emplace(number, handler_entry<Handler>{std::move(facts), std::move(handler)});
    return *this;
}

service& service::call(std::uint16_t method, call_handler handler, std::string name) {
    return add(calls_, method, {std::move(name)}, std::move(handler));
}
service& service::call(const net::method& method, call_handler handler) {
    return add(calls_, method.number, detail::facts_of(method), std::move(handler));
}

service& service::stream(std::uint16_t method, flowing_handler handler, std::string name) {
    return add(streams_, method, {std::move(name), false, handler.flowing},
               std::move(handler.handler));
}
service& service::stream(const net::method& method, flowing_handler handler) {
    return add(streams_, method.number, detail::facts_of(method, handler.flowing),
               std::move(handler.handler));
}

namespace detail {

/// A handler of several events that takes one, too.
[[nodiscard]] inline event_entry handling_of(events_handler several) {
    event_handler one = [several](const request& request) {
        const bytes_view value = request.value;
        return several(request, {&value, 1});
    };
    return {std::move(one), std::move(several)};
}

}  // namespace detail

service& service::events(std::uint16_t method, events_handler handler, std::string name) {
    return add_event(method, detail::handling_of(std::move(handler)), std::move(name));
}
service& service::events(const net::method& method, events_handler handler) {
    return add_event(method, detail::handling_of(std::move(handler)));
}

service& service::add_event(std::uint16_t method, event_entry handler, std::string name) {
    return add(events_, method, {std::move(name)}, std::move(handler));
}
service& service::add_event(const net::method& method, event_entry handler) {
    return add(events_, method.number, detail::facts_of(method), std::move(handler));
}

const service::handler_entry<call_handler>* service::find_call(std::uint16_t method) const {
    return detail::find_handler(calls_, method);
}
const service::handler_entry<stream_handler>* service::find_stream(std::uint16_t method) const {
    return detail::find_handler(streams_, method);
}
const service::handler_entry<event_entry>* service::find_event(std::uint16_t method) const {
    return detail::find_handler(events_, method);
}

std::string service::unknown(std::string_view kind, std::uint16_t number) const {
    std::vector<std::pair<std::uint16_t, std::string>> all;
    for_each_method([&](session::purpose purpose, std::uint16_t n, const method_facts& facts) {
        std::string name = purpose == session::purpose::call     ? "call "
                           : purpose == session::purpose::stream ? "stream "
                                                                 : "event ";
        name.append(facts.name).append(facts.name.empty() ? "" : " = ");
        all.emplace_back(n, name.append(std::to_string(n)));
    });
    const std::size_t n = all.size();
    const auto distance = [&](const auto& item) { return std::abs(int{item.first} - int{number}); };
    std::sort(all.begin(), all.end());
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    all.resize(std::min(n, engine::listed_max));
    std::sort(all.begin(), all.end());
    std::vector<std::string> names;
    for (auto& one : all) {
        names.push_back(std::move(one.second));
    }
    return name_ + " has no " + std::string{kind} + " " + std::to_string(number) + "; it has " +
           engine::listed(names, n);
}

services::services() = default;
services::services(const services&) = default;
services::services(services&&) noexcept = default;
services& services::operator=(const services&) = default;
services& services::operator=(services&&) noexcept = default;
services::~services() = default;

service& services::service(std::string name, std::vector<session::type> reaches) {
    add_types(types_, std::move(reaches));
    return all_.emplace_back(std::move(name));
}

services& services::intercept(incoming_interceptor interceptor) {
    interceptors_.push_back(std::move(interceptor));
    return *this;
}

services& services::watch(std::shared_ptr<watcher> observer) {
    watchers_.push_back(std::move(observer));
    return *this;
}

std::shared_ptr<const services> services::served(services list, incoming_interceptor first) {
    if (first) {
        list.interceptors_.insert(list.interceptors_.begin(), std::move(first));
    }
    auto made = std::make_shared<const services>(std::move(list));
    for (const auto& one : made->watchers()) {
        one->on_serve(*made);
    }
    return made;
}

std::vector<std::string> services::names() const {
    std::vector<std::string> made;
    for (const net::service& one : all_) {
        made.push_back(one.name());
    }
    return made;
}

const service& services::operator[](std::size_t i) const { return all_[i]; }

}  // namespace mxp::net

#endif  // MXP_NET_SERVICE_TABLES_HPP
