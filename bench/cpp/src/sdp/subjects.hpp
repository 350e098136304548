#pragma once

#include <memory>
#include <vector>

#include "../dataset/arrays.hpp"
#include "../dataset/plugins.hpp"
#include "../dataset/primitives.hpp"
#include "../subject.hpp"

namespace bench {

/// SDP on the types that it generates: it encodes SDP's value, and leaves decoded data as one. The
/// registry has two codecs: `sdp` as anybody would use it, and `sdp-pmr` with all memory from a
/// prepared arena. Without generated code nothing is added.
void add_sdp(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data);
void add_sdp(std::vector<subject>& to, const std::shared_ptr<const frame>& data);
void add_sdp(std::vector<subject>& to, const std::shared_ptr<const primitives>& data);

}  // namespace bench
