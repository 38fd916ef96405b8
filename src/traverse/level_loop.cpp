// The one level loop: one GPU, many, and the CPU share it.
#include "traverse/stepper.hpp"

#include <array>

namespace brushfire {

namespace {

LevelCounters sum_over_devices(Exchange& exchange, LevelCounters counters)
{
  std::array<std::uint64_t, 2> values{counters.frontier, counters.stop};
  exchange.sum(values);
  return {values[0], values[1]};
}

}  // namespace

void run_levels(Stepper& stepper, Exchange& exchange, Vertex root, const Limits& limits, Trace& trace)
{
  trace.clear();
  LevelCounters everywhere = sum_over_devices(exchange, stepper.start(root, limits));
  while (everywhere.frontier > 0 && everywhere.stop == 0) {
    for (int index = 0; index < exchange.rounds(); ++index) {
      Round const round{index, index + 1 == exchange.rounds()};
      exchange.post(round, stepper.outbox(round));
      stepper.work(round);
      exchange.collect(round, [&](Piece piece) { stepper.absorb(round, piece); });
    }
    everywhere = sum_over_devices(exchange, stepper.finish_level(trace));
  }
  stepper.finish(exchange);
}

}  // namespace brushfire
