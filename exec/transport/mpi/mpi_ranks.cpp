#include "exec/transport/mpi/mpi_ranks.h"

#include <limits>

#include "exec/transport/mpi/mpi_wait.h"

namespace pipegraph {

std::vector<std::string> MpiRanks::all_gather(std::string_view mine) {
  check(mine.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
        "a rank's text is below 2 GiB");
  const RankWait wait{
      .what = "gathering from all ranks", .deadline = deadline_, .failure = failure_};
  const auto ranks = static_cast<std::size_t>(size());
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, gathers_.get(), &request),
      "gathering sizes");
  wait_for_ranks(request, wait);

  std::vector<int> places(ranks);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    places[i] = static_cast<int>(total);
    total += lengths[i];
    check(total <= std::numeric_limits<int>::max(), "what all ranks say is below 2 GiB");
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  if (total > 0) {
    check_mpi(MPI_Iallgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(),
                              places.data(), MPI_CHAR, gathers_.get(), &request),
              "gathering texts");
    wait_for_ranks(request, wait);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(
        all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

}  // namespace pipegraph
