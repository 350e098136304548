#include "beast.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace websocketbench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using socket = beast::websocket::stream<tcp::socket, false>;

/// Sends back what comes.
class echo {
   public:
    explicit echo(tcp::socket of) : socket_(std::move(of)) {
        socket_.next_layer().set_option(tcp::no_delay{true});
        socket_.binary(true);
        socket_.auto_fragment(false);
        socket_.async_accept([this](beast::error_code failed) { next(failed); });
    }

   private:
    void next(beast::error_code failed) {
        if (failed) {
            return;
        }
        read_.clear();
        socket_.async_read(read_, [this](beast::error_code wrong, std::size_t) {
            if (!wrong) {
                socket_.async_write(read_.data(),
                                    [this](beast::error_code why, std::size_t) { next(why); });
            }
        });
    }

    socket socket_;
    beast::flat_buffer read_;
};

}  // namespace

struct bare::parts {
    asio::io_context theirs{1};
    tcp::acceptor acceptor{theirs, {asio::ip::make_address("127.0.0.1"), 0}};
    std::unique_ptr<echo> serves;
    std::thread thread;
    asio::io_context mine{1};
    socket asks{mine};
    std::vector<char> sent;
    beast::flat_buffer read;
};

bare::bare(std::size_t size) : parts_(std::make_unique<parts>()) {
    parts& all = *parts_;
    all.sent.resize(size);
    all.acceptor.async_accept([&all](beast::error_code, tcp::socket came) {
        all.serves = std::make_unique<echo>(std::move(came));
    });
    all.thread = std::thread{[&all] { all.theirs.run(); }};
    all.asks.next_layer().connect(all.acceptor.local_endpoint());
    all.asks.next_layer().set_option(tcp::no_delay{true});
    all.asks.binary(true);
    all.asks.handshake("127.0.0.1", "/");
}

bare::~bare() {
    parts_->theirs.stop();
    parts_->thread.join();
}

void bare::call() {
    parts& all = *parts_;
    all.read.clear();
    std::size_t size = 0;
    all.asks.async_write(asio::buffer(all.sent), [&](beast::error_code, std::size_t) {
        all.asks.async_read(all.read, [&](beast::error_code, std::size_t came) { size = came; });
    });
    all.mine.restart();
    all.mine.run();
    if (size != all.sent.size()) {
        throw beast::system_error{beast::errc::make_error_code(beast::errc::bad_message)};
    }
}

}  // namespace websocketbench
