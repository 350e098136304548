// The system of a program that runs in the simulation of sockets: loaded before its
// libraries (LD_PRELOAD), it gives the program a time of its own, and plays the other end of its
// unix sockets. Whenever the program has nothing left to do, which is when it would wait in
// epoll_wait, the simulation has its turn.
//
// The program reads commands from its standard input, and says on its standard output what
// happens. It connects to the addresses clientN.sock, N from 1 to 4, and listens on N.sock in the
// folder MXP_NETWORK.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
/// When the simulation begins, by the program's clock.
constexpr std::int64_t epoch_s = 1'000'000;
/// The number of times that a program may find something to do while no time passes.
constexpr std::uint64_t spins_most = 2'000'000;

[[noreturn]] void die(const std::string& why) {
    std::fprintf(stderr, "kernel: %s (%s)\n", why.c_str(), std::strerror(errno));
    std::_Exit(3);
}

/// The other end of one of the program's sockets.
struct wire {
    int fd = -1;
    /// How much more the network takes.
    std::size_t room = 0;
    /// Came, and is not in the socket yet.
    std::string arrived{};
    bool is_ending = false;
    bool has_ended = false;
    bool was_fin_told = false;
    bool was_close_told = false;
};

/// All that there is. It is made by the library's constructor, and never destroyed.
struct kernel {
    std::uint64_t now = 0;
    std::uint64_t wakeups = 0;
    std::uint64_t spins = 0;
    std::string folder{};
    /// The simulation.
    int asks = -1;
    int answers = -1;
    std::string line{};
    /// The program's standard input, and its output.
    int commands = -1;
    int written = -1;
    off_t read_until = 0;
    std::string half{};

    /// Of the addresses that a client can connect to; -1 where nobody listens.
    std::array<int, 4> listeners{-1, -1, -1, -1};
    int dialed = 0;
    std::map<int, wire> wires{};

    std::string said{};
    bool is_advancing = false;
    std::uint64_t target = 0;
    bool stops = false;

    void say(const std::string& what) { said += std::to_string(now) + " " + what + "\n"; }

    void start();
    void reach(std::size_t place, bool is_there);
    void hear();
    bool pump();
    bool pump(int number, wire& of);
    bool rest(std::uint64_t deadline);
    void answer();
    std::string ask();
    void follow(const std::string& asked);
    void connect(int number, const std::string& server);
};

kernel* self = nullptr;

sockaddr_un address(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    if (path.size() >= sizeof made.sun_path) {
        die("the path of the folder is too long");
    }
    std::memcpy(made.sun_path, path.c_str(), path.size() + 1);
    return made;
}

int new_socket() {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        die("socket");
    }
    return fd;
}

void kernel::start() {
    folder = std::getenv("MXP_NETWORK");
    asks = fcntl(0, F_DUPFD_CLOEXEC, 100);
    answers = fcntl(1, F_DUPFD_CLOEXEC, 100);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        die("socketpair");
    }
    dup2(pair[1], 0);
    close(pair[1]);
    commands = pair[0];
    written = memfd_create("said", MFD_CLOEXEC);
    dup2(written, 1);
    for (std::size_t place = 0; place < listeners.size(); ++place) {
        reach(place, true);
    }
}

