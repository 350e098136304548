/// Refusals as rows: name, layout, bytes in hexadecimal, options, and what `explain` says.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdp/walk.hpp"

/// The layout that a row names or spells, with semicolons for the ends of lines.
std::string layout_of(std::string_view name);

std::vector<std::byte> from_hex(std::string_view text);

/// Runs each row alone and behind a header.
void check_rows(std::string_view rows);

/// A text so many times.
std::string repeated(std::string_view text, std::size_t times);

/// The finding of `explain` in a whole value.
std::optional<sdp::error> explain_whole(std::string_view layout, sdp::bytes_view input,
                                        const sdp::limits& limits = {});
