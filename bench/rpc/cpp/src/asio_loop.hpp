/// A context of Asio's on this thread: each process has one core at most, so that more threads
/// would only be in each other's way.
#ifndef RPCBENCH_ASIO_LOOP_HPP
#define RPCBENCH_ASIO_LOOP_HPP

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>

namespace rpcbench {

struct asio_loop {
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard =
        asio::make_work_guard(context);

    void run() {
        context.restart();
        context.run();
    }
    void stop() { context.stop(); }
};

}  // namespace rpcbench

#endif  // RPCBENCH_ASIO_LOOP_HPP
