// Silenced where everything passes, so that no command has to ask which rank it is. Descriptor 2 stays open: what a
// crash or a sanitizer says, and the one line of a rank that ends the job, must get out.
#include "silence.hpp"

#include <brushfire/output.hpp>

#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace brushfire::cli {

void keep_silent()
{
  int const nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);  // not the stream alone: the parser prints its help through std::cout
    if (std::FILE* const stream = fdopen(nowhere, "w")) stderr = stream;  // a variable in the GNU C library
  }
  discard_outputs();
}

}  // namespace brushfire::cli
