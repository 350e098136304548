/// Messages of Boost.Beast that are sent back, without MXP.
#ifndef WEBSOCKETBENCH_BEAST_HPP
#define WEBSOCKETBENCH_BEAST_HPP

#include <cstddef>
#include <memory>

namespace websocketbench {

/// A server of echoes on a thread of its own, and a client of it.
class bare {
   public:
    explicit bare(std::size_t size);
    bare(const bare&) = delete;
    bare& operator=(const bare&) = delete;
    ~bare();
    /// Sends a message, and waits until it is back.
    void call();

   private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace websocketbench

#endif  // WEBSOCKETBENCH_BEAST_HPP
