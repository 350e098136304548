/// A program that runs the operations of a language and looks at what they do to the machine:
///
///	machine run COUNT NAME        only runs one: for sanitizers
///	machine filter COUNT          in a process that dies of any system call
///	machine usage COUNT           beside the system's count of page faults and context switches
///	machine steps LEVELS          instruction by instruction
///	machine latency COUNT CPU     with a clock
///
/// Each prints a line for each operation and each fault: its name, and `ok`, `found` or `wrong`,
/// which is an operation that could not do what it is for. The rest of a line is for people.
#ifndef REALTIME_MACHINE_HPP
#define REALTIME_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "../operations.h"

namespace machine {

/// Looks at everything that is run: at each operation so often, and at each fault often enough.
void each(std::uint64_t count,
          const std::function<void(const realtime_operation&, std::uint64_t count)>& look);

/// A state of its own for each look, with a page for each of so many runs of the fault that touches
/// them.
void* prepared(std::size_t pages);

/// Runs an operation so often, at one fill level after another. It is false where what it returns
/// changes.
bool repeat(void* state, const realtime_operation& operation, std::uint64_t count) noexcept;

/// Says what became of an operation.
void report(const realtime_operation& operation, const char* verdict,
            const std::string& details = {});

void filter(std::uint64_t count);
void usage(std::uint64_t count);
void steps(std::size_t levels);
void latency(std::uint64_t count, int cpu);

}  // namespace machine

#endif  // REALTIME_MACHINE_HPP
