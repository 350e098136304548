# The frame of bench/schemas/arrays.sdp.
@0xb2a7f3c1d4e5a603;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::arrays");

struct Frame {
  samples @0 :List(Float32);
  indices @1 :List(UInt32);
}
