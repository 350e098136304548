#include <iterator>

#include "decoding.hpp"
#include "forms.hpp"
#include "fuzz.hpp"

namespace fuzz {

namespace {

/// The same types in the same order as Rust's targets have them, so that inputs mean the same.
constexpr void (*subjects[])(sdp::bytes_view) = {
    check<parameter_forms>,  check<plugin_forms>, check<registry_forms>,      check<scalars_forms>,
    check<point_forms>,      check<large_forms>,  check<node_forms>,          check<settings_forms>,
    check<kept_forms>,       check<event_forms>,  check<event_changed_forms>, check<choice_forms>,
    check<everything_forms>, check<absent_forms>, check<late_forms>,          check<log_forms>,
    check<sparse_forms>,     check<tree_forms>,   check<grid_forms>,          check<empty_forms>,
};

}  // namespace

void types(sdp::bytes_view input) {
    if (!input.empty()) {
        const auto which = std::to_integer<std::size_t>(input[0]);
        subjects[which % std::size(subjects)](input.subspan(1));
    }
}

}  // namespace fuzz
