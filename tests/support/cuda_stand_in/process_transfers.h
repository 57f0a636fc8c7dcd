// Transfers and collectives between processes, by files in a shared folder. With the engine's lock
// held.
#pragma once

#include <string>

#include "tests/support/cuda_stand_in/communicators.h"

namespace pipegraph::cuda_stand_in {

std::string text_of(const Part& part);

/// Gives the others what they need of it, and names the file.
std::string post_file(ncclComm& comm, const Part& part);
/// Whether they have done theirs.
bool others_are_there(const ncclComm& comm, const Part& part, const std::string& file);
/// Then: takes what they gave.
void take_file(ncclComm& comm, const Part& part, const std::string& file);

}  // namespace pipegraph::cuda_stand_in
