/// Parts of requests, and of how they end.
#ifndef MXP_SESSION_PARTS_HPP
#define MXP_SESSION_PARTS_HPP

#include <cstdint>
#include <string_view>

#include "../frame.hpp"
#include "mxp_control.hpp"

namespace mxp::session {

/// How an exchange ended. The numbers are gRPC's.
using status = control::Status;

/// W3C's trace context.
using trace_context = control::Trace;

/// A key and a value that travel beside a request or its answer.
using metadatum = control::MetadatumRef;

/// Metadata, read where they lie in the bytes that came: a range of `control::MetadatumView`.
using metadata_view = decltype(control::ResponseHeadView{}.metadata());

/// The purpose of a request [MXP-5.4].
enum class purpose : std::uint8_t { call, stream, event, agents };

/// Why a request, or the session, ended.
struct failure {
    mxp::session::status status{};
    /// The name of a refusal or a limit, or the name that the peer's user chose.
    std::string_view name{};
    std::string_view text{};
    bytes_view details{};
    /// Whether the peer may have acted on the request [MXP-7.4].
    bool acted = false;
};

/// Why a request of the peer's has ended.
enum class reason : std::uint8_t {
    /// The peer has cancelled it.
    peer,
    /// Its deadline has passed.
    deadline,
    /// The peer sent more on its stream than was granted.
    credit,
    /// The session has ended.
    end,
    /// Nobody has taken its chunks, and they were too many.
    memory,
};

}  // namespace mxp::session

#endif  // MXP_SESSION_PARTS_HPP
