/// All types of the golden packages, each in all of its forms.
#pragma once

#include "decoding.hpp"
#include "plugins.hpp"
#include "sample.hpp"
#include "shapes.hpp"

namespace fuzz {

using sample::everything_forms;
using sample::forms;
using sample::log_forms;

using parameter_forms = forms<plugins::Parameter, plugins::ParameterRef, plugins::pmr::Parameter,
                              plugins::ParameterView>;
using plugin_forms =
    forms<plugins::Plugin, plugins::PluginRef, plugins::pmr::Plugin, plugins::PluginView>;
using registry_forms = forms<plugins::PluginRegistry, plugins::PluginRegistryRef,
                             plugins::pmr::PluginRegistry, plugins::PluginRegistryView>;

// A type of fixed size is its own borrowed form, and takes no memory.
using scalars_forms =
    forms<shapes::Scalars, shapes::Scalars, shapes::pmr::Scalars, shapes::ScalarsView>;
using point_forms = forms<shapes::Point, shapes::Point, shapes::pmr::Point, shapes::PointView>;
using event_changed_forms = forms<shapes::Event::Changed, shapes::Event::Changed,
                                  shapes::Event::Changed, shapes::EventChangedView>;

using large_forms = forms<shapes::Large, shapes::LargeRef, shapes::pmr::Large, shapes::LargeView>;
using node_forms = forms<shapes::Node, shapes::NodeRef, shapes::pmr::Node, shapes::NodeView>;
using settings_forms =
    forms<shapes::Settings, shapes::SettingsRef, shapes::pmr::Settings, shapes::SettingsView>;
using kept_forms = forms<shapes::Kept, shapes::KeptRef, shapes::pmr::Kept, shapes::KeptView>;
using event_forms = forms<shapes::Event, shapes::EventRef, shapes::pmr::Event, shapes::EventView>;
using choice_forms =
    forms<shapes::Choice, shapes::ChoiceRef, shapes::pmr::Choice, shapes::ChoiceView>;
using absent_forms =
    forms<shapes::Absent, shapes::AbsentRef, shapes::pmr::Absent, shapes::AbsentView>;
using late_forms = forms<shapes::Late, shapes::LateRef, shapes::pmr::Late, shapes::LateView>;
using sparse_forms =
    forms<shapes::Sparse, shapes::SparseRef, shapes::pmr::Sparse, shapes::SparseView>;
using tree_forms = forms<shapes::Tree, shapes::TreeRef, shapes::pmr::Tree, shapes::TreeView>;
using grid_forms = forms<shapes::Grid, shapes::GridRef, shapes::pmr::Grid, shapes::GridView>;
using empty_forms = forms<shapes::Empty, shapes::EmptyRef, shapes::pmr::Empty, shapes::EmptyView>;

// These take long to compile, and are in plugins.cpp, shapes.cpp and everything.cpp.
extern template void check<parameter_forms>(sdp::bytes_view);
extern template void check<plugin_forms>(sdp::bytes_view);
extern template void check<registry_forms>(sdp::bytes_view);
extern template void check<scalars_forms>(sdp::bytes_view);
extern template void check<point_forms>(sdp::bytes_view);
extern template void check<event_changed_forms>(sdp::bytes_view);
extern template void check<large_forms>(sdp::bytes_view);
extern template void check<node_forms>(sdp::bytes_view);
extern template void check<settings_forms>(sdp::bytes_view);
extern template void check<kept_forms>(sdp::bytes_view);
extern template void check<event_forms>(sdp::bytes_view);
extern template void check<choice_forms>(sdp::bytes_view);
extern template void check<everything_forms>(sdp::bytes_view);
extern template void check<absent_forms>(sdp::bytes_view);
extern template void check<late_forms>(sdp::bytes_view);
extern template void check<log_forms>(sdp::bytes_view);
extern template void check<sparse_forms>(sdp::bytes_view);
extern template void check<tree_forms>(sdp::bytes_view);
extern template void check<grid_forms>(sdp::bytes_view);
extern template void check<empty_forms>(sdp::bytes_view);

}  // namespace fuzz
