// Memory as sections of Windows, whose handles another process has open [MXP-18.19].
#include <functional>
#include <string>
#include <vector>

#include "mxp/net/transport/shm/local_stream.hpp"
#include "pair.hpp"
#include "sharing.hpp"

namespace handle_tests {

namespace {

using namespace sharing;
using net::detail::system_handle;

/// An offer that is refused, with the handles that this process keeps.
struct wrong {
    std::vector<unsigned char> bytes{};
    std::string name{};
    std::string text{};
    std::vector<system_handle> kept{};
};

/// A section of so many bytes, of a file or of the page file.
system_handle section(std::size_t bytes, DWORD how = PAGE_READWRITE | SEC_COMMIT,
                      HANDLE file = INVALID_HANDLE_VALUE) {
    system_handle made{
        ::CreateFileMappingW(file, nullptr, how, 0, static_cast<DWORD>(bytes), nullptr)};
    EXPECT_TRUE(made);
    return made;
}
system_handle event() { return system_handle{::CreateEventW(nullptr, FALSE, FALSE, nullptr)}; }

/// A file of so many bytes, which is gone with its handle.
system_handle file(std::size_t bytes) {
    const running::folder folder;
    system_handle made{::CreateFileA((folder.in("") + ".file").c_str(),
                                     GENERIC_READ | GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                     FILE_FLAG_DELETE_ON_CLOSE, nullptr)};
    EXPECT_TRUE(made);
    EXPECT_NE(::SetFilePointer(made.get(), static_cast<LONG>(bytes), nullptr, FILE_BEGIN),
              INVALID_SET_FILE_POINTER);
    EXPECT_NE(::SetEndOfFile(made.get()), 0);
    return made;
}

std::uint32_t number(const system_handle& of) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(of.get()));
}

/// The number of a handle that is not open: that of one of before may be another's by now.
constexpr std::uint32_t closed = 0x7ffffffc;

std::vector<unsigned char> with(const std::vector<std::uint32_t>& handles) {
    const auto first = an_offer();
    std::vector<unsigned char> made(first.begin(), first.end());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        std::memcpy(made.data() + 16 + 4 * i, &handles[i], sizeof handles[i]);
    }
    return made;
}

/// An offer with right handles, some of which a function changes.
wrong changed(const std::string& name, const std::string& text,
              const std::function<void(std::vector<std::uint32_t>&)>& change,
              system_handle memory = section(size)) {
    std::vector<system_handle> kept;
    kept.push_back(std::move(memory));
    kept.push_back(event());
    kept.push_back(event());
    std::vector<std::uint32_t> numbers;
    for (const auto& one : kept) {
        numbers.push_back(number(one));
    }
    change(numbers);
    return {with(numbers), name, text, std::move(kept)};
}
wrong of_section(const std::string& text, system_handle memory) {
    return changed(
        "shm_memory", text, [](auto&) {}, std::move(memory));
}

std::vector<wrong> all_wrong() {
    std::vector<wrong> all;
    for (std::size_t i = 0; i < 3; ++i) {
        all.push_back(changed("shm_memory", "has 0 in place of a handle",
                              [i](auto& numbers) { numbers[i] = 0; }));
        all.push_back(changed("shm_memory", "a handle of an offer is not taken",
                              [i](auto& numbers) { numbers[i] = closed; }));
        // Numbers that stand for a process or a thread themselves.
        for (const std::uint32_t self : {~0U, ~1U}) {
            all.push_back(changed("shm_memory", "a handle of an offer is not taken",
                                  [i, self](auto& numbers) { numbers[i] = self; }));
        }
    }
    all.push_back(changed("shm_memory", "MapViewOfFile",
                          [](auto& numbers) { std::swap(numbers[0], numbers[1]); }));
    const system_handle there = file(size);
    all.push_back(of_section("that of a file", section(size, PAGE_READWRITE, there.get())));
    all.push_back(of_section("not committed", section(size, PAGE_READWRITE | SEC_RESERVE)));
    all.push_back(of_section("bytes, not 8192", section(size - 4096)));
    all.push_back(of_section("bytes, not 8192", section(size + 4096)));
    all.push_back(of_section("bytes, not 8192", section(std::size_t{1} << 24)));
    // The first bytes are there, and others may follow.
    system_handle half = section(2 * size, PAGE_READWRITE | SEC_RESERVE);
    void* const base = ::MapViewOfFile(half.get(), FILE_MAP_WRITE, 0, 0, 0);
    EXPECT_NE(::VirtualAlloc(base, size, MEM_COMMIT, PAGE_READWRITE), nullptr);
    all.push_back(of_section("bytes and more, not 8192", std::move(half)));
    ::UnmapViewOfFile(base);
    for (const std::size_t at : {std::size_t{28}, std::size_t{31}}) {
        all.push_back(changed("shm_handover", "other bytes than 0", [](auto&) {}));
        all.back().bytes[at] = 1;
    }
    // The bytes of an offer come before its memory.
    all.push_back(changed("shm_handover", "other bytes than 0", [](auto& numbers) {
        numbers = {0, 0, 0, 1};
    }));
    return all;
}

