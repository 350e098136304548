/// Memory that two processes share, as a file without a name [MXP-18.2].
#ifndef MXP_NET_SYSTEM_POSIX_SHARED_MEMORY_HPP
#define MXP_NET_SYSTEM_POSIX_SHARED_MEMORY_HPP

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "../../../result.hpp"
#include "../memory_terms.hpp"
#if MXP_HAS_SHM
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

namespace mxp::net::detail::shm {

/// A descriptor that is closed with this.
class descriptor {
   public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& source) noexcept : number_(std::exchange(source.number_, -1)) {}
    descriptor& operator=(descriptor&& source) noexcept {
        std::swap(number_, source.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    explicit operator bool() const noexcept { return number_ >= 0; }
    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

   private:
    int number_ = -1;
};

[[nodiscard]] inline std::string system_text(const char* text) {
    return std::string{text} + ": " + std::error_code{errno, std::generic_category()}.message();
}

/// The file by which the peer comes to memory of this side. It is closed once it was sent.
class own_handles {
   public:
    own_handles() = default;
    explicit own_handles(descriptor file) noexcept : file_(std::move(file)) {}

    [[nodiscard]] int file() const noexcept { return file_.get(); }
    /// The numbers for an offer: a descriptor is none of them.
    [[nodiscard]] static offer_handles numbers() noexcept { return {}; }
    void sent() noexcept { const descriptor closed = std::move(file_); }

   private:
    descriptor file_{};
};

/// The handles by which the peer is woken: none, since it has memory and a socket.
struct peer_handles {};

/// Memory of this side, and of a peer, as it is mapped.
struct own_mapping {
    void* base = nullptr;
    own_handles handles{};
};
struct peer_mapping {
    void* base = nullptr;
    peer_handles handles{};
};

inline void unmap(void* base, std::size_t bytes) noexcept { ::munmap(base, bytes); }

#if MXP_HAS_SHM

/// The seals of memory: nobody changes its size, nor comes to write it, any more. Systems have
/// headers that do not know all of them.
inline constexpr int seal_future_write = 0x10;
inline constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | seal_future_write | F_SEAL_SEAL;

/// A file that is in memory alone, and can't be run where the system knows how to say so.
[[nodiscard]] inline descriptor nameless_file() {
    constexpr unsigned noexec_seal = 8;
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    descriptor made{::memfd_create("mxp", flags | noexec_seal)};
    return made || errno != EINVAL ? std::move(made) : descriptor{::memfd_create("mxp", flags)};
}

/// Makes memory of so many bytes, or says why there is none. All of it is there from then on.
[[nodiscard]] inline mxp::result<own_mapping, std::string> make_memory(std::size_t size) {
    using failure_result = mxp::unexpected_of<std::string>;
    // Where files may not be so long the system would end the program.
    rlimit most{};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < size) {
        return failure_result{"files of this program have at most " +
                              std::to_string(most.rlim_cur) + " bytes (ulimit -f)"};
    }
    descriptor file = nameless_file();
    if (!file) {
        return failure_result{system_text("memfd_create")};
    }
    int done = -1;
    do {
        done = ::fallocate(file.get(), 0, 0, static_cast<off_t>(size));
    } while (done != 0 && errno == EINTR);
    if (done != 0) {
        return failure_result{system_text("fallocate")};
    }
    void* const base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (base == MAP_FAILED) {
        return failure_result{system_text("mmap")};
    }
    if (::fcntl(file.get(), F_ADD_SEALS, seals) != 0) {
        const std::string why = system_text("F_ADD_SEALS");
        unmap(base, size);
        return failure_result{why};
    }
    return own_mapping{base, own_handles{std::move(file)}};
}

/// Maps the memory of a peer, if its size and its seals are right [MXP-18.4].
[[nodiscard]] inline mxp::result<peer_mapping, map_failure> map_memory(int file, std::size_t size) {
    const auto unfit = [](std::string why) {
        return mxp::unexpected_of<map_failure>{map_failure{map_fault::unfit, std::move(why)}};
    };
    const int found = ::fcntl(file, F_GET_SEALS);
    if (found < 0 || (found & seals) != seals) {
        return unfit("the peer's memory lacks seals");
    }
    struct stat there {};
    if (::fstat(file, &there) != 0) {
        return unfit(system_text("the peer's memory: fstat"));
    }
    if (there.st_size != static_cast<off_t>(size)) {
        return unfit("the peer's memory has " + std::to_string(there.st_size) + " bytes, not " +
                     std::to_string(size));
    }
    // Memory that is not there would be allocated when it is read, or end the reader's program.
    constexpr off_t block = 512;
    if (there.st_blocks * block < there.st_size) {
        return unfit("the peer's memory is not allocated");
    }
    void* const base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (base == MAP_FAILED) {
        return mxp::unexpected_of<map_failure>{
            map_failure{map_fault::refused, system_text("mmap")}};
    }
    return peer_mapping{base};
}

#else

[[nodiscard]] inline mxp::result<own_mapping, std::string> make_memory(std::size_t /*size*/) {
    return mxp::unexpected_of<std::string>{no_memory};
}
[[nodiscard]] inline mxp::result<peer_mapping, map_failure> map_memory(int /*file*/,
                                                                       std::size_t /*size*/) {
    return mxp::unexpected_of<map_failure>{map_failure{map_fault::refused, no_memory}};
}

#endif

/// Wakes the threads of the peer that sleep on the bell of this side's memory.
inline void wake_threads([[maybe_unused]] std::uint32_t* bell, const peer_handles& /*events*/,
                         wait_reason /*what*/) noexcept {
#if MXP_HAS_SHM
    ::syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
#endif
}

/// Sleeps until the bell of the peer's memory has another number, but not for longer than a time.
inline void sleep_until_woken([[maybe_unused]] const std::uint32_t* bell,
                              [[maybe_unused]] std::uint32_t rung, const own_handles& /*own*/,
                              bool /*for_bytes*/, bool /*for_room*/,
                              [[maybe_unused]] std::chrono::nanoseconds most) noexcept {
#if MXP_HAS_SHM
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
    timespec time{};
    time.tv_sec = static_cast<decltype(time.tv_sec)>(seconds.count());
    time.tv_nsec = static_cast<decltype(time.tv_nsec)>((most - seconds).count());
    ::syscall(SYS_futex, bell, FUTEX_WAIT, rung, &time, nullptr, 0);
#endif
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_POSIX_SHARED_MEMORY_HPP
