#include "subjects.hpp"

namespace bench {

void add_sdp(std::vector<subject>&, const std::shared_ptr<const plugin_registry>&) {}
void add_sdp(std::vector<subject>&, const std::shared_ptr<const frame>&) {}
void add_sdp(std::vector<subject>&, const std::shared_ptr<const primitives>&) {}

}  // namespace bench