/// A pipe that is connected to an address, and has said nothing.
system_handle dial(const std::string& address) {
    auto made = net::detail::connect_local(*net::parse_address(address),
                                           std::chrono::steady_clock::now() + 20s);
    EXPECT_TRUE(made) << (made ? "" : made.error().text);
    return std::move(*made);
}

void send(HANDLE pipe, const unsigned char* bytes, std::size_t n) {
    std::error_code why;
    EXPECT_EQ(shm::write_local(pipe, bytes, n, why), n) << why.message();
}

/// All that comes until the end, or until there are so many bytes.
std::vector<unsigned char> receive(HANDLE pipe, std::size_t most = 32) {
    std::vector<unsigned char> all;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (all.size() < most && std::chrono::steady_clock::now() < end) {
        std::array<std::byte, 400> room{};
        std::error_code why;
        const std::size_t n =
            shm::read_local(pipe, room.data(), std::min(room.size(), most - all.size()), why);
        const auto* const from = reinterpret_cast<const unsigned char*>(room.data());
        all.insert(all.end(), from, from + n);
        if (n == 0 && why != std::errc::operation_would_block) {
            break;
        }
        if (n == 0) {
            shm::await_local(pipe, 1s);
        }
    }
    return all;
}

/// Expects that all handles are still open, and that no event was set.
void expect_open(const wrong& one) {
    for (const auto& handle : one.kept) {
        DWORD flags = 0;
        EXPECT_NE(::GetHandleInformation(handle.get(), &flags), 0);
    }
    // Events that were given away are not set by who refuses them.
    EXPECT_EQ(::WaitForSingleObject(one.kept[1].get(), 0), static_cast<DWORD>(WAIT_TIMEOUT));
}

// [MXP-18.20] [MXP-18.21]
TEST(handles, a_server_refuses_memory_that_is_not_the_peers) {
    served server;
    asking good{server.address};
    EXPECT_FALSE(good.call("hello"));
    std::size_t handovers = 0;
    std::size_t memories = 0;
    auto all = all_wrong();
    // The pipe that all are sent over was there before.
    static_cast<void>(receive(dial(server.address).get(), 0));
    const left before = open_now();
    for (const wrong& one : all) {
        (one.name == "shm_memory" ? memories : handovers) += 1;
        const system_handle pipe = dial(server.address);
        send(pipe.get(), one.bytes.data(), one.bytes.size());
        const auto answer = receive(pipe.get());
        ASSERT_EQ(answer.size(), 32U) << one.text;
        EXPECT_EQ(std::string(answer.begin(), answer.begin() + 6), "MXPS\1\2");
        EXPECT_TRUE(std::all_of(answer.begin() + 6, answer.end(), [](auto b) { return b == 0; }));
        EXPECT_TRUE(receive(pipe.get()).empty());
        EXPECT_EQ(server.log().count("shm_handover"), handovers) << server.log().text();
        EXPECT_EQ(server.log().count("shm_memory"), memories) << server.log().text();
        EXPECT_GT(server.log().count(one.text), 0U) << one.text << "\n" << server.log().text();
        expect_open(one);
    }
    EXPECT_FALSE(good.call("still there"));
    EXPECT_TRUE(soon([&] { return open_now().maps == before.maps; }));
    EXPECT_TRUE(soon([&] { return open_now().files <= before.files; }));
}

