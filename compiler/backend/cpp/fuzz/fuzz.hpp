/// The subjects of fuzzing. Each function takes any bytes, and throws where two ways to the same
/// disagree.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "sdp/span.hpp"
#include "spending.hpp"

namespace fuzz {

/// Decodes bytes as a registry of plugins.
void registry(sdp::bytes_view input);

/// Decodes bytes as a value of every construct.
void everything(sdp::bytes_view input);

/// Decodes bytes as a value of any type: the first byte says which.
void types(sdp::bytes_view input);

/// Walks bytes by a layout: the first bytes say by which.
void explain(sdp::bytes_view input);

/// Reads a stream of messages at once and in pieces, whose sizes the first byte says.
void stream(sdp::bytes_view input);

/// Gives one input to one of the functions above, as libFuzzer asks for it. The first expectation
/// that fails ends the program, and libFuzzer keeps the input.
inline int run(void (*target)(sdp::bytes_view), const std::uint8_t* data, std::size_t size) {
    static const bool is_ready = [] {
        GTEST_FLAG_SET(throw_on_failure, true);
        start_counting();
        return true;
    }();
    static_cast<void>(is_ready);
    target(sdp::bytes_view(data, size));
    return 0;
}

}  // namespace fuzz
