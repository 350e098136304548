#pragma once

#include <memory>
#include <vector>

#include "../dataset/arrays.hpp"
#include "../dataset/plugins.hpp"
#include "../dataset/primitives.hpp"
#include "../subject.hpp"

namespace bench {

/// protobuf on the types that it generates: it encodes its message, and leaves decoded data as one.
/// There are two codecs: `protobuf` has its messages on the heap, `protobuf-arena` on an arena that
/// is reset and used again.
void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const plugin_registry>& data);
void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const frame>& data);
void add_protobuf(std::vector<subject>& to, const std::shared_ptr<const primitives>& data);

}  // namespace bench
