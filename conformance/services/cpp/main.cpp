/// Serves ledger.Ledger, and calls it: in another process, in another language.
///
///     services serve mxp+unix:///tmp/ledger.sock
///     services call  mxp+unix:///tmp/ledger.sock
///     services channels mxp+shm:///tmp/ledger.sock

#include <iostream>
#include <mxp/net/websocket.hpp>

#include "program.hpp"

int main(int count, char** words) {
    mxp::net::register_websocket();
    const std::vector<std::string> all(words + 1, words + count);
    if (all.size() == 2 && all[0] == "serve") {
        return services::serve(all[1]);
    }
    if (all.size() == 2 && all[0] == "call") {
        return services::call(all[1]);
    }
    if (all.size() == 2 && all[0] == "channels") {
        return services::ask_channels(all[1]);
    }
    std::cerr << "usage: services serve|call|channels ADDRESS\n";
    return 2;
}
