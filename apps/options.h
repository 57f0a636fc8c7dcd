// One verb's options: what it takes, how it explains itself, and errors that name the remedy.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/console.h"

namespace pipegraph {

using Arguments = std::span<const std::string>;

/// What `--help` prints around the list of options.
struct Usage {
  std::string verb;
  std::string synopsis;  ///< what follows the verb: "SCENARIO [options]"
  std::string about;     ///< a sentence or two
  std::string examples;  ///< one a line
};

class Options {
 public:
  explicit Options(Usage usage);

  boost::program_options::options_description_easy_init add() { return visible_.add_options(); }
  /// The next positional argument, required. `name` is what it is stored as and called in errors.
  void add_positional(const std::string& name);
  /// Any number of further positional arguments.
  void add_rest(const std::string& name);

  /// The values; nothing if `--help` was asked for and printed. Errors: ConfigError.
  std::optional<boost::program_options::variables_map> parse(Arguments arguments,
                                                             const Console& console) const;
  std::string help() const;

 private:
  /// Tells what the option's line of the help says.
  [[noreturn]] void fail_value(const std::string& name, const std::string& problem,
                               const std::string& otherwise) const;
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const;
  boost::program_options::variables_map parse_values(Arguments arguments) const;

  Usage usage_;
  boost::program_options::options_description visible_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positions_;
  std::vector<std::string> required_;
};

/// `name` of `values` as one of `choices`. Errors: ConfigError.
std::size_t choice_of(const boost::program_options::variables_map& values, const std::string& name,
                      std::span<const std::string> choices);

/// The path that an option names, if it is given. Errors: ConfigError if it is empty.
std::optional<std::string> path_of(const boost::program_options::variables_map& values,
                                   const std::string& name);

/// The texts of an option that may be given several times.
std::vector<std::string> texts_of(const boost::program_options::variables_map& values,
                                  const std::string& name);

}  // namespace pipegraph
