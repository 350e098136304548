#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <iostream>

#include "demo.hpp"
#include "mxp/net/server.hpp"

namespace demo {

namespace {

namespace net = mxp::net;

void give_back_in_upper_case(const net::request&, const net::stream& end) {
    end.on_chunk([end](mxp::bytes_view chunk) {
        std::vector<std::byte> made(chunk.begin(), chunk.end());
        for (std::byte& one : made) {
            if (one >= std::byte{'a'} && one <= std::byte{'z'}) {
                one ^= std::byte{0x20};
            }
        }
        end.send(std::move(made));
    });
    end.on_finish([end] { end.finish(); });
}

net::services services() {
    // One thread serves, so that nobody else counts.
    const auto ticks = std::make_shared<std::uint64_t>(0);
    net::services all;
    all.service(std::string{service})
        .call(echo,
              [](const net::request& asked, const net::responder& by) { by.respond(asked.value); })
        .call(refuse,
              [](const net::request& asked, const net::responder& by) {
                  net::failure why;
                  why.status = mxp::session::status::FailedPrecondition;
                  why.name = "demo_refused";
                  why.text = text_of(asked.value);
                  by.fail(why);
              })
        .stream(upper, give_back_in_upper_case)
        .event(tick, [ticks](const net::request&) { ++*ticks; })
        .call(count, [ticks](const net::request&, const net::responder& by) {
            std::vector<std::byte> value(8);
            for (std::size_t i = 0; i < value.size(); ++i) {
                value[i] = static_cast<std::byte>(*ticks >> 8 * i & 0xff);
            }
            by.respond(std::move(value));
        });
    return all;
}

}  // namespace

int serve(std::string_view address, std::size_t memory_bytes) {
    asio::io_context context{1};
    net::server_options how;
    how.memory_bytes = memory_bytes;
    how.tls = server_tls();
    net::server server{context, services(), how};
    const auto at = server.listen(address);
    if (!at) {
        std::cerr << at.error().text << ": " << at.error().code.message() << "\n";
        return 1;
    }
    asio::signal_set signals{context, SIGINT, SIGTERM};
    signals.async_wait([&](const std::error_code& failed, int) {
        if (!failed) {
            server.drain("shutdown", std::chrono::seconds{5}, [&] { context.stop(); });
        }
    });
    std::cout << "serving " << *at << std::endl;
    context.run();
    return 0;
}

}  // namespace demo
