#include "decoding.hpp"
#include "forms.hpp"
#include "fuzz.hpp"

namespace fuzz {

template void check<parameter_forms>(sdp::bytes_view);
template void check<plugin_forms>(sdp::bytes_view);
template void check<registry_forms>(sdp::bytes_view);

void registry(sdp::bytes_view input) { check<registry_forms>(input); }

}  // namespace fuzz
