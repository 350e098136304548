#include "agree.hpp"

namespace sample {

template sdp::result<shapes::Everything> agree<everything_forms>(sdp::bytes_view,
                                                                 const sdp::decode_options&);
template sdp::result<shapes::Log> agree<log_forms>(sdp::bytes_view, const sdp::decode_options&);

}  // namespace sample
