// Leaves no half-written file behind when the user, or the system, stops the program.
#pragma once

namespace brushfire::cli {

// These signals are held back from before the libraries of the program start, so that a line is said however early one
// comes, and let through when a Job can tell who says it.
void clean_up_when_interrupted();
void let_interrupts_through();
// For when the ranks are connected: a launcher may not bear it that they leave while it connects them.
void leave_when_a_rank_dies();

}  // namespace brushfire::cli
