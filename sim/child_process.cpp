#include "sim/child_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_kept_output = 16384;

MachineError failed(const char* call) {
  return MachineError(fmt::format("cannot start a simulation: {}: {}", call, std::strerror(errno)));
}

/// A file in memory that takes the child's output.
class OutputFile {
 public:
  OutputFile() : descriptor_(memfd_create("simulation", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw failed("memfd_create");
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() { close(descriptor_); }

  void capture() const {
    dup2(descriptor_, STDOUT_FILENO);
    dup2(descriptor_, STDERR_FILENO);
  }

  std::string content() const {
    std::string text(k_kept_output, '\0');
    const ssize_t size = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  int descriptor_;
};

[[noreturn]] void be_child(const OutputFile& output, pid_t parent,
                           const std::function<int()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before it could be told
  std::signal(SIGABRT, SIG_DFL);
  output.capture();
  const int code = body();
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

ChildEnd run_in_child(const std::function<int()>& body) {
  const OutputFile output;
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw failed("fork");
  if (child == 0) be_child(output, parent, body);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) throw failed("wait4");
  ChildEnd end;
  end.exited = WIFEXITED(status);
  end.code = end.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  end.output = output.content();
  const auto seconds = [](const timeval& time) {
    return Seconds{static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
  };
  end.cpu_time = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  end.peak_memory = Bytes{static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
  return end;
}

}  // namespace pipegraph
