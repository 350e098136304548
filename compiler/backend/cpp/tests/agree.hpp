/// The agreement of all forms of a type: for any bytes, they have the same verdict.
#pragma once

#include <gtest/gtest.h>

#include "sample.hpp"

namespace sample {

/// Decodes bytes in every form. All refuse them alike, or else encode to the same bytes again.
template <class Forms>
sdp::result<typename Forms::owned> agree(sdp::bytes_view input,
                                         const sdp::decode_options& options = {}) {
    auto owned = sdp::decode<typename Forms::owned>(input, options);
    const auto borrowed = sdp::decode<typename Forms::borrowed>(input, options);
    const auto pooled = sdp::decode<typename Forms::pooled>(input, options);
    const auto view = sdp::decode<typename Forms::view>(input, options);
    EXPECT_EQ(owned.has_value(), borrowed.has_value());
    EXPECT_EQ(owned.has_value(), pooled.has_value());
    EXPECT_EQ(owned.has_value(), view.has_value());
    if (owned && borrowed && pooled) {
        const auto encoded = sdp::encode(*owned);
        EXPECT_TRUE(encoded.has_value());
        EXPECT_TRUE(encoded.value() == sdp::encode(*borrowed).value());
        EXPECT_TRUE(encoded.value() == sdp::encode(*pooled).value());
        EXPECT_EQ(encoded->size(), sdp::encoded_size(*owned));
        EXPECT_EQ(encoded->size(), sdp::encoded_size(*borrowed));
        EXPECT_EQ(encoded->size(), sdp::encoded_size(*pooled));
    } else if (!owned && !borrowed && !pooled && !view) {
        EXPECT_EQ(owned.error(), borrowed.error());
        EXPECT_EQ(owned.error(), pooled.error());
        EXPECT_EQ(owned.error(), view.error());
    }
    return owned;
}

// These take long to compile, and are in agree.cpp.
extern template sdp::result<shapes::Everything> agree<everything_forms>(sdp::bytes_view,
                                                                        const sdp::decode_options&);
extern template sdp::result<shapes::Log> agree<log_forms>(sdp::bytes_view,
                                                          const sdp::decode_options&);

/// A refusal as the table has it.
inline std::string told(const sdp::error& refusal) {
    std::string text{to_string(refusal.kind)};
    text += ' ' + std::to_string(refusal.offset.value_or(0));
    return refusal.path.empty() ? text : text + ' ' + refusal.path;
}

}  // namespace sample
