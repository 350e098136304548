#include "decoding.hpp"
#include "forms.hpp"
#include "fuzz.hpp"

namespace fuzz {

template void check<everything_forms>(sdp::bytes_view);

void everything(sdp::bytes_view input) { check<everything_forms>(input); }

}  // namespace fuzz
