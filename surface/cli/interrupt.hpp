// Leaves no half-written file behind when the user, or the system, stops the program.
#pragma once

namespace brushfire::cli {

void clean_up_when_interrupted();
// Once the ranks are connected: before, there is nothing to clean up, and a launcher may not bear it that ranks leave
// while it connects them.
void clean_up_when_a_rank_dies();

}  // namespace brushfire::cli
