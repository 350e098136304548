//! What values take in memory is at most what the generator's model says. Written by
//! `go test ./compiler/backend/rust -update`.

use golden::{plugins, shapes};

const _: () = assert!(size_of::<plugins::Parameter>() <= 104);
const _: () = assert!(size_of::<plugins::ParameterRef<'static>>() <= 104);
const _: () = assert!(size_of::<plugins::Plugin>() <= 120);
const _: () = assert!(size_of::<plugins::PluginRef<'static>>() <= 120);
const _: () = assert!(size_of::<plugins::PluginRegistry>() <= 32);
const _: () = assert!(size_of::<plugins::PluginRegistryRef<'static>>() <= 32);
const _: () = assert!(size_of::<shapes::Scalars>() <= 88);
const _: () = assert!(size_of::<shapes::Point>() <= 8);
const _: () = assert!(size_of::<shapes::Large>() <= 152);
const _: () = assert!(size_of::<shapes::LargeRef<'static>>() <= 152);
const _: () = assert!(size_of::<shapes::Node>() <= 24);
const _: () = assert!(size_of::<shapes::Settings>() <= 48);
const _: () = assert!(size_of::<shapes::SettingsRef<'static>>() <= 48);
const _: () = assert!(size_of::<shapes::Kept>() <= 32);
const _: () = assert!(size_of::<shapes::KeptRef<'static>>() <= 32);
const _: () = assert!(size_of::<shapes::Event>() <= 32);
const _: () = assert!(size_of::<shapes::EventRef<'static>>() <= 32);
const _: () = assert!(size_of::<shapes::Choice>() <= 32);
const _: () = assert!(size_of::<shapes::ChoiceRef<'static>>() <= 32);
const _: () = assert!(size_of::<shapes::Everything>() <= 792);
const _: () = assert!(size_of::<shapes::EverythingRef<'static>>() <= 792);
const _: () = assert!(size_of::<shapes::Absent>() <= 12);
const _: () = assert!(size_of::<shapes::AbsentRef<'static>>() <= 12);
const _: () = assert!(size_of::<shapes::Late>() <= 208);
const _: () = assert!(size_of::<shapes::LateRef<'static>>() <= 208);
const _: () = assert!(size_of::<shapes::Log>() <= 24);
const _: () = assert!(size_of::<shapes::LogRef<'static>>() <= 24);
const _: () = assert!(size_of::<shapes::Sparse>() <= 32);
const _: () = assert!(size_of::<shapes::SparseRef<'static>>() <= 32);
const _: () = assert!(size_of::<shapes::Tree>() <= 24);
const _: () = assert!(size_of::<shapes::Grid>() <= 24);
const _: () = assert!(size_of::<shapes::GridRef<'static>>() <= 24);
const _: () = assert!(size_of::<shapes::Empty>() <= 2);
const _: () = assert!(size_of::<shapes::EmptyRef<'static>>() <= 2);
