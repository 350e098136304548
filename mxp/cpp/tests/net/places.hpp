/// Places of this machine for tests that need any server: at a unix socket, or a named pipe where
/// the system has none.
#ifndef MXP_TESTS_NET_PLACES_HPP
#define MXP_TESTS_NET_PLACES_HPP

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "mxp/net/system/features.hpp"
#include "mxp/net/system/user.hpp"

namespace running {

namespace net = mxp::net;

/// The scheme of the addresses.
inline const std::string plain = MXP_HAS_PIPES ? "pipe" : "unix";

/// A part of the text on an address that nobody listens on.
inline const std::string absent = MXP_HAS_PIPES ? "nobody serves a pipe" : "No such file";

/// The schemes of transports over sockets and pipes of this system.
[[nodiscard]] inline std::vector<std::string> sockets() {
    std::vector<std::string> made{plain, "tcp"};
#if defined(MXP_TLS)
    made.emplace_back("tls");
#endif
    return made;
}
/// The schemes of all transports, that of tests among them.
[[nodiscard]] inline std::vector<std::string> transports() {
    std::vector<std::string> made = sockets();
    made.emplace_back("shm");
    made.emplace_back("tube");
    return made;
}

/// An address of TCP on which nobody listens.
[[nodiscard]] inline std::string free_port() {
    asio::io_context context;
    const asio::ip::tcp::acceptor made{context, {asio::ip::make_address("127.0.0.1"), 0}};
    return "mxp+tcp://127.0.0.1:" + std::to_string(made.local_endpoint().port());
}

/// A folder that is gone with the test.
class folder {
   public:
    folder() {
        std::random_device draw;
        path_ = std::filesystem::temp_directory_path() / ("mxp-net-" + std::to_string(draw()));
        std::filesystem::create_directory(path_);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string in(const std::string& name) const { return (path_ / name).string(); }
    /// The address of a name, the same each time.
    [[nodiscard]] std::string at(const std::string& name) const {
        return MXP_HAS_PIPES ? "mxp+pipe://" + path_.filename().string() + "-" + name
                             : socket_at(name);
    }
    /// The address of the same place by another scheme.
    [[nodiscard]] std::string at(const std::string& name, const std::string& scheme) const {
        const std::string plain_one = at(name);
        return "mxp+" + scheme + plain_one.substr(plain_one.find(':'));
    }
    /// The same for tests that use sockets of their own.
    [[nodiscard]] std::string socket_at(const std::string& name) const {
        if (MXP_HAS_UNIX_SOCKETS) {
            return "mxp+unix://" + in(name);
        }
        std::string& made = ports_[name];
        return made = made.empty() ? free_port() : made;
    }

   private:
    std::filesystem::path path_;
    mutable std::map<std::string, std::string> ports_{};
};

/// The user of this program, and one who is another.
[[nodiscard]] inline net::user_id own_user() { return net::detail::own_user().value(); }
[[nodiscard]] inline net::user_id other_user() {
#if defined(_WIN32)
    return "S-1-0-0";
#else
    return own_user() + 1;
#endif
}

/// Sets a variable of the environment, or takes it away.
inline void set_environment(const std::string& name, const std::string& value) {
#if defined(_WIN32)
    ::_putenv_s(name.c_str(), value.c_str());
#else
    static_cast<void>(value.empty() ? ::unsetenv(name.c_str())
                                    : ::setenv(name.c_str(), value.c_str(), 1));
#endif
}

}  // namespace running

#endif  // MXP_TESTS_NET_PLACES_HPP
