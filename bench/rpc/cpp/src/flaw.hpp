/// Why a run is no measurement.
#ifndef RPCBENCH_FLAW_HPP
#define RPCBENCH_FLAW_HPP

#include <stdexcept>

namespace rpcbench {

class flaw : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

}  // namespace rpcbench

#endif  // RPCBENCH_FLAW_HPP
