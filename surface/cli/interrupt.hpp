// Leaves no half-written file behind when the user, or the system, stops the program.
#pragma once

namespace brushfire::cli {

void clean_up_when_interrupted();
// For when the ranks are connected: a launcher may not bear it that they leave while it connects them.
void leave_when_a_rank_dies();

}  // namespace brushfire::cli
