// Leaves no half-written file behind when the user, or the system, stops the program.
#pragma once

namespace brushfire::cli {

void clean_up_when_interrupted();

}  // namespace brushfire::cli
