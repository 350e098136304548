/// Declarations that the parts of the program share.
#ifndef SERVICES_PROGRAM_HPP
#define SERVICES_PROGRAM_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gen/ledger_service.hpp"

namespace services {

/// Serves until it is told to end.
int serve(const std::string& address);
/// Calls everything.
int call(const std::string& address);
/// The channels that a server opens.
std::shared_ptr<const mxp::net::channels> channels();
/// Opens channels, and exchanges values.
int ask_channels(const std::string& address);

inline std::vector<std::byte> bytes_of(std::string_view text) {
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

inline std::string text_of(mxp::bytes_view bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A failure of a handler that has acted.
inline mxp::net::failure failed(unsigned status, std::string name, std::string text = {}) {
    return {static_cast<mxp::session::status>(status), std::move(name), std::move(text), {}, true};
}

/// The metadatum that lets requests in, and its value.
inline constexpr std::string_view key_name = "key";
inline constexpr std::string_view sesame = "sesame";

/// The metadatum of answers that has the method's name.
inline constexpr std::string_view seen_name = "seen";

}  // namespace services

#endif  // SERVICES_PROGRAM_HPP
