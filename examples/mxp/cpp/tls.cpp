#include <cstdlib>

#include "demo.hpp"

namespace demo {

asio::ssl::context* server_tls() {
    const char* const certificate = std::getenv("MXP_DEMO_CERTIFICATE");
    const char* const key = std::getenv("MXP_DEMO_KEY");
    if (certificate == nullptr || key == nullptr) {
        return nullptr;
    }
    static asio::ssl::context made{asio::ssl::context::tls_server};
    made.use_certificate_chain_file(certificate);
    made.use_private_key_file(key, asio::ssl::context::pem);
    return &made;
}

asio::ssl::context* client_tls() {
    const char* const authority = std::getenv("MXP_DEMO_AUTHORITY");
    if (authority == nullptr) {
        return nullptr;
    }
    static asio::ssl::context made{asio::ssl::context::tls_client};
    made.load_verify_file(authority);
    return &made;
}

}  // namespace demo
