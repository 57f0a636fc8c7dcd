// Names and element sizes of the number formats, as one table.
#include "core/base/precision.h"

namespace pipegraph {
namespace {

struct Row {
  std::string_view name;
  std::uint64_t element_bytes;
};
constexpr std::array<Row, k_precisions> k_rows{{
    {"fp32", 4},
    {"fp32_tensor", 4},
    {"tf32", 4},
    {"fp16", 2},
    {"bf16", 2},
}};

constexpr const Row& row(Precision precision) {
  return k_rows[static_cast<std::size_t>(precision)];
}

}  // namespace

Bytes element_size(Precision precision) { return Bytes{row(precision).element_bytes}; }

std::string_view to_text(Precision precision) { return row(precision).name; }

std::optional<Precision> parse_precision(std::string_view text) {
  for (std::size_t i = 0; i < k_rows.size(); ++i)
    if (k_rows[i].name == text) return static_cast<Precision>(i);
  return std::nullopt;
}

}  // namespace pipegraph
