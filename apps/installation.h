// Where the files that belong to the program lie: clusters, and the Python that draws reports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pipegraph {

/// The cluster files that come with pipegraph.
std::filesystem::path topologies_folder();
/// The program that draws reports.
std::filesystem::path report_program();
/// The program that draws two results side by side.
std::filesystem::path comparison_program();
/// An interpreter that can run it; empty if the build found none.
std::filesystem::path python();

/// Files directly in `folder` by name; empty if there is no such folder.
std::vector<std::filesystem::path> files_with_extension(const std::filesystem::path& folder,
                                                        const std::string& extension);

/// The first sentence of the comment at a YAML file's start; empty without one.
std::string first_sentence(const std::filesystem::path& file);

}  // namespace pipegraph
