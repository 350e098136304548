/// Processor time, of this process and of the server's.
#ifndef RPCBENCH_CPU_HPP
#define RPCBENCH_CPU_HPP

#include <cstdint>

namespace rpcbench {

/// Nanoseconds that the threads of a process have run, in the kernel and outside. A thread that
/// ends meanwhile is left out; a process that is not there is a flaw.
[[nodiscard]] std::uint64_t cpu_nanoseconds(int process);

}  // namespace rpcbench

#endif  // RPCBENCH_CPU_HPP
