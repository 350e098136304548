/// SDP: all that generated code and most programs need. Streams of messages are in
/// `sdp/stream.hpp`, those over `std::istream` and `std::ostream` in `sdp/iostream.hpp`, JSON in
/// `sdp/json.hpp`, conversions between the forms of a value in `sdp/convert.hpp`, those to
/// `std::chrono` in `sdp/chrono.hpp`.
#ifndef SDP_SDP_HPP
#define SDP_SDP_HPP

#include "refusal.hpp"
#include "split.hpp"

#endif  // SDP_SDP_HPP
