/// All of `sdp/sdp.hpp` but what names refusals. It is for generated headers of which the functions
/// are compiled in a source file of their own.
#ifndef SDP_SPLIT_HPP
#define SDP_SPLIT_HPP

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

#endif  // SDP_SPLIT_HPP
