/// Values of a schema as requests and answers [MXP-13].
#ifndef MXP_NET_TYPED_HPP
#define MXP_NET_TYPED_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "request.hpp"
#include "sdp/sdp.hpp"

namespace mxp::net {

/// The failure that a refusal of an encoder or decoder is.
template <class Error>
[[nodiscard]] failure failure_of(const Error& refusal, session::status status, bool acted) {
    return {status, std::string{to_string(refusal.kind)}, refusal.message(), {}, acted};
}

/// Encodes a request, of which nothing is sent if that fails.
template <class T>
[[nodiscard]] outcome<std::vector<std::byte>> encoded_request(const T& value) {
    auto bytes = sdp::encode(value);
    if (!bytes) {
        return failed_outcome{failure_of(bytes.error(), session::status::InvalidArgument, false)};
    }
    return std::move(*bytes);
}

/// Encodes a response. The failure is for the peer too [MXP-13.7].
template <class T>
[[nodiscard]] outcome<std::vector<std::byte>> encoded_response(const T& value) {
    auto bytes = sdp::encode(value);
    if (!bytes) {
        return failed_outcome{failure_of(bytes.error(), session::status::Internal, true)};
    }
    return std::move(*bytes);
}

/// Decodes a request. The failure has the decoder's refusal, and status InvalidArgument; it says
/// that nobody has acted [MXP-13.4].
template <class T>
[[nodiscard]] outcome<T> decoded_request(bytes_view bytes) {
    auto value = sdp::decode<T>(bytes);
    if (!value) {
        return failed_outcome{failure_of(value.error(), session::status::InvalidArgument, false)};
    }
    return std::move(*value);
}

/// Decodes a response. The failure has the decoder's refusal, and status DataLoss; it says that
/// the peer may have acted [MXP-13.5].
template <class T>
[[nodiscard]] outcome<T> decoded_response(bytes_view bytes) {
    auto value = sdp::decode<T>(bytes);
    if (!value) {
        return failed_outcome{failure_of(value.error(), session::status::DataLoss, true)};
    }
    return std::move(*value);
}

/// Says that a stream that has one response had none, or more [MXP-13.6].
[[nodiscard]] inline failure not_one_response() {
    failure why = failure_of(session::kind::stream_responses);
    why.acted = true;
    return why;
}

}  // namespace mxp::net

#endif  // MXP_NET_TYPED_HPP
