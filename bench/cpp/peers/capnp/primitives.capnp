# The fields of bench/schemas/primitives.sdp.
@0xb2a7f3c1d4e5a602;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::primitives");

struct Primitives {
  flag @0 :Bool;
  tiny @1 :Int8;
  small @2 :Int16;
  medium @3 :Int32;
  large @4 :Int64;
  octet @5 :UInt8;
  port @6 :UInt16;
  count @7 :UInt32;
  total @8 :UInt64;
  ratio @9 :Float32;
  value @10 :Float64;
  takenAt @11 :Int64;
}
