// The floor: bytes there and back over a unix socket by Asio, without any protocol.
#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../asio_loop.hpp"
#include "../calls.hpp"
#include "../peers.hpp"

namespace rpcbench::floor_asio {

namespace {

using local = asio::local::stream_protocol;

/// The bytes that are read at once.
constexpr std::size_t read_bytes = 128U << 10U;

/// A connection that gives back what comes.
class echo : public std::enable_shared_from_this<echo> {
   public:
    explicit echo(local::socket socket) : socket_(std::move(socket)) {}

    void read() {
        socket_.async_read_some(
            asio::buffer(buffer_),
            [self = shared_from_this()](const std::error_code& failed, std::size_t n) {
                if (!failed) {
                    self->write(n);
                }
            });
    }

   private:
    void write(std::size_t n) {
        asio::async_write(socket_, asio::buffer(buffer_.data(), n),
                          [self = shared_from_this()](const std::error_code& failed, std::size_t) {
                              if (!failed) {
                                  self->read();
                              }
                          });
    }

    local::socket socket_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(read_bytes);
};

void accept(local::acceptor& from) {
    from.async_accept([&from](const std::error_code& failed, local::socket socket) {
        if (!failed) {
            std::make_shared<echo>(std::move(socket))->read();
        }
        accept(from);
    });
}

void check(const std::error_code& failed) {
    if (failed) {
        throw flaw{"the server is gone: " + failed.message()};
    }
}

/// A connection with one call in flight.
class raw {
   public:
    raw(asio::io_context& context, const std::string& path)
        : socket_(std::make_unique<local::socket>(context)) {
        socket_->connect(local::endpoint{path});
    }

    template <class Done>
    void call(const payload& what, Done done) {
        reply_.resize(what.bytes.size());
        asio::async_write(*socket_, asio::buffer(what.bytes),
                          [this, done](const std::error_code& failed, std::size_t) {
                              check(failed);
                              asio::async_read(
                                  *socket_, asio::buffer(reply_),
                                  [this, done](const std::error_code& lost, std::size_t) {
                                      check(lost);
                                      done(reply_.data(), reply_.size());
                                  });
                          });
    }

   private:
    std::unique_ptr<local::socket> socket_;
    std::vector<std::byte> reply_;
};

/// A connection with many requests in flight, whose replies come in their order. As many as may be
/// are written in one piece.
class window {
   public:
    window(asio::io_context& context, const std::string& path) : socket_(context) {
        socket_.connect(local::endpoint{path});
    }

    /// One call. The requests of a turn are written together.
    void call(const payload& what, std::function<void(const void*, std::size_t)> done) {
        queue_.insert(queue_.end(), what.bytes.begin(), what.bytes.end());
        size_ = what.bytes.size();
        waiting_.push_back(std::move(done));
        if (!std::exchange(is_called_, true)) {
            asio::post(socket_.get_executor(), [this] {
                is_called_ = false;
                write();
                read();
            });
        }
    }

   private:
    void write() {
        if (is_writing_ || queue_.empty()) {
            return;
        }
        is_writing_ = true;
        writing_.swap(queue_);
        queue_.clear();
        asio::async_write(socket_, asio::buffer(writing_),
                          [this](const std::error_code& failed, std::size_t) {
                              check(failed);
                              is_writing_ = false;
                              write();
                          });
    }
    void read() {
        if (is_reading_ || waiting_.empty()) {
            return;
        }
        is_reading_ = true;
        buffer_.resize(std::max(read_bytes, size_));
        socket_.async_read_some(asio::buffer(buffer_.data() + there_, buffer_.size() - there_),
                                [this](const std::error_code& failed, std::size_t n) {
                                    check(failed);
                                    is_reading_ = false;
                                    there_ += n;
                                    tell();
                                    read();
                                });
    }
    void tell() {
        std::size_t at = 0;
        for (; there_ - at >= size_; at += size_) {
            const auto done = std::move(waiting_.front());
            waiting_.pop_front();
            done(buffer_.data() + at, size_);
        }
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(there_), buffer_.begin());
        there_ -= at;
    }

    local::socket socket_;
    std::vector<std::byte> queue_;
    std::vector<std::byte> writing_;
    std::vector<std::byte> buffer_;
    std::size_t there_ = 0;
    std::size_t size_ = 0;
    std::deque<std::function<void(const void*, std::size_t)>> waiting_;
    bool is_called_ = false;
    bool is_writing_ = false;
    bool is_reading_ = false;
};

/// A worker that shares a window with others.
struct sharer {
    std::shared_ptr<window> of;

    template <class Done>
    void call(const payload& what, Done done) {
        of->call(what, done);
    }
};

}  // namespace

void serve(const address& at) {
    asio::io_context context{1};
    local::acceptor acceptor{context, local::endpoint{at.path()}};
    ready(at);
    accept(acceptor);
    context.run();
}

record call(const address& at, const plan& of) {
    if (of.what != kind::call) {
        no_such_kind(of);
    }
    asio_loop loop;
    if (of.in_flight == 1) {
        std::vector<raw> callers;
        for (std::size_t i = 0; i < of.connections; ++i) {
            callers.emplace_back(loop.context, at.path());
        }
        return run_calls(of, callers, loop);
    }
    std::vector<sharer> callers;
    for (std::size_t i = 0; i < of.connections; ++i) {
        callers.resize(callers.size() + of.in_flight,
                       sharer{std::make_shared<window>(loop.context, at.path())});
    }
    return run_calls(of, callers, loop);
}

}  // namespace rpcbench::floor_asio
