#include <brushfire/report.hpp>

namespace brushfire {

GraphReport describe_graph(const GraphFacts& facts)
{
  return {.name = facts.name,
          .vertices = facts.vertices,
          .edges_input = facts.edges_input,
          .edges_stored = facts.edges_stored,
          .bytes = facts.bytes,
          .generation_seconds = facts.generation_seconds,
          .construction_seconds = facts.construction_seconds};
}

}  // namespace brushfire
