// Stands in for everything that needs CUDA in a build without the toolkit: no GPU is ever usable there, so nothing
// but the first functions is reached.
#include "base/error.hpp"
#include "device/gpus.hpp"
#include "device/range.hpp"
#include "engine/gpu.hpp"
#include "input/caller_arrays.hpp"

namespace brushfire {

namespace device {

bool built_with_cuda() { return false; }

const Gpus& list_gpus()
{
  static Gpus const none{{}, "this program was built without CUDA"};
  return none;
}

std::string why_no_gpu() { return list_gpus().problem; }

double copy_bandwidth() { return 0; }

Range::Range(const char*) {}
Range::~Range() = default;

}  // namespace device

namespace {

[[noreturn]] void refuse() { fail(ErrorKind::failure, "no usable GPU: {}", device::list_gpus().problem); }

}  // namespace

device::GpuName device::name_of_gpu(int) { refuse(); }
void device::copy_from_gpu(void*, const void*, std::size_t) { refuse(); }
bool device::is_on_this_gpu(const void*) { refuse(); }
LookOnGpu look_on_gpu(const ArraysOnGpu&, bool) { refuse(); }

GpuBuilt build_on_gpu(const EdgeSource&, const Labels&, const GpuBuildOptions&, Team, Progress&) { refuse(); }
std::shared_ptr<const GpuGraph> copy_to_gpu(const Layout&, const Labels&) { refuse(); }
Layout copy_to_host(const GpuGraph&) { refuse(); }
LayoutFacts facts_of(const GpuGraph&) { refuse(); }
std::uint32_t input_degree(const GpuGraph&, Vertex) { refuse(); }
std::vector<std::uint32_t> input_degrees(const GpuGraph&) { refuse(); }
std::unique_ptr<Backend> make_gpu_backend(const GraphData&, const SearchOptions&) { refuse(); }
std::unique_ptr<BatchStepper> make_gpu_batch_stepper(const GraphData&, const BatchStepperOptions&) { refuse(); }
std::shared_ptr<const GpuParts> copy_to_gpus(const PartedGraph&) { refuse(); }
std::shared_ptr<GpuParts> begin_gpu_parts(int) { refuse(); }
int devices_on_a_gpu(int) { refuse(); }
GpuBuiltPart build_on_gpu(GpuParts&, int, const TupleShare&, const DealtLabels&, const GpuBuildOptions&, Exchange&,
                          Team, Progress&)
{
  refuse();
}
void finish_on_gpu(GpuParts&, int, const Part&, const DealtLabels&) { refuse(); }
void copy_rows_to_host(const GpuParts&, int, Part&) { refuse(); }
RowLengths row_lengths(const GpuParts&, int) { refuse(); }
std::unique_ptr<Memory> memory_of(const GpuParts&) { refuse(); }
std::unique_ptr<Wire> make_wire(const GpuParts&, const WireOptions&) { refuse(); }
std::string transport_of_gpus() { return ""; }
std::unique_ptr<TreeStepper> make_gpu_part_stepper(const GpuParts&, int, const SearchOptions&, const GpuPartOptions&)
{
  refuse();
}
std::unique_ptr<TreeStepper> make_gpu_block_stepper(const PartedGraph&, const GpuParts&, int, const SearchOptions&,
                                                    const GpuPartOptions&)
{
  refuse();
}
MemoryPlan make_gpu_plan(const EdgeFacts&, const PlanRequest&) { refuse(); }
MemoryPlan make_gpu_plan_of_stored(const GraphFacts&, const PlanRequest&) { refuse(); }
std::uint64_t gpu_bytes_while_searching() { return 0; }

}  // namespace brushfire
