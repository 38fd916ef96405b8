// The first rank of a job speaks and writes for all; the others do the same work and keep silent.
#pragma once

namespace brushfire::cli {

void keep_silent();

}  // namespace brushfire::cli
