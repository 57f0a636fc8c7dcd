// What a network family is: a name, parameters with defaults, and a function that builds its graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// A parameter of a family. Counts are integers within [least, most]; a choice is one of `choices`
/// and its value is the position among them; a flag is the choice of "false" and "true".
struct FamilyParameter {
  std::string name;
  std::string meaning;  ///< one line, with the unit
  std::int64_t fallback = 0;
  std::int64_t least = 1;
  std::int64_t most = 1'000'000'000;
  std::vector<std::string> choices{};

  bool is_choice() const { return !choices.empty(); }
  bool is_flag() const { return choices.size() == 2 && choices[0] == "false"; }
  /// The default as it would be written in YAML.
  std::string fallback_text() const;
};

FamilyParameter count_parameter(std::string name, std::int64_t fallback, std::string meaning);
/// 0 is allowed and means what `meaning` says.
FamilyParameter optional_count_parameter(std::string name, std::string meaning);
FamilyParameter flag_parameter(std::string name, std::string meaning);
FamilyParameter choice_parameter(std::string name, std::vector<std::string> choices,
                                 std::string meaning);

using ParameterValues = std::map<std::string, std::int64_t, std::less<>>;

/// The values with which a family is built; every parameter of the family has one.
class FamilyArguments {
 public:
  FamilyArguments(std::string name, Precision precision, SourcePosition position,
                  ParameterValues values)
      : name_(std::move(name)),
        precision_(precision),
        position_(std::move(position)),
        values_(std::move(values)) {}

  const std::string& name() const { return name_; }  ///< of the model
  Precision precision() const { return precision_; }
  const SourcePosition& position() const { return position_; }
  /// Errors: InternalError for a parameter the family does not declare.
  std::int64_t at(std::string_view parameter) const;

 private:
  std::string name_;
  Precision precision_;
  SourcePosition position_;
  ParameterValues values_;
};

struct Family {
  std::string name;
  std::string description;  ///< one line
  std::vector<FamilyParameter> parameters;
  /// Errors: ConfigError at the arguments' position for values that do not go together.
  ComputationGraph (*build)(const FamilyArguments& arguments) = nullptr;
};

}  // namespace pipegraph
