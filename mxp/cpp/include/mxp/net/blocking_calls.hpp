/// The functions of a blocking client that its user calls.
#ifndef MXP_NET_BLOCKING_CALLS_HPP
#define MXP_NET_BLOCKING_CALLS_HPP

#include "blocking_requests.hpp"

namespace mxp::net {

blocking_client::blocking_client(const address& address, blocking_options options,
                                 detail::standard /*same*/)
    : all_(std::make_unique<blocking_caller>(address, to_string(address), std::move(options))) {}
blocking_client::blocking_client(std::string_view address, blocking_options options,
                                 detail::standard /*same*/)
    : all_(std::make_unique<blocking_caller>(parse_address(address), std::string{address},
                                             std::move(options))) {}
blocking_client::~blocking_client() = default;

outcome<reply> blocking_client::call(const method& method, bytes_view value, call_options options) {
    return all_->call(method, value, std::move(options));
}
outcome<reply> blocking_client::call(std::string_view service, std::uint16_t method,
                                     bytes_view value, const call_options& options) {
    return call({service, method, {}}, value, options);
}

outcome<reply> blocking_client::event(const method& method, bytes_view value,
                                      event_options options) {
    return all_->event(method, value, std::move(options));
}
outcome<reply> blocking_client::event(std::string_view service, std::uint16_t method,
                                      bytes_view value, const event_options& options) {
    return event({service, method, {}}, value, options);
}

outcome<void> blocking_client::events(const method& method, const packed_values& values,
                                      event_options options) {
    return all_->events(method, values, std::move(options));
}

outcome<blocking_stream> blocking_client::open(const method& method, bytes_view value,
                                               call_options options, bool is_final) {
    return all_->open(method, value, std::move(options), is_final);
}

outcome<std::chrono::microseconds>
blocking_client::register_agent(std::string_view name, const std::vector<std::string>& capabilities,
                                std::chrono::microseconds lease) {
    return all_->register_agent(name, capabilities, lease);
}
outcome<std::chrono::microseconds> blocking_client::heartbeat(std::string_view name) {
    return all_->heartbeat(name);
}
outcome<std::vector<agent>> blocking_client::discover(std::string_view capability) {
    return all_->discover(capability);
}

session::statistics blocking_client::stats() const { return all_->stats(); }

failure blocking_client::explained(const method& method, failure why) const {
    return all_->explained(method, std::move(why));
}

failure blocking_stream::explained(failure why) const {
    return state_->subject.explained(std::move(why), std::chrono::steady_clock::now());
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_CALLS_HPP
