#pragma once

#include <memory>
#include <vector>

#include "../dataset/arrays.hpp"
#include "../dataset/plugins.hpp"
#include "../dataset/primitives.hpp"
#include "../subject.hpp"

namespace bench {

/// Cap'n Proto: messages that are built from the data and read in place. It checks each pointer
/// when it is followed, so that there is neither validation alone nor reading without. Decoding is
/// reading into the data's own types, for which the library has no function.
void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data);
void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const frame>& data);
void add_capnproto(std::vector<subject>& to, const std::shared_ptr<const primitives>& data);

}  // namespace bench
