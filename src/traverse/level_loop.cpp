// The one level loop: one GPU, many, and the CPU share it.
#include "device/range.hpp"
#include "exchange/sum_over_devices.hpp"
#include "traverse/stepper.hpp"

namespace brushfire {

void run_levels(Stepper& stepper, Exchange& exchange, std::uint64_t root, const Limits& limits, Trace& trace)
{
  trace.clear();
  exchange.take_traffic();
  LevelCounters everywhere = sum_over_devices(exchange, stepper.start(root, limits));
  while (everywhere.frontier > 0 && everywhere.stop == 0) {
    device::Range const range("level");  // or several, where the stepper does not come back after each
    stepper.hear(everywhere);
    for (int index = 0; index < exchange.rounds(); ++index) {
      Round const round{index, index + 1 == exchange.rounds()};
      exchange.post(round, stepper.outbox(round));
      stepper.work(round);
      bool const joined = exchange.collect(round, [&](Piece piece) { stepper.absorb(round, piece); });
      if (joined) stepper.masks_joined(round);
    }
    everywhere = sum_over_devices(exchange, stepper.finish_level(trace, exchange.take_traffic()));
  }
  stepper.finish(exchange);
  Traffic const for_parents = exchange.take_traffic();
  trace.add_parent_traffic(for_parents.piece_bytes + for_parents.mask_bytes, for_parents.messages);
}

}  // namespace brushfire
