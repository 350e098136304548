// Measures writing and reading frames of MXP against the hash alone and against a copy:
//
//	mxpbench [--rounds N] [--json FILE]
//
// It prints medians over the rounds, in nanoseconds, and the ratio of writing around a payload and
// of reading to 1.25 times the hash and 8 ns.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "mxp/mxp.hpp"
#include "opaque.hpp"
#include "operation.hpp"

namespace {

using bench::opaque;
using mxp::checksum;

constexpr std::size_t sizes[] = {0, 64, 256, 1024, 4096, 16384};

/// Tasks that are measured, in the order of the table.
enum task : std::size_t {
    encode_reused,
    append_reused,
    encode_vectored,
    decode,
    hash,
    copy,
    count
};
constexpr std::string_view names[count] = {"encode_reused", "append_reused", "encode_vectored",
                                           "decode",        "hash",          "memcpy"};

/// One payload, and all that is made of it.
struct subject {
    std::vector<std::byte> payload;
    std::vector<std::byte> frame;
    std::vector<std::byte> room;
    std::vector<std::byte> grown;
    std::vector<std::byte> copied;
    mxp::frame written;
    mxp::envelope around{};
    std::uint64_t sum = 0;

    explicit subject(std::size_t n) : payload(n), room(n + 40), copied(n) {
        for (std::size_t i = 0; i < n; ++i) {
            payload[i] = static_cast<std::byte>((i * 131 + 7) & 0xff);
        }
        written = {{mxp::frame_type::call, mxp::flags::none, 1, 2}, payload};
        if (!mxp::append(written, checksum::on, frame)) {
            std::abort();
        }
    }
};

/// Ends the program where what is measured doesn't do its work.
void require(bool done) {
    if (!done) {
        std::fputs("mxpbench: a task went wrong\n", stderr);
        std::exit(1);
    }
}

template <class Work>
class running final : public bench::operation {
   public:
    running(subject& of, Work work) : of_(of), work_(work) {}

    void run(std::uint64_t times) override {
        for (std::uint64_t i = 0; i < times; ++i) {
            work_(opaque(of_));
        }
    }
    bench::flaw verify() override { return {}; }

   private:
    subject& of_;
    Work work_;
};

template <class Work>
std::unique_ptr<bench::operation> make(subject& of, Work work) {
    return std::make_unique<running<Work>>(of, work);
}

std::array<std::unique_ptr<bench::operation>, count> operations(subject& of) {
    return {
        make(of, [](subject& s) { require(bool(mxp::encode(s.written, checksum::on, s.room))); }),
        make(of,
             [](subject& s) {
                 s.grown.clear();
                 require(bool(mxp::append(s.written, checksum::on, s.grown)));
             }),
        make(of,
             [](subject& s) {
                 const auto made = mxp::wrap(s.written, checksum::on, s.written.payload);
                 require(bool(made));
                 s.around = *made;
             }),
        make(of,
             [](subject& s) {
                 const auto read = mxp::decode(s.frame, checksum::on);
                 require(bool(read));
                 opaque(*read);
             }),
        make(of,
             [](subject& s) { s.sum = mxp::wire::hash(s.frame.data(), s.payload.size() + 32); }),
        make(of,
             [](subject& s) {
                 if (!s.payload.empty()) {
                     std::memcpy(s.copied.data(), s.payload.data(), s.payload.size());
                 }
             }),
    };
}

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

/// The medians of all tasks for one size.
using row = std::array<double, count>;

row measure(std::size_t n, int rounds) {
    subject of{n};
    const auto owned = operations(of);
    std::vector<bench::operation*> all;
    for (const auto& one : owned) {
        one->run(10);
        all.push_back(one.get());
    }
    require(of.room == of.frame && of.grown == of.frame);
    require(std::equal(of.around.trailer.begin(), of.around.trailer.end(), of.frame.end() - 8));
    const auto taken = bench::measure_in_turn(all, rounds, std::chrono::microseconds(500));
    row medians{};
    for (std::size_t i = 0; i < count; ++i) {
        medians[i] = median(taken[i].samples);
        if (taken[i].each.allocations != 0) {
            std::fprintf(stderr, "mxpbench: %s allocates\n", std::string(names[i]).c_str());
            std::exit(1);
        }
    }
    return medians;
}

std::string hash_name() {
    const unsigned version = XXH_versionNumber();
    return "libxxhash " + std::to_string(version / 10000) + "." +
           std::to_string(version / 100 % 100) + "." + std::to_string(version % 100) +
           (MXP_HASH_DISPATCH ? ", by the processor" : "");
}

std::string number(double value) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 2);
    return {text.data(), end.ptr};
}

void write_json(const std::string& path, const std::vector<row>& rows, int rounds) {
    std::ofstream file(path);
    file << "{\"language\": \"C++\", \"hash\": \"" << hash_name() << "\", \"sizes\": [";
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        file << (i > 0 ? ", " : "") << sizes[i];
    }
    file << "]";
    for (std::size_t task = 0; task < count; ++task) {
        file << ", \"" << names[task] << "_ns\": [";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            file << (i > 0 ? ", " : "") << number(rows[i][task]);
        }
        file << "]";
    }
    file << ", \"rounds\": " << rounds << "}\n";
    file.flush();
    require(file.good());
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = 101;
    std::string json;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view option = argv[i];
        const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
        const char* const end = value.data() + value.size();
        if (option == "--json" && !value.empty()) {
            json = value;
        } else if (option != "--rounds" || std::from_chars(value.data(), end, rounds).ptr != end ||
                   rounds < 1) {
            std::fputs("usage: mxpbench [--rounds N] [--json FILE]\n", stderr);
            return 2;
        }
    }
    std::printf("%s, %d rounds\n%7s", hash_name().c_str(), rounds, "payload");
    for (const std::string_view name : names) {
        std::printf("%17s", std::string(name).c_str());
    }
    std::printf("%17s%17s%17s\n", "reused/target", "vectored/target", "decode/target");
    std::vector<row> rows;
    for (const std::size_t n : sizes) {
        const row& one = rows.emplace_back(measure(n, rounds));
        std::printf("%7zu", n);
        for (const double median_of_task : one) {
            std::printf("%17.2f", median_of_task);
        }
        const double target = 1.25 * one[hash] + 8;
        std::printf("%17.2f%17.2f%17.2f\n", one[encode_reused] / (target + one[copy]),
                    one[encode_vectored] / target, one[decode] / target);
    }
    if (!json.empty()) {
        write_json(json, rows, rounds);
    }
}
