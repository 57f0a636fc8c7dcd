#include "tests/support/cuda_stand_in/process_transfers.h"

#include <cstring>

namespace pipegraph::cuda_stand_in {

namespace {

std::size_t bytes(const Part& part) { return part.count * bytes_of(part.type); }

void put(const std::string& name, const Part& part) {
  const auto* const from = static_cast<const char*>(host_view(part.source));
  shared_folder().put(name, {from, from + bytes(part)});
}

void receive(ncclComm& comm, const Part& part, const std::string& file) {
  const std::vector<char> sent = *shared_folder().get(file);
  if (sent.size() == bytes(part)) {
    std::memcpy(host_view(part.target), sent.data(), sent.size());
  } else {
    found("NCCL", "a rank receives " + std::to_string(bytes(part)) + " bytes where " +
                      std::to_string(sent.size()) + " were sent");
    comm.error = ncclRemoteError;
  }
  shared_folder().take(file);
}

/// From the last rank to the first, as within a process.
void add_up(const ncclComm& comm, const Part& part, const std::string& file) {
  std::vector<float> sum(part.count);
  std::vector<float> addend(part.count);
  for (std::size_t rank = comm.clique->members.size(); rank-- > 0;) {
    const std::vector<char> all = *shared_folder().get(file + std::to_string(rank));
    std::memcpy(addend.data(), all.data(), bytes(part));
    for (std::size_t i = 0; i < part.count; ++i) sum[i] += addend[i];
  }
  std::memcpy(host_view(part.target), sum.data(), bytes(part));
}

}  // namespace

std::string post_file(ncclComm& comm, const Part& part) {
  const std::string& key = comm.clique->key;
  const bool sends = part.kind == Operator::Send;
  if (!sends && part.kind != Operator::Recv) {
    // With its size, so that ranks that disagree never meet.
    const std::string file =
        key + " sum " + std::to_string(comm.collectives++) + " " + text_of(part) + " ";
    put(file + std::to_string(comm.rank), part);
    return file;
  }
  const std::pair pair{sends ? comm.rank : part.peer, sends ? part.peer : comm.rank};
  const std::string file = key + " " + std::to_string(pair.first) + " to " +
                           std::to_string(pair.second) + " " + std::to_string(comm.files[pair]++);
  if (sends) put(file, part);
  return file;
}

bool others_are_there(const ncclComm& comm, const Part& part, const std::string& file) {
  const SharedFolder folder = shared_folder();
  if (part.kind == Operator::Send) return folder.has(SharedFolder::taken(file));
  if (part.kind == Operator::Recv) return folder.has(file);
  for (std::size_t rank = 0; rank < comm.clique->members.size(); ++rank)
    if (!folder.has(file + std::to_string(rank))) return false;
  return true;
}

void take_file(ncclComm& comm, const Part& part, const std::string& file) {
  if (part.kind == Operator::Recv)
    receive(comm, part, file);
  else if (part.kind != Operator::Send)
    add_up(comm, part, file);
}

}  // namespace pipegraph::cuda_stand_in
