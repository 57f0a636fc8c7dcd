#include "exec/transport/mpi/mpi_ranks.h"

#include <limits>

#include "exec/transport/mpi/mpi_wait.h"

namespace pipegraph {

std::vector<std::string> MpiRanks::all_gather(std::string_view mine) {
  check(mine.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
        "a rank's text is below 2 GiB");
  const auto ranks = static_cast<std::size_t>(size());
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, gathers_.get(), &request),
      "gathering sizes");
  wait_for(request, "gathering from all ranks");

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
    wait_for(request, "gathering from all ranks");
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(
        all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

std::vector<ClockEcho> MpiRanks::ask_first_rank(int rounds, const ClockReader& now) {
  std::vector<ClockEcho> echoes;
  for (int asking = 1; asking < size(); ++asking) {
    if (rank() == 0) answer(asking, rounds, now);
    if (rank() != asking) continue;
    for (int round = 0; round < rounds; ++round) echoes.push_back(ask(now));
  }
  return echoes;
}

void MpiRanks::answer(int rank, int rounds, const ClockReader& now) {
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(nullptr, 0, MPI_DOUBLE, rank, 0, questions_.get(), &request),
              "awaiting a question");
    wait_for(request, "being asked for the time");
    const double seconds = now().count();
    check_mpi(MPI_Isend(&seconds, 1, MPI_DOUBLE, rank, 0, questions_.get(), &request), "answering");
    wait_for(request, "telling the time");
  }
}

ClockEcho MpiRanks::ask(const ClockReader& now) {
  double answer = 0.0;
  MPI_Request answered = MPI_REQUEST_NULL;
  MPI_Request asked = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(&answer, 1, MPI_DOUBLE, 0, 0, questions_.get(), &answered),
            "awaiting an answer");
  ClockEcho echo{.asked = now()};
  check_mpi(MPI_Isend(nullptr, 0, MPI_DOUBLE, 0, 0, questions_.get(), &asked), "asking");
  wait_for(answered, "asking for the time");
  echo.received = now();
  echo.answered = Seconds{answer};
  wait_for(asked, "asking for the time");
  return echo;
}

void MpiRanks::wait_for(MPI_Request& request, const char* what) const {
  wait_for_ranks(request, {.what = what, .deadline = deadline_, .failure = failure_});
}

}  // namespace pipegraph
