/// Serves demo.Echo, and calls it: in another process, in another language.
///
///     mxp_demo serve  mxp+unix:///tmp/echo.sock [MEMORY_BYTES]
///     mxp_demo call   mxp+unix:///tmp/echo.sock 1 hello [DEADLINE_MS]
///     mxp_demo stream mxp+unix:///tmp/echo.sock some words
///     mxp_demo event  mxp+unix:///tmp/echo.sock tick
///     mxp_demo poll   mxp+unix:///tmp/echo.sock some words
///     mxp_demo load   mxp+unix:///tmp/echo.sock CALLERS [BYTES [CHUNK]]
///     mxp_demo scripts                               what clients do: a line of the input each
///
/// For mxp+tls:// MXP_DEMO_CERTIFICATE and MXP_DEMO_KEY name the files of a server, and
/// MXP_DEMO_AUTHORITY the certificate that a client checks the server's by.

#include <iostream>

#include "demo.hpp"
#include "mxp/net/websocket.hpp"

int main(int count, char** words) {
    mxp::net::register_websocket();
    const std::vector<std::string> all(words + 1, words + count);
    if ((all.size() == 2 || all.size() == 3) && all[0] == "serve") {
        return demo::serve(all[1], all.size() > 2 ? std::stoul(all[2]) : 0);
    }
    if (all.size() == 1 && all[0] == "scripts") {
        return demo::run_scripts();
    }
    if (all.size() >= 3 && all[0] == "load") {
        return demo::load(all[1], {all.begin() + 2, all.end()});
    }
    if (all.size() >= 3 && all[0] == "poll") {
        return demo::poll_loop(all[1], {all.begin() + 2, all.end()});
    }
    if (all.size() >= 3) {
        return demo::ask(all[0], {all.begin() + 1, all.end()});
    }
    std::cerr
        << "usage: mxp_demo serve ADDRESS [MEMORY_BYTES] | call ADDRESS METHOD TEXT [DEADLINE_MS] "
           "| "
           "stream ADDRESS WORD... | poll ADDRESS WORD... | event ADDRESS TEXT | load ADDRESS "
           "CALLERS [BYTES [CHUNK]] | scripts\n";
    return 1;
}
