#include "tests/support/cuda_stand_in/shared_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace pipegraph::cuda_stand_in {

void SharedFolder::put(const std::string& name, const std::vector<char>& bytes) const {
  const std::string unfinished = file(name) + ".unfinished";
  std::ofstream(unfinished, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::filesystem::rename(unfinished, file(name));
}

bool SharedFolder::has(const std::string& name) const {
  return std::filesystem::exists(file(name));
}

std::optional<std::vector<char>> SharedFolder::get(const std::string& name) const {
  std::ifstream in(file(name), std::ios::binary);
  if (!in) return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>(in), {});
}

void SharedFolder::take(const std::string& name) const {
  std::filesystem::rename(file(name), file(taken(name)));
}

}  // namespace pipegraph::cuda_stand_in
