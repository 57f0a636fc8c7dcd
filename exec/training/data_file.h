// Samples from a file, binary (a tensor file) or CSV: all of it is checked before training starts.
// When the samples are used up they begin anew, so that no sample is left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "exec/training/data_fields.h"
#include "exec/training/data_source.h"

namespace pipegraph {

/// A source that repeats after samples().
class DataFile : public DataSource {
 public:
  virtual std::int64_t samples() const = 0;
};

/// Opens a file that holds all `fields`. Errors: ConfigError that names file, place and field for
/// what is missing, cut off, of another shape or type, not finite or out of range, and for a file
/// of fewer samples than `mini_batch`.
std::unique_ptr<DataFile> open_data(const std::filesystem::path& path,
                                    std::span<const DataField> fields, std::int32_t mini_batch);

/// CRC-32 of all samples, field after field, in eight hexadecimal digits: the same whatever the
/// format and name of the file.
std::string checksum_of(const DataFile& data, std::span<const DataField> fields);

}  // namespace pipegraph
