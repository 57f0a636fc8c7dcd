// pipegraph: the program. Everything is in command_line.h.
#include <fcntl.h>

#include <csignal>
#include <string>
#include <vector>

#include "apps/command_line.h"

namespace {

/// A closed standard stream would lend its number to the first file that is opened, and messages
/// would end up in results. Writing to the result's stream still fails, as it should.
void occupy_closed_streams() {
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error like a full disk
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return pipegraph::run_command_line(arguments, {});
}
