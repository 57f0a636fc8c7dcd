// Boost.Program_options does the parsing; this adds positional arguments by name, examples, and
// suggestions.
#include "apps/options.h"

#include <fmt/format.h>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>
#include <utility>

#include "core/base/errors.h"
#include "core/base/nearest.h"

namespace pipegraph {

namespace po = boost::program_options;

namespace {

/// Positional arguments have names in capitals.
std::string shown_name(const std::string& name) {
  return name[0] >= 'A' && name[0] <= 'Z' ? name : "--" + name;
}

}  // namespace

Options::Options(Usage usage) : usage_(std::move(usage)), visible_("options", 100, 50) {
  add()("help,h", "print this and stop");
}

void Options::add_positional(const std::string& name) {
  hidden_.add_options()(name.c_str(), po::value<std::string>());
  positions_.add(name.c_str(), 1);
  required_.push_back(name);
}

void Options::add_rest(const std::string& name) {
  hidden_.add_options()(name.c_str(), po::value<std::vector<std::string>>());
  positions_.add(name.c_str(), -1);
}

std::string Options::help() const {
  std::ostringstream text;
  text << "usage: pipegraph " << usage_.verb << ' ' << usage_.synopsis << "\n\n"
       << usage_.about << "\n\n"
       << visible_ << "\nexamples:\n"
       << usage_.examples;
  return text.str();
}

void Options::fail_value(const std::string& name, const std::string& problem,
                         const std::string& otherwise) const {
  for (const auto& option : visible_.options())
    if ("--" + option->long_name() == name) fail(problem, option->description());
  fail(problem, otherwise);
}

void Options::fail(const std::string& problem, const std::string& expected) const {
  throw ConfigError({.file = usage_.verb}, problem, expected);
}

po::variables_map Options::parse_values(Arguments arguments) const {
  po::options_description all;
  all.add(visible_).add(hidden_);
  const std::string see_help = fmt::format("see 'pipegraph {} --help'", usage_.verb);
  const std::string shown_in_help = fmt::format("what 'pipegraph {} --help' shows", usage_.verb);
  po::variables_map values;
  try {
    const std::vector<std::string> words(arguments.begin(), arguments.end());
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(words).options(all).positional(positions_).style(style).run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : visible_.options()) names.push_back("--" + option->long_name());
    const std::string name = error.get_option_name();
    const auto close = nearest(name, names);
    fail(fmt::format("there is no option '{}'", name),
         close ? fmt::format("'{}'; {}", *close, see_help) : shown_in_help);
  } catch (const po::too_many_positional_options_error&) {
    fail("there are too many arguments", fmt::format("{}; {}", usage_.synopsis, see_help));
  } catch (const po::validation_error& error) {
    fail_value(error.get_option_name(), error.what(), shown_in_help);
  } catch (const po::error& error) {
    fail(error.what(), shown_in_help);
  }
  return values;
}

std::optional<po::variables_map> Options::parse(Arguments arguments, const Console& console) const {
  po::variables_map values = parse_values(arguments);
  if (values.count("help") > 0) {
    print_result(console, help());
    return std::nullopt;
  }
  for (const std::string& name : required_)
    if (values.count(name) == 0)
      fail(fmt::format("{} is missing", name),
           fmt::format("pipegraph {} {}", usage_.verb, usage_.synopsis));
  return values;
}

std::size_t choice_of(const po::variables_map& values, const std::string& name,
                      std::span<const std::string> choices) {
  const auto text = values[name].as<std::string>();
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i] == text) return i;
  throw ConfigError({.file = shown_name(name)}, fmt::format("unknown value '{}'", text),
                    expected_one_of(text, choices));
}

std::optional<std::string> path_of(const po::variables_map& values, const std::string& name) {
  if (values.count(name) == 0) return std::nullopt;
  auto path = values[name].as<std::string>();
  if (path.empty()) throw ConfigError({.file = shown_name(name)}, "is empty", "a path");
  return path;
}

std::vector<std::string> texts_of(const po::variables_map& values, const std::string& name) {
  if (values.count(name) == 0) return {};
  return values[name].as<std::vector<std::string>>();
}

}  // namespace pipegraph
