#include "build/tuple_steps.hpp"

#include "base/error.hpp"
#include "exchange/bins.hpp"

namespace brushfire {

OwnDegrees count_own_degrees(const TupleShare& tuples, const DealtLabels& labels, CountedEnds counted,
                             Exchange& exchange, Team team, Progress& progress)
{
  OwnDegrees own;
  own.degrees.out = Buffer<std::uint32_t>(labels.size());
  if (counted.incoming) own.degrees.in = Buffer<std::uint32_t>(labels.size());
  Bins<Vertex> ends(exchange.devices());
  auto const count_at_owners = [&](Buffer<std::uint32_t>& degrees) {
    send_bins(exchange, ends, [&](int, std::span<const Vertex> numbers) {
      for (Vertex const number : numbers)
        if (++degrees[number] == 0)
          fail(ErrorKind::failure, "{}: a vertex has more than 2^32-1 edges, which this build cannot count",
               tuples.source.facts().name);
    });
  };
  auto const add = [&](Label label) { ends.add(labels.device_of(label), labels.number_of(label)); };
  for_each_step(tuples, exchange, team, progress, "counting degrees", [&](std::span<const Edge> edges) {
    own.tuples += edges.size();
    for (auto const [from, to] : edges) {
      if (from == to) {
        ++own.degrees.self_loops;
        continue;
      }
      add(from);
      if (counted.both) add(to);
    }
    count_at_owners(own.degrees.out);
    if (!counted.incoming) return;
    for (auto const [from, to] : edges)
      if (from != to) add(to);
    count_at_owners(own.degrees.in);
  });
  return own;
}

}  // namespace brushfire
