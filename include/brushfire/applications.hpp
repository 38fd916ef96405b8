// What people ask of a graph that searches answer: its components, its diameter, how central a vertex is. Each works on
// a graph of one device, and says with Error(usage) when it is given another.
#pragma once

#include <brushfire/facts.hpp>
#include <brushfire/machine.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/report.hpp>
#include <brushfire/types.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

class Graph;
struct GraphOptions;

enum class Application { components, diameter, closeness };
// What a graph and one of these will take, without building it.
MemoryPlan plan_application(Application application, const std::string& spec, const GraphOptions& options);

// A connected component, called by the smallest label in it. Of a directed graph they are the weakly connected ones:
// which way an edge goes does not matter.
struct Component {
  Label name = no_label;
  std::uint64_t vertices = 0;
};

struct Components {
  std::vector<Vertex> of;  // by Vertex: the first vertex of its component, whose label is the component's name
  std::vector<Component> components;  // by falling size, those of a size by rising name
};
Components find_components(const Graph& graph);
// The name of every vertex's component, to a .txt or .npy file, as write_result() writes levels.
void write_components(const Graph& graph, const Components& components, const std::filesystem::path& file);

struct DiameterOptions {
  std::optional<Label> component_of{};  // nothing: the largest component
  std::uint64_t most_searches = 4096;   // after which bounds that have not met are left apart
  int threads = 0;
  Device device = Device::automatic;
};

// The largest distance inside one component of an undirected graph.
struct DiameterBounds {
  Component component;
  std::int64_t lower = 0, upper = 0;
  Label from = no_label, to = no_label;  // two vertices at distance `lower`
  std::uint64_t searches = 0;
  bool exact() const { return lower == upper; }
};
// Sweeps from one end to the other for a lower bound and a vertex near the middle, then searches from what lies
// farthest from there, 64 vertices at a time, until the bounds meet (iFUB; Crescenzi et al., 2013). Throws Error(usage)
// for a directed graph, an empty one, and an unknown vertex.
DiameterBounds bound_diameter(const Graph& graph, const DiameterOptions& options = {},
                              Progress& progress = Progress::none());

// How near a vertex is to the others, by the distances from it. Closeness counts what is out of reach by the share of
// vertices that is not (Wasserman and Faust); harmonic is the sum of 1 / distance.
struct Closeness {
  Label vertex = no_label;
  std::uint64_t reached = 0;  // itself included
  std::int64_t depth = 0;     // its eccentricity
  double closeness = 0, harmonic = 0;
};
struct ClosenessOptions {
  int threads = 0;
  Device device = Device::automatic;
};
// In the order of `vertices`.
std::vector<Closeness> measure_closeness(const Graph& graph, std::span<const Label> vertices,
                                         const ClosenessOptions& options = {}, Progress& progress = Progress::none());

// How many components have each size, by falling size.
struct ComponentSizes {
  std::uint64_t vertices = 0, components = 0;
};
std::vector<ComponentSizes> sizes_of(std::span<const Component> components);

// As documents of the schema "brushfire/1".
std::string components_to_json(const HostReport& host, const GraphReport& graph, const Components& components);
std::string diameter_to_json(const HostReport& host, const GraphReport& graph, const DiameterBounds& bounds);
std::string closeness_to_json(const HostReport& host, const GraphReport& graph, std::span<const Closeness> sample);

}  // namespace brushfire
#pragma GCC visibility pop
