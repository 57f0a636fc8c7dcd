// Tensor files: one tensor per field, its first extent counting samples. Read piece by piece when
// asked for, so a file may be larger than the memory.
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "exec/training/data_formats.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_checked_at_once = 1 << 18;

class BinaryData final : public DataFile {
 public:
  BinaryData(const std::filesystem::path& path, std::span<const DataField> fields) : file_(path) {
    for (const DataField& field : fields) {
      tensors_.resize(std::max(tensors_.size(), field.op.index() + 1));
      tensors_[field.op.index()] = place(field);
    }
    for (const DataField& field : fields) check_values(field);
  }

  std::int64_t samples() const override { return samples_.value_or(0); }
  void read(OperatorId op, std::int64_t first, std::span<float> into) const override {
    read_any(op, first, into);
  }
  void read(OperatorId op, std::int64_t first, std::span<std::int32_t> into) const override {
    read_any(op, first, into);
  }

 private:
  struct Place {
    std::size_t tensor = 0;
    std::int64_t elements = 0;  ///< per sample
  };

  [[noreturn]] void fail(const DataField& field, const std::string& problem,
                         const std::string& expected) const {
    throw ConfigError({.file = file_.path().string(), .key = field.name}, problem, expected);
  }

  Place place(const DataField& field) {
    const auto index = file_.find(field.name);
    if (!index) fail_absent(field);
    const TensorDescription& tensor = file_.tensors()[*index];
    const std::string expected =
        fmt::format("{} [samples, {}, {}]", to_text(field.type()), field.rows, field.columns);
    std::int64_t elements = 1;
    for (std::size_t i = 1; i < tensor.shape.size(); ++i) elements *= tensor.shape[i];
    if (tensor.type != field.type() || tensor.shape.empty() || elements != field.elements())
      fail(field, fmt::format("is {} [{}]", to_text(tensor.type), fmt::join(tensor.shape, ", ")),
           expected);
    if (!samples_) samples_ = tensor.shape.front();
    if (*samples_ != tensor.shape.front())
      fail(field,
           fmt::format("has {} samples, the fields before it {}", tensor.shape.front(), *samples_),
           "as many samples of every field");
    return {*index, elements};
  }

  [[noreturn]] void fail_absent(const DataField& field) const {
    std::vector<std::string> names;
    for (const TensorDescription& tensor : file_.tensors()) names.push_back(tensor.name);
    fail(field, fmt::format("there is no tensor '{}' in the file", field.name),
         fmt::format("{} of operator '{}'; the file has {}", to_text(field.kind), field.name,
                     names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }

  void check_values(const DataField& field) const {
    if (field.type() == ElementType::Float32)
      check_all<float>(
          field, [](float value) { return std::isfinite(value); }, "a finite number");
    else
      check_all<std::int32_t>(
          field, [&](std::int32_t value) { return value >= 0 && value < field.below; },
          range_text(field));
  }

  template <class T, class Valid>
  void check_all(const DataField& field, Valid valid, const std::string& expected) const {
    const Place& place = tensors_[field.op.index()];
    std::vector<T> values;
    const std::int64_t all = samples() * place.elements;
    for (std::int64_t first = 0; first < all; first += k_checked_at_once) {
      values.resize(static_cast<std::size_t>(std::min(k_checked_at_once, all - first)));
      read_elements(place, first, std::span<T>(values));
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!valid(values[i]))
          fail(field,
               fmt::format("is {} at {}", values[i],
                           place_text(field, first + static_cast<std::int64_t>(i))),
               expected);
    }
  }

  static std::string place_text(const DataField& field, std::int64_t element) {
    const std::int64_t within = element % field.elements();
    return fmt::format("sample {}, row {}, column {} (from 0)", element / field.elements(),
                       within / field.columns, within % field.columns);
  }

  template <class T>
  void read_elements(const Place& place, std::int64_t first, std::span<T> into) const {
    file_.read(place.tensor, static_cast<std::uint64_t>(first) * k_element_bytes,
               std::as_writable_bytes(into));
  }

  template <class T>
  void read_any(OperatorId op, std::int64_t first, std::span<T> into) const {
    const Place& place = tensors_[op.index()];
    read_repeating(samples(), first, place.elements, into,
                   [&](std::int64_t sample, std::span<T> part) {
                     read_elements(place, sample * place.elements, part);
                   });
  }

  TensorFile file_;
  std::optional<std::int64_t> samples_;
  std::vector<Place> tensors_;  ///< by operator
};

}  // namespace

std::unique_ptr<DataFile> open_binary_data(const std::filesystem::path& path,
                                           std::span<const DataField> fields) {
  return std::make_unique<BinaryData>(path, fields);
}

}  // namespace pipegraph
