# The plugin registry of bench/schemas/plugins.sdp, field by field.
@0xb2a7f3c1d4e5a601;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::plugins");

struct Parameter {
  address @0 :UInt64;
  displayName @1 :Text;
  identifier @2 :Text;
  unit @3 :Text;
  minValue @4 :Float32;
  maxValue @5 :Float32;
  defaultValue @6 :Float32;
  currentValue @7 :Float32;
  rawFlags @8 :UInt32;
  isWritable @9 :Bool;
  canRamp @10 :Bool;
}

struct Plugin {
  name @0 :Text;
  manufacturer @1 :Text;
  uri @2 :Text;
  class @3 :Text;
  parameters @4 :List(Parameter);
}

struct PluginRegistry {
  plugins @0 :List(Plugin);
  totalPluginCount @1 :UInt32;
  totalParameterCount @2 :UInt32;
}
