#include "jade/base/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace jade {
namespace {

namespace fs = std::filesystem;

/// An open file that is closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

[[noreturn]] void fail(const char* what, const fs::path& path, int reason) {
  throw fs::filesystem_error(what, path, std::error_code(reason, std::generic_category()));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  // Unique among processes by the id and within this one by the count; O_EXCL refuses a leftover.
  static std::atomic<unsigned> count{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}-{}.tmp", ::getpid(), count++);

  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) fail("cannot write", path, errno);
  // On the disk before it takes the old one's place, so that a crash cannot leave an empty file.
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close() ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail("cannot write", path, reason);
  }
}

std::string read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail("cannot read", path, errno);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t size = ::read(file.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail("cannot read", path, errno);
    if (size == 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

}  // namespace jade
