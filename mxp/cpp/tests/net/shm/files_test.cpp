// Memory as files of POSIX: seals, descriptors and limits.
#include <sys/resource.h>

#include "fallbacks.hpp"
#include "pair.hpp"
#include "peer.hpp"

namespace file_tests {

namespace {

using namespace sharing;

// [MXP-18.2]: the seals hold against every attempt of the peer.
TEST(memory, nobody_else_writes_into_it_nor_makes_it_smaller) {
    auto made = shm::create(ring);
    ASSERT_TRUE(made);
    const int file = made->handles().file();
    EXPECT_EQ(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), MAP_FAILED);
    EXPECT_EQ(::write(file, "x", 1), -1);
    for (const std::size_t size : {std::size_t{0}, size - 1, size + 1}) {
        EXPECT_EQ(::ftruncate(file, static_cast<off_t>(size)), -1);
    }
    EXPECT_EQ(::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
    EXPECT_EQ(::fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), -1);
    EXPECT_NE(::fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
    void* const read = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ASSERT_NE(read, MAP_FAILED);
    EXPECT_EQ(::mprotect(read, size, PROT_READ | PROT_WRITE), -1);
    ::munmap(read, size);
}

/// Why a file is no memory of a peer's.
std::string unfit(const descriptor& file) {
    const auto made = shm::map_memory(file.get(), size);
    return made                                         ? "it is"
           : made.error().what == shm::map_fault::unfit ? made.error().why
                                                        : "the system";
}

// [MXP-18.4]
TEST(memory, that_is_not_what_it_must_be_is_not_mapped) {
    EXPECT_EQ(unfit(file()), "it is");
    for (const int seal : {F_SEAL_SHRINK, F_SEAL_GROW, 0x10, F_SEAL_SEAL}) {
        EXPECT_EQ(unfit(file(size, all_seals & ~seal)), "the peer's memory lacks seals");
    }
    for (const std::size_t wrong :
         {std::size_t{0}, std::size_t{4096}, size - 1, size + 1, size + 4096}) {
        EXPECT_NE(unfit(file(wrong)).find(std::to_string(wrong) + " bytes, not"),
                  std::string::npos);
    }
    EXPECT_EQ(unfit(file(size, all_seals, false)), "the peer's memory is not allocated");
    descriptor pipe[2];
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    pipe[0] = descriptor{ends[0]};
    pipe[1] = descriptor{ends[1]};
    EXPECT_EQ(unfit(pipe[0]), "the peer's memory lacks seals");
    EXPECT_EQ(unfit(descriptor{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)}),
              "the peer's memory lacks seals");
}

/// Leaves this program no descriptor to be had.
class none_left {
   public:
    none_left() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit low = before_;
        low.rlim_cur = 100;
        ::setrlimit(RLIMIT_NOFILE, &low);
        for (int file = ::dup(0); file >= 0; file = ::dup(0)) {
            all_.emplace_back(file);
        }
    }
    none_left(const none_left&) = delete;
    none_left& operator=(const none_left&) = delete;
    ~none_left() { ::setrlimit(RLIMIT_NOFILE, &before_); }

   private:
    rlimit before_{};
    std::vector<descriptor> all_{};
};

// Sanitizers need descriptors themselves, so that no whole server runs without any.
TEST(memory, without_descriptors_there_is_none_to_give_nor_to_take) {
    pair both;
    auto made = shm::create(ring);
    ASSERT_TRUE(made);
    ASSERT_TRUE(shm::send(both.sockets[0].get(), {shm::verdict::memory, ring}, &*made));
    shm::incoming_offer came{false};
    // Once, so that sanitizers know by then what they look at.
    std::string lacks = shm::system_text("nothing");
    {
        const none_left nothing;
        const auto more = shm::create(ring);
        lacks = more ? "nothing" : more.error();
        EXPECT_TRUE(came.read(both.sockets[1].get()).value());
    }
    EXPECT_EQ(lacks.find("memfd_create: "), 0U) << lacks;
    const auto taken = came.open(both.sockets[1].get(), {shm::verdict::memory, ring});
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().what, shm::map_fault::unfit);
    EXPECT_NE(taken.error().why.find("dropped descriptors"), std::string::npos);
}

/// Has a limit of this program be lower.
void limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
    const rlimit low{most, most};
    ASSERT_EQ(::setrlimit(what, &low), 0);
}

/// Calls by both clients, so many of which go over the socket.
void expect_calls_of_a_part(const std::string& address, std::size_t fallbacks,
                            const std::string& text) {
    expect_calls(address, rings(262'144, 0us), fallbacks, text);
}

const bool has_parts = [] {
    parts()["short files"] = [](const std::string& address) {
        limit(RLIMIT_FSIZE, 65'536);
        expect_calls_of_a_part(address, 1, "at most 65536 bytes (ulimit -f)");
    };
    parts()["nothing locked"] = [](const std::string& address) {
        limit(RLIMIT_MEMLOCK, 0);
        expect_calls_of_a_part(address, 0, {});
    };
    return true;
}();

// Beyond it the system ends the program. [MXP-18.5]
TEST(fallback, files_that_may_not_be_so_long_are_not_made) {
    served server;
    EXPECT_EQ(part("short files", server.address).wait(), 0);
    EXPECT_EQ(server.transports(2), (kinds{"unix", "unix"}));
}

// Memory that nobody locks counts for no such limit.
TEST(fallback, memory_is_not_locked) {
    served server;
    EXPECT_EQ(part("nothing locked", server.address).wait(), 0);
    EXPECT_EQ(server.transports(2), (kinds{"shm", "shm"}));
}

}  // namespace

}  // namespace file_tests
