#include "decoding.hpp"
#include "forms.hpp"

namespace fuzz {

template void check<scalars_forms>(sdp::bytes_view);
template void check<point_forms>(sdp::bytes_view);
template void check<event_changed_forms>(sdp::bytes_view);
template void check<large_forms>(sdp::bytes_view);
template void check<node_forms>(sdp::bytes_view);
template void check<settings_forms>(sdp::bytes_view);
template void check<kept_forms>(sdp::bytes_view);
template void check<event_forms>(sdp::bytes_view);
template void check<choice_forms>(sdp::bytes_view);
template void check<absent_forms>(sdp::bytes_view);
template void check<late_forms>(sdp::bytes_view);
template void check<log_forms>(sdp::bytes_view);
template void check<sparse_forms>(sdp::bytes_view);
template void check<tree_forms>(sdp::bytes_view);
template void check<grid_forms>(sdp::bytes_view);
template void check<empty_forms>(sdp::bytes_view);

}  // namespace fuzz
