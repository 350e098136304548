@0xb1f0a6c3e1d94a77;

struct Payload {
  data @0 :Data;
}

interface Echo {
  call @0 (payload :Payload) -> (payload :Payload);
}
