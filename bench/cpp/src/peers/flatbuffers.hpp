#pragma once

#include <memory>
#include <vector>

#include "../dataset/arrays.hpp"
#include "../dataset/plugins.hpp"
#include "../dataset/primitives.hpp"
#include "../subject.hpp"

namespace bench {

/// flatbuffers: tables that are built from the data and read in place. Decoding is verification and
/// reading into the data's own types, for which the library has a slower function that allocates
/// each table by itself.
void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data);
void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const frame>& data);
void add_flatbuffers(std::vector<subject>& to, const std::shared_ptr<const primitives>& data);

}  // namespace bench
