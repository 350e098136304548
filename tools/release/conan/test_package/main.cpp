#include <cstdio>
#include <cstdlib>
#include <mxp/hash.hpp>
#include <mxp/session.hpp>
#include <sdp/sdp.hpp>
#if SOCKETS
#include <asio/io_context.hpp>
#include <mxp/net.hpp>
#endif
#if TLS
#include <asio/ssl/context.hpp>
#endif
#if WEBSOCKET
#include <mxp/net/websocket.hpp>
#endif

#if SOCKETS
static void listens(mxp::net::server& server, const char* address) {
    if (!server.listen(address)) {
        std::printf("nothing listens on %s\n", address);
        std::exit(1);
    }
    std::printf("listens on %s\n", address);
}
#endif

int main() {
    if (mxp::wire::hash(nullptr, 0) != 0x2d06800538d394c2) {
        return 1;
    }
    std::puts("hashes");
#if SOCKETS
    asio::io_context io;
    mxp::net::server_options options;
#if TLS
    asio::ssl::context tls{asio::ssl::context::tls_server};
    options.tls = &tls;
#endif
    mxp::net::server server{io, {}, options};
    listens(server, "mxp+tcp://127.0.0.1:0");
#if TLS
    listens(server, "mxp+tls://127.0.0.1:0");
#endif
#if WEBSOCKET
    mxp::net::register_websocket();
    listens(server, "mxp+ws://127.0.0.1:0/");
#endif
    server.close();
#endif
}
