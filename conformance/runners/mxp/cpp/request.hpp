/// Requests, a line each, and the parts of answers.
#ifndef MXP_RUNNER_REQUEST_HPP
#define MXP_RUNNER_REQUEST_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxp/mxp.hpp"

namespace runner {

using bytes = std::vector<std::byte>;

/// A request, which is a line.
struct request {
    /// The first word.
    std::string operation;
    /// The bytes that follow it.
    bytes input;
    /// The words `name=value`.
    std::map<std::string, std::string, std::less<>> options;

    /// Frames up to which length of the payload.
    std::size_t limit = mxp::payload_bytes;
    mxp::checksum mode = mxp::checksum::on;
};

/// Reads a line. There is nothing if it isn't a request.
[[nodiscard]] std::optional<request> parse(std::string_view line);

/// A number in decimal digits.
[[nodiscard]] std::optional<std::uint64_t> number(std::string_view text);

/// Bytes in hexadecimal digits; none are written `-`.
[[nodiscard]] std::optional<bytes> from_hex(std::string_view text);

/// Bytes as lower-case digits.
[[nodiscard]] std::string hex(mxp::bytes_view from);

}  // namespace runner

#endif  // MXP_RUNNER_REQUEST_HPP