/// Whether somebody listens at one of the addresses.
void kernel::reach(std::size_t place, bool is_there) {
    int& listener = listeners.at(place);
    if (is_there == (listener >= 0)) {
        return;
    }
    if (!is_there) {
        close(listener);
        listener = -1;
        return;
    }
    const std::string path = folder + "/client" + std::to_string(place + 1) + ".sock";
    const sockaddr_un at = address(path);
    unlink(path.c_str());
    listener = new_socket();
    if (bind(listener, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
        ::listen(listener, 128) != 0) {
        die("listen");
    }
}

/// Takes what the program has written.
void kernel::hear() {
    char some[4096];
    ssize_t n = 0;
    while ((n = pread(written, some, sizeof some, read_until)) > 0) {
        read_until += n;
        half.append(some, static_cast<std::size_t>(n));
    }
    std::size_t end = 0;
    while ((end = half.find('\n')) != std::string::npos) {
        say(half.substr(0, end));
        half.erase(0, end + 1);
    }
}

/// Moves what can be moved, and reports whether that was anything.
bool kernel::pump() {
    bool has_moved = false;
    for (std::size_t place = 0; place < listeners.size(); ++place) {
        const int listener = listeners.at(place);
        for (int fd = -1; listener >= 0 && (fd = accept4(listener, nullptr, nullptr,
                                                         SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
            wires[++dialed].fd = fd;
            say("dial " + std::to_string(dialed) + " " + std::to_string(place + 1));
            has_moved = true;
        }
    }
    for (auto& [number, one] : wires) {
        has_moved = (one.fd >= 0 && pump(number, one)) || has_moved;
    }
    return has_moved;
}

bool kernel::pump(int number, wire& of) {
    const std::string name = " " + std::to_string(number);
    bool has_moved = false;
    ssize_t n = 0;
    std::size_t took = 0;
    while (!of.arrived.empty() && (n = send(of.fd, of.arrived.data() + took,
                                            of.arrived.size() - took, MSG_NOSIGNAL)) > 0) {
        took += static_cast<std::size_t>(n);
        if (took == of.arrived.size()) {
            break;
        }
    }
    if (took > 0) {
        of.arrived.erase(0, took);
        say("took" + name + " " + std::to_string(took));
        has_moved = true;
    }
    if (of.is_ending && of.arrived.empty() && !of.has_ended) {
        of.has_ended = true;
        shutdown(of.fd, SHUT_WR);
        has_moved = true;
    }
    static char some[1 << 16];
    while (!of.was_fin_told) {
        const std::size_t most = std::min(of.room, sizeof some);
        n = recv(of.fd, some, std::max<std::size_t>(most, 1), most == 0 ? MSG_PEEK : 0);
        if (n > 0 && most > 0) {
            std::string text(2 * static_cast<std::size_t>(n), '0');
            for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                const auto byte = static_cast<unsigned char>(some[i]);
                text[2 * i] = "0123456789abcdef"[byte >> 4U];
                text[2 * i + 1] = "0123456789abcdef"[byte & 15U];
            }
            say("bytes" + name + " " + text);
            of.room -= static_cast<std::size_t>(n);
            has_moved = true;
            continue;
        }
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            of.was_fin_told = true;
            if (n < 0 && !of.was_close_told) {  // not all that was there had been read
                of.was_close_told = true;
                say("closed" + name + " 1");
            } else {
                say("fin" + name);
            }
            has_moved = true;
        }
        break;
    }
    pollfd state{of.fd, 0, 0};
    if (!of.was_close_told && ::poll(&state, 1, 0) > 0 && (state.revents & POLLHUP) != 0) {
        int failed = 0;
        socklen_t size = sizeof failed;
        getsockopt(of.fd, SOL_SOCKET, SO_ERROR, &failed, &size);
        of.was_close_told = true;
        say("closed" + name + (failed == ECONNRESET ? " 1" : " 0"));
        has_moved = true;
    }
    return has_moved;
}

/// The program waits until a time. Returns true when that has come, or else when the simulation has
/// done something that may end the wait.
bool kernel::rest(std::uint64_t deadline) {
    if (is_advancing) {
        if (now < target && !(stops && !said.empty())) {
            spins = 0;
            now = std::min(deadline, target);
            if (deadline <= target) {
                return true;
            }
        }
        answer();
        is_advancing = false;
    }
    follow(ask());
    return false;
}

void kernel::answer() {
    said += "now " + std::to_string(now) + " " + std::to_string(wakeups) + "\n";
    for (std::size_t at = 0; at < said.size();) {
        const ssize_t n = write(answers, said.data() + at, said.size() - at);
        if (n <= 0) {
            std::_Exit(0);
        }
        at += static_cast<std::size_t>(n);
    }
    said.clear();
}

/// The next line of the simulation. Without one, the program ends.
std::string kernel::ask() {
    static char some[1 << 16];
    std::size_t searched = 0;
    std::size_t end = 0;
    while ((end = line.find('\n', searched)) == std::string::npos) {
        searched = line.size();
        const ssize_t n = read(asks, some, sizeof some);
        if (n <= 0) {
            std::_Exit(0);
        }
        line.append(some, static_cast<std::size_t>(n));
    }
    std::string first = line.substr(0, end);
    line.erase(0, end + 1);
    return first;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// Does what the simulation asks for, or has the program do it.
void kernel::follow(const std::string& asked) {
    const std::vector<std::string> words = split(asked);
    const std::string& verb = words[0];
    if (verb == "advance") {
        is_advancing = true;
        target = std::stoull(words.at(1));
        stops = words.at(2) == "stop";
    } else if (verb == "reachable") {
        for (std::size_t place = 0; place < listeners.size(); ++place) {
            if (words.size() < 3 || std::stoull(words.at(2)) == place + 1) {
                reach(place, words.at(1) == "1");
            }
        }
    } else if (verb == "connect") {
        connect(std::stoi(words.at(1)), words.at(2));
    } else if (verb == "deliver" || verb == "room" || verb == "eof" || verb == "cut") {
        wire& of = wires[std::stoi(words.at(1))];
        if (verb == "deliver") {
            const std::string& hex = words.at(2);
            const auto digit = [](char c) {
                return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
            };
            for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
                of.arrived.push_back(static_cast<char>(digit(hex[i]) << 4U | digit(hex[i + 1])));
            }
        } else if (verb == "room") {
            of.room += std::stoull(words.at(2));
        } else if (verb == "eof") {
            of.is_ending = true;
        } else if (of.fd >= 0) {
            close(of.fd);
            of.fd = -1;
        }
    } else {
        const std::string whole = asked + "\n";
        if (write(commands, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
            die("the program takes no commands");
        }
    }
}

void kernel::connect(int number, const std::string& server) {
    const sockaddr_un at = address(folder + "/" + server + ".sock");
    const int fd = new_socket();
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
        close(fd);
        wires[number] = {};
        say("refused " + std::to_string(number));
        return;
    }
    const int bytes = 1 << 16;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    wires[number].fd = fd;
}

bool is_main() { return self != nullptr && syscall(SYS_gettid) == getpid(); }

__attribute__((constructor)) void start() {
    if (std::getenv("MXP_NETWORK") != nullptr && self == nullptr) {
        auto* made = new kernel;
        made->start();
        self = made;
    }
}

int wait(int fd, epoll_event* events, int most, int timeout) {
    return static_cast<int>(syscall(SYS_epoll_pwait, fd, events, most, timeout, nullptr, 8));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t of, timespec* to) noexcept {
    if (self == nullptr || of == CLOCK_PROCESS_CPUTIME_ID || of == CLOCK_THREAD_CPUTIME_ID) {
        return static_cast<int>(syscall(SYS_clock_gettime, of, to));
    }
    to->tv_sec = epoch_s + static_cast<std::int64_t>(self->now / 1'000'000);
    to->tv_nsec = static_cast<long>(self->now % 1'000'000 * 1000);
    return 0;
}

/// Timers of the system know another time. Programs go without.
int timerfd_create(clockid_t, int) noexcept {
    errno = ENOSYS;
    return -1;
}

int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
    if (!is_main()) {
        return wait(fd, events, most, timeout);
    }
    kernel& of = *self;
    ++of.wakeups;
    const std::uint64_t deadline =
        timeout < 0 ? never : of.now + static_cast<std::uint64_t>(timeout) * 1000;
    for (;;) {
        of.hear();
        const bool has_moved = of.pump();
        const int n = wait(fd, events, most, 0);
        if (n != 0 || timeout == 0) {
            if (++of.spins > spins_most) {
                die("the program never rests");
            }
            return n;
        }
        if (!has_moved && of.rest(deadline)) {
            return 0;
        }
    }
}

int nanosleep(const timespec* most, timespec*) {
    if (!is_main()) {
        return static_cast<int>(syscall(SYS_nanosleep, most, nullptr));
    }
    kernel& of = *self;
    const std::uint64_t deadline = of.now + static_cast<std::uint64_t>(most->tv_sec) * 1'000'000 +
                                   static_cast<std::uint64_t>(most->tv_nsec) / 1000;
    for (;;) {
        of.hear();
        if (of.now >= deadline || (!of.pump() && of.rest(deadline))) {
            return 0;
        }
    }
}
}
