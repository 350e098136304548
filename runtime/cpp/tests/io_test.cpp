#include "sdp/io.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "sdp/iostream.hpp"
#include "stream_package.hpp"

using sdp::error;
using sdp::kind;

TEST(io, values_go_out_and_in) {
    keeping sink;
    ASSERT_TRUE(sdp::write_to(sink, note{"abc"}));
    EXPECT_EQ(sink.bytes, (std::string{"\3\0\0\0abc", 7}));
    EXPECT_EQ(sdp::read_from<note>(trickle{sink.bytes}).value(), note{"abc"});
}

TEST(io, refusals_are_those_of_the_codec) {
    keeping sink;
    EXPECT_EQ(sdp::write_to(sink, note{std::string(2001, 'x')}).error(),
              (error{kind::limit_max, {}, "text"}));
    EXPECT_EQ(sink.bytes, "");
    EXPECT_EQ(sdp::read_from<note>(source_of("\3")).error(), (error{kind::truncated, 0, "text"}));
}

TEST(io, failing_sources_and_sinks_are_reported) {
    EXPECT_EQ(sdp::read_from<note>(failing{3}).error(), error{kind::io_failed});
    EXPECT_EQ(sdp::read_from<note>(boasting{}).error(), error{kind::io_failed});
    EXPECT_EQ(sdp::write_to(failing{3}, note{"abc"}).error(), error{kind::io_failed});
}

TEST(io, endless_sources_end_at_the_limit) {
    sdp::decode_options options;
    options.limits.message_bytes = 1000;
    endless source;
    EXPECT_EQ(sdp::read_from<note>(source, options).error(),
              (error{kind::limit_message_bytes, 0, ""}));
    EXPECT_EQ(source.passed, 1001U);
}

TEST(io, limits_may_be_as_large_as_numbers_go) {
    sdp::decode_options options;
    options.limits.message_bytes = static_cast<std::size_t>(-1);
    const std::string bytes = note_message("abc").substr(10);
    EXPECT_EQ(sdp::read_from<note>(source_of(bytes), options).value(), note{"abc"});
}

TEST(io, functions_of_c_are_sources_and_sinks) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const sdp::sink_function sink{[](void* to, const std::byte* from, std::size_t size) {
                                      return std::fwrite(from, 1, size,
                                                         static_cast<std::FILE*>(to)) == size;
                                  },
                                  file};
    const sdp::source_function source{[](void* from, std::byte* to, std::size_t size) {
                                          return static_cast<std::ptrdiff_t>(std::fread(
                                              to, 1, size, static_cast<std::FILE*>(from)));
                                      },
                                      file};
    EXPECT_TRUE(sdp::write_to(sink, note{"abc"}));
    std::rewind(file);
    EXPECT_EQ(sdp::read_from<note>(source).value(), note{"abc"});
    std::fclose(file);
}

TEST(io, functions_of_c_may_fail) {
    const sdp::sink_function sink{[](void*, const std::byte*, std::size_t) { return false; }};
    const sdp::source_function source{
        [](void*, std::byte*, std::size_t) { return std::ptrdiff_t{-1}; }};
    EXPECT_EQ(sdp::write_to(sink, note{"abc"}).error(), error{kind::io_failed});
    EXPECT_EQ(sdp::read_from<note>(source).error(), error{kind::io_failed});
}

TEST(iostream, values_go_out_and_in) {
    std::stringstream stream;
    ASSERT_TRUE(sdp::write_to(sdp::ostream_sink{stream}, note{"abc"}));
    EXPECT_EQ(stream.str(), (std::string{"\3\0\0\0abc", 7}));
    EXPECT_EQ(sdp::read_from<note>(sdp::istream_source{stream}).value(), note{"abc"});
}

TEST(iostream, messages_go_out_and_in) {
    std::stringstream stream;
    sdp::message_writer writer{sdp::ostream_sink{stream}};
    ASSERT_TRUE(writer.write(note{"abc"}));
    ASSERT_TRUE(writer.write(empty{}));
    sdp::message_reader reader{sdp::istream_source{stream}};
    EXPECT_EQ(**reader.next<package>(), package{note{"abc"}});
    EXPECT_EQ(**reader.next<package>(), package{empty{}});
    EXPECT_FALSE(*reader.next<package>());
}

TEST(iostream, streams_that_are_not_open_fail) {
    std::fstream closed;
    EXPECT_EQ(sdp::write_to(sdp::ostream_sink{closed}, note{"abc"}).error(),
              error{kind::io_failed});
    EXPECT_EQ(sdp::read_from<note>(sdp::istream_source{closed}).error(), error{kind::io_failed});
}
