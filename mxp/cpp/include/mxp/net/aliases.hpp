/// The names of 0.4, for programs that were written for it. The next release has them no more.
#ifndef MXP_NET_ALIASES_HPP
#define MXP_NET_ALIASES_HPP

#include "../frame.hpp"
#include "../session/observer.hpp"
#include "blocking_typed.hpp"
#include "interceptors.hpp"
#include "telemetry.hpp"
#include "transport.hpp"
#include "typed_call.hpp"
#include "typed_stream.hpp"

namespace mxp {

using peeked [[deprecated("use frame_prefix")]] = frame_prefix;

namespace session {

using observed [[deprecated("use observed_request")]] = observed_request;

}  // namespace session

namespace net {

template <class T>
using reader [[deprecated("use receiver")]] = receiver<T>;
template <class T>
using writer [[deprecated("use sender")]] = sender<T>;
template <class In, class Out>
using duplex [[deprecated("use bidi_stream")]] = bidi_stream<In, Out>;
template <class In, class Out>
using collector [[deprecated("use client_stream")]] = client_stream<In, Out>;
template <class T>
using blocking_reader [[deprecated("use blocking_receiver")]] = blocking_receiver<T>;
template <class Request, class Response>
using blocking_writer [[deprecated("use blocking_client_stream")]] =
    blocking_client_stream<Request, Response>;
template <class In, class Out>
using blocking_duplex [[deprecated("use blocking_bidi_stream")]] = blocking_bidi_stream<In, Out>;
template <class T>
using told [[deprecated("use callback")]] = callback<T>;
using listening [[deprecated("use listener")]] = listener;
using answering [[deprecated("use answer_end")]] = answer_end;
using begun_request [[deprecated("use request_start")]] = request_start;
using ended_request [[deprecated("use request_end")]] = request_end;

}  // namespace net
}  // namespace mxp

#endif  // MXP_NET_ALIASES_HPP
