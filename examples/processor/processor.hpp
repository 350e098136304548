/// The base of plug-ins, and the server that makes a process of one.
#ifndef PROCESSOR_HPP
#define PROCESSOR_HPP

#include <cstdint>
#include <string>

#include "processor_service.hpp"

namespace plug {

/// A plug-in. Its author writes a class with these functions, and nothing of
/// processes.
class audio_processor {
   public:
    audio_processor() = default;
    audio_processor(const audio_processor&) = delete;
    audio_processor& operator=(const audio_processor&) = delete;
    virtual ~audio_processor() = default;

    /// The name, and the parameters with their values. Called by the thread of
    /// calls.
    [[nodiscard]] virtual processor::Description description() const = 0;
    /// Prepares for frames at a rate. Called by the thread of calls, before any
    /// block.
    virtual void prepare(std::uint32_t rate) = 0;
    /// Changes a parameter that there is, within its limits. Called by the thread
    /// of calls while another processes.
    virtual void change(std::uint32_t index, float value) noexcept = 0;
    /// Replaces a block's samples. Called by a thread that must not wait.
    virtual void process(processor::Block& block) noexcept = 0;
};

/// Serves a plug-in at an address of shared memory to one host, until that is
/// gone. Returns the program's exit code.
[[nodiscard]] int serve(const std::string& address, audio_processor& plugin);

}  // namespace plug

#endif  // PROCESSOR_HPP
