/// Requests: `OPERATION SCHEMA[.TYPE] [HEX] [LIMIT=NUMBER …]`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "table.hpp"

namespace runner {

/// One line, split.
struct request {
    std::string operation;
    const runner::schema* schema = nullptr;
    /// Null for a request about a whole schema.
    const runner::type* type = nullptr;
    std::vector<std::byte> input;
    sdp::decode_options options;
};

/// Splits a line, or returns its error.
[[nodiscard]] std::variant<request, failure> parse(std::string_view line);

[[nodiscard]] std::string hex(std::string_view bytes);

}  // namespace runner
