// The services that a program registers.
#include "running.hpp"

namespace registered {

namespace {

namespace net = mxp::net;

const net::call_handler call = [](const net::request&, const net::responder&) {};
const net::stream_handler stream = [](const net::request&, const net::stream&) {};
const auto event = [](const net::request&) {};

std::string refusal(const std::function<void(net::service&)>& add) {
    net::service made{"demo.Twice"};
    made.call(1, call).stream(2, stream).event(3, event);
    try {
        add(made);
    } catch (const std::invalid_argument& why) {
        return why.what();
    }
    return {};
}

TEST(services, have_one_method_of_a_number) {
    EXPECT_EQ(refusal([](net::service& to) { to.event(1, event); }),
              "mxp: demo.Twice has two methods 1");
    EXPECT_EQ(refusal([](net::service& to) {
                  to.call({"demo.Twice", 3, "three"}, call);
              }),
              "mxp: demo.Twice has two methods 3");
    EXPECT_EQ(refusal([](net::service& to) { to.stream(1, stream); }),
              "mxp: demo.Twice has two methods 1");
    EXPECT_EQ(refusal([](net::service& to) {
                  to.stream({"demo.Twice", 2, "two"}, stream);
              }),
              "mxp: demo.Twice has two methods 2");
    EXPECT_EQ(refusal([](net::service& to) {
                  to.event({"demo.Twice", 2, "two"}, event);
              }),
              "mxp: demo.Twice has two methods 2");
    EXPECT_EQ(refusal([](net::service& to) { to.call(4, call).event(5, event); }), "");
}

}  // namespace

}  // namespace registered
