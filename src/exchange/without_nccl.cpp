// Stands in for src/exchange/nccl in a build without NCCL; whoever chooses a wire asks first.
#include "base/error.hpp"
#include "exchange/nccl/nccl_wire.hpp"

namespace brushfire {

bool built_with_nccl() { return false; }

std::unique_ptr<Wire> make_nccl_wire(std::unique_ptr<Wire>, int)
{
  fail(ErrorKind::usage, "this program was built without NCCL");
}

}  // namespace brushfire
