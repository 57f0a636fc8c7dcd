// The two formats of data files. Internal to exec/training.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/training/data_file.h"

namespace pipegraph {

/// The same whatever the format. Errors: ConfigError.
std::unique_ptr<DataFile> open_binary_data(const std::filesystem::path& path,
                                           std::span<const DataField> fields);
std::unique_ptr<DataFile> read_csv_data(const std::filesystem::path& path,
                                        std::span<const DataField> fields);

/// "0 to 9".
std::string range_text(const DataField& field);

/// Reads `into` from consecutive samples of a source of `samples` that begins anew at its end:
/// calls read(sample, part of `into`) for each stretch.
template <class T, class Read>
void read_repeating(std::int64_t samples, std::int64_t first_sample, std::int64_t elements,
                    std::span<T> into, Read read) {
  std::int64_t sample = first_sample % samples;
  while (!into.empty()) {
    const auto left = static_cast<std::size_t>((samples - sample) * elements);
    const std::span<T> part = into.first(std::min(into.size(), left));
    read(sample, part);
    into = into.subspan(part.size());
    sample = 0;
  }
}

}  // namespace pipegraph
