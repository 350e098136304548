/// The files of shared memory: this side makes its own, and checks the peer's [MXP-18.2].
#ifndef MXP_NET_TRANSPORT_SHM_FILE_HPP
#define MXP_NET_TRANSPORT_SHM_FILE_HPP

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "../../../result.hpp"
#include "memory.hpp"

// Whether this system has memory that can be sealed, and numbers of 64 bits that are read without
// being written: on 32 bits some processors can't.
#if defined(__linux__) && defined(__LP64__)
#define MXP_HAS_SHM 1
#else
#define MXP_HAS_SHM 0
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

/// The memory of this side, with the file by which the peer comes to it.
struct memory_file {
    descriptor file{};
    own_memory memory{};
};

/// Why the memory of a peer is not mapped: it is not what it must be, or the system does not map
/// it.
struct map_failure {
    bool is_unfit = false;
    std::string why{};
};

[[nodiscard]] inline std::string system_text(const char* text) {
    return std::string{text} + ": " + std::error_code{errno, std::generic_category()}.message();
}

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

/// Makes memory whose ring has so many bytes, or says why there is none. All of it is there from
/// then on.
[[nodiscard]] inline mxp::result<memory_file, std::string> create(std::size_t ring) {
    using failure_result = mxp::unexpected_of<std::string>;
    const std::size_t size = numbers_bytes + ring;
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
    memory_file made{std::move(file), own_memory{base, ring}};
    if (::fcntl(made.file.get(), F_ADD_SEALS, seals) != 0) {
        return failure_result{system_text("F_ADD_SEALS")};
    }
    return made;
}

/// Maps the memory of a peer whose ring has so many bytes, if its size and its seals are right
/// [MXP-18.4].
[[nodiscard]] inline mxp::result<peer_memory, map_failure> open(const descriptor& file,
                                                                std::size_t ring) {
    const auto unfit = [](std::string why) {
        return mxp::unexpected_of<map_failure>{map_failure{true, std::move(why)}};
    };
    const int found = ::fcntl(file.get(), F_GET_SEALS);
    if (found < 0 || (found & seals) != seals) {
        return unfit("the peer's memory lacks seals");
    }
    const std::size_t size = numbers_bytes + ring;
    struct stat there {};
    if (::fstat(file.get(), &there) != 0) {
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
    void* const base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (base == MAP_FAILED) {
        return mxp::unexpected_of<map_failure>{map_failure{false, system_text("mmap")}};
    }
    return peer_memory{base, ring};
}

#else

inline constexpr const char* no_memory = "this system has no memory that can be shared and sealed";

[[nodiscard]] inline mxp::result<memory_file, std::string> create(std::size_t /*ring*/) {
    return mxp::unexpected_of<std::string>{no_memory};
}
[[nodiscard]] inline mxp::result<peer_memory, map_failure> open(const descriptor& /*file*/,
                                                                std::size_t /*ring*/) {
    return mxp::unexpected_of<map_failure>{map_failure{false, no_memory}};
}

#endif

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_FILE_HPP