/// Answers each who connects with the same bytes, until it is gone.
class answering {
   public:
    answering(const std::string& address, std::vector<unsigned char> bytes)
        : path_(net::detail::pipe_path(net::parse_address(address)->path)),
          next_(instance()),
          bytes_(std::move(bytes)),
          thread_([this] { answer(); }) {}
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;
    ~answering() {
        is_over_ = true;
        const system_handle last = net::detail::open_pipe(path_);
        thread_.join();
    }

   private:
    [[nodiscard]] system_handle instance() const {
        const net::detail::access_list access{net::detail::pipe_access(running::own_user(), false)};
        system_handle made = net::detail::make_instance(path_, access, 0);
        EXPECT_TRUE(made);
        return made;
    }
    void answer() {
        for (;;) {
            net::detail::event_operation arrival{next_.get()};
            arrival.begin([this](OVERLAPPED* operation) {
                return ::ConnectNamedPipe(next_.get(), operation) != 0;
            });
            ::WaitForSingleObject(arrival.event(), INFINITE);
            std::error_code ignored;
            arrival.end(ignored);
            const system_handle came = std::exchange(next_, instance());
            if (is_over_) {
                return;
            }
            // A client that gives up may have sent nothing.
            if (receive(came.get()).size() == 32) {
                send(came.get(), bytes_.data(), bytes_.size());
                static_cast<void>(receive(came.get(), 1));
            }
        }
    }

    std::string path_;
    system_handle next_;
    std::vector<unsigned char> bytes_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

// [MXP-18.20] [MXP-18.21]
TEST(handles, clients_refuse_memory_that_is_not_the_servers) {
    auto all = all_wrong();
    all.push_back(changed("shm_handover", "other bytes than 0", [](auto&) {}));
    all.back().bytes[5] = 1;
    all.back().bytes[9] = 0;
    for (const wrong& one : all) {
        const running::folder folder;
        const std::string address = folder.at("s", "shm");
        const answering server{address, one.bytes};
        const auto failed = asking{address}.call("x");
        ASSERT_TRUE(failed);
        EXPECT_EQ(failed->name, one.name) << to_string(*failed);
        EXPECT_EQ(failed->status, ms::status::FailedPrecondition);
        EXPECT_NE(failed->text.find(one.text), std::string::npos) << failed->text;
        net::blocking_client other{address};
        const auto blocked = call(other, "x");
        ASSERT_TRUE(blocked);
        EXPECT_EQ(blocked->name, one.name) << to_string(*blocked);
        expect_open(one);
    }
}

// [MXP-18.19]: whose memory can't be given any more has left, and is no intruder.
TEST(handles, a_server_that_is_gone_is_called_so) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    const std::string path = net::detail::pipe_path(net::parse_address(address)->path);
    const net::detail::access_list access{net::detail::pipe_access(running::own_user(), false)};
    std::optional<system_handle> there{net::detail::make_instance(path, access, 0)};
    const system_handle here = dial(address);
    std::optional<wrong> offer{changed("", "", [](auto&) {})};
    send(there->get(), offer->bytes.data(), offer->bytes.size());
    there.reset();
    shm::incoming_offer came{false};
    EXPECT_TRUE(came.read(here.get()).value());
    const auto said = shm::offer::decode(came.bytes(), false);
    ASSERT_TRUE(said);
    offer.reset();
    const auto taken = came.open(here.get(), *said);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().what, shm::map_fault::gone);
    EXPECT_EQ(shm::no_memory_of(taken.error()).error().status, ms::status::Unavailable);
}

// [MXP-18.19]
TEST(handles, memory_of_a_peer_is_read_and_not_written) {
    pair both;
    auto* const base =
        reinterpret_cast<unsigned char*>(const_cast<std::uint32_t*>(both.to_there.bell()));
    MEMORY_BASIC_INFORMATION found{};
    ASSERT_NE(::VirtualQuery(base, &found, sizeof found), 0U);
    EXPECT_EQ(found.Protect, static_cast<DWORD>(PAGE_READONLY));
    EXPECT_EQ(found.RegionSize, size);
    EXPECT_EQ(found.State, static_cast<DWORD>(MEM_COMMIT));
    DWORD before = 0;
    EXPECT_EQ(::VirtualProtect(base, 4096, PAGE_READWRITE, &before), 0);
}

