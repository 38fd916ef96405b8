// A value per vertex in a file: the parents or the levels of a search. As .txt a line "label value" for
// every vertex, by rising label; as .npy an int64 array indexed by label, -1 where no vertex has the label.
#pragma once

#include "base/parallel.hpp"
#include "input/labels.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace brushfire {

// Throws Error(usage) for another extension, and for .npy unless largest label < 2 x number of vertices.
void require_vertex_values_fit(const std::filesystem::path& path, const Labels& labels);

// Throws what require_vertex_values_fit() throws, before the file is touched.
void write_vertex_values(const std::filesystem::path& path, const Labels& labels,
                         const std::function<Label(Vertex)>& value, Team team);

// The value of every vertex, by index. Throws Error(input) unless each vertex has exactly one.
std::vector<Label> read_vertex_values(const std::filesystem::path& path, const Labels& labels);

// The same from bytes; `name` stands in messages.
std::vector<Label> parse_vertex_values_txt(std::span<const std::byte> bytes, const std::string& name,
                                           const Labels& labels);
std::vector<Label> parse_vertex_values_npy(std::span<const std::byte> bytes, const std::string& name,
                                           const Labels& labels);

}  // namespace brushfire
