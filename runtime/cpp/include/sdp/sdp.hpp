/// SDP: all that generated code and most programs need. Streams of messages are in
/// `sdp/stream.hpp`, those over `std::istream` and `std::ostream` in `sdp/iostream.hpp`, JSON in
/// `sdp/json.hpp`, conversions between the forms of a value in `sdp/convert.hpp`, those to
/// `std::chrono` in `sdp/chrono.hpp`.
#ifndef SDP_SDP_HPP
#define SDP_SDP_HPP

#include "codec.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "limits.hpp"
#include "numbers.hpp"
#include "result.hpp"
#include "span.hpp"
#include "time.hpp"
#include "unions.hpp"
#include "uuid.hpp"
#include "view.hpp"

#endif  // SDP_SDP_HPP