// [MXP-18.22]: events tell apart the two waits, and each wait ends one waking.
TEST(handles, each_wait_has_its_event) {
    pair both;
    const auto is_set = [&](shm::wait_reason what) {
        return ::WaitForSingleObject(both.right.handles().event(what), 0) == WAIT_OBJECT_0;
    };
    both.from.ring(shm::wait_reason::bytes);
    EXPECT_FALSE(is_set(shm::wait_reason::room));
    EXPECT_TRUE(is_set(shm::wait_reason::bytes));
    EXPECT_FALSE(is_set(shm::wait_reason::bytes));
    both.from.ring(shm::wait_reason::room);
    EXPECT_FALSE(is_set(shm::wait_reason::bytes));
    EXPECT_TRUE(is_set(shm::wait_reason::room));
    EXPECT_FALSE(is_set(shm::wait_reason::room));
    EXPECT_EQ(both.to_there.rung(), 2U);
}

// [MXP-18.20]: the bytes that the specification gives.
TEST(handles, an_offer_has_its_bytes) {
    shm::offer made{shm::verdict::memory, ring};
    made.handles = {0x04030201, 0x08070605, 0x0c0b0a09};
    const auto bytes = made.encode();
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(bytes[16 + i], i + 1);
    }
    EXPECT_EQ(shm::offer::decode(bytes, true)->handles, made.handles);
    auto refused = shm::offer{shm::verdict::socket, 0}.encode();
    EXPECT_TRUE(shm::offer::decode(refused, false));
    refused[16] = 4;
    EXPECT_FALSE(shm::offer::decode(refused, false));
}

// [MXP-18.4]
TEST(handles, an_offer_may_come_in_pieces_and_has_its_time) {
    net::server_options how;
    how.limits.hello_us = 300'000;
    served server{how};
    const wrong good = changed("", "", [](auto&) {});
    const system_handle whole = dial(server.address);
    for (const unsigned char& byte : good.bytes) {
        send(whole.get(), &byte, 1);
    }
    const auto answer = receive(whole.get());
    ASSERT_EQ(answer.size(), 32U);
    EXPECT_EQ(answer[5], 0);
    for (const std::size_t n : {0U, 1U, 31U}) {
        const system_handle pipe = dial(server.address);
        if (n > 0) {
            send(pipe.get(), good.bytes.data(), n);
        }
        EXPECT_TRUE(receive(pipe.get()).empty()) << n;
    }
}

// A client that is given up while it waits for an answer is, at once.
TEST(handles, a_client_does_not_wait_for_ever) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    const std::string path = net::detail::pipe_path(net::parse_address(address)->path);
    const net::detail::access_list access{net::detail::pipe_access(running::own_user(), false)};
    const system_handle first = net::detail::make_instance(path, access, 0);
    const system_handle second = net::detail::make_instance(path, access, 0);
    const std::size_t maps = open_now().maps;
    net::blocking_options how;
    how.connect_timeout = 100ms;
    net::blocking_client blocked{address, how};
    EXPECT_TRUE(call(blocked, "x"));
    {
        asking one{address, {}, 100ms};
        EXPECT_TRUE(one.call("x"));
        one.client().close();
        running::until(
            one.context(), [] { return false; }, 5ms);
    }
    EXPECT_EQ(open_now().maps, maps);
}

// A peer that may not connect is told so, through memory that stays until it was read.
TEST(handles, a_peer_that_is_not_admitted_learns_why) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    asio::io_context context{1};
    net::server_options how;
    how.admit = [](const net::peer& who) {
        EXPECT_EQ(who.transport, "shm");
        EXPECT_EQ(who.process.value().id, this_process());
        EXPECT_EQ(who.process.value().user, running::own_user());
        return std::optional{net::failure{}};
    };
    net::server server{context, running::echo(std::make_shared<running::seen>()), how};
    ASSERT_TRUE(server.listen(address));
    const auto works = asio::make_work_guard(context);
    std::thread runs{[&] { context.run(); }};
    for (int i = 0; i < 10; ++i) {
        net::blocking_client blocked{address};
        EXPECT_EQ(call(blocked, "x").value().status, ms::status::PermissionDenied);
        EXPECT_EQ(asking{address}.call("x").value().status, ms::status::PermissionDenied);
    }
    context.stop();
    runs.join();
}

}  // namespace

}  // namespace handle_tests
