// The names of the last release, in the header that has them.
#include "mxp/net/aliases.hpp"

#include <type_traits>

#include "mxp/net.hpp"
#include "running.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace net = mxp::net;

namespace aliases_tests {

TEST(aliases, are_the_types_of_today) {
    static_assert(std::is_same_v<net::reader<int>, net::receiver<int>>);
    static_assert(std::is_same_v<net::writer<int>, net::sender<int>>);
    static_assert(std::is_same_v<net::duplex<int, char>, net::bidi_stream<int, char>>);
    static_assert(std::is_same_v<net::collector<int, char>, net::client_stream<int, char>>);
    static_assert(std::is_same_v<net::blocking_reader<int>, net::blocking_receiver<int>>);
    static_assert(
        std::is_same_v<net::blocking_writer<int, char>, net::blocking_client_stream<int, char>>);
    static_assert(
        std::is_same_v<net::blocking_duplex<int, char>, net::blocking_bidi_stream<int, char>>);
    static_assert(std::is_same_v<net::told<int>, net::callback<int>>);
    static_assert(std::is_same_v<net::listening, net::listener>);
    static_assert(std::is_same_v<net::answering, net::answer_end>);
    static_assert(std::is_same_v<net::begun_request, net::request_start>);
    static_assert(std::is_same_v<net::ended_request, net::request_end>);
    static_assert(std::is_same_v<mxp::session::observed, mxp::session::observed_request>);
    static_assert(std::is_same_v<net::client::done, net::client::answer_handler>);
    static_assert(std::is_same_v<net::transport::dialed, net::transport::dial_handler>);
    static_assert(std::is_same_v<net::transport::accepted, net::transport::accept_handler>);
    static_assert(std::is_same_v<net::byte_stream::opened, net::byte_stream::open_handler>);
    static_assert(std::is_same_v<mxp::peeked, mxp::frame_prefix>);
}

}  // namespace aliases_tests
