// pipegraph: the program. Everything is in command_line.h.
#include <csignal>
#include <string>
#include <vector>

#include "apps/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error like a full disk
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return pipegraph::run_command_line(arguments, {});
}
