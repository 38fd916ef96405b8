// What kernels, copies and fills of a search take on the GPU, added up: a library that the driver loads into a program
// (CUDA_INJECTION64_PATH) and that writes "milliseconds operations" to the file GPU_TIME_FILE when the program ends.
// Counted is what starts with the first search; whole arrays that are copied from or to the host, as degrees and
// results are between searches, are left out: in a search of one process only counters pass there.
#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Operation {
  std::uint64_t start, nanoseconds;
};

std::mutex guard;
std::vector<Operation> operations;
std::uint64_t first_search = UINT64_MAX;

bool starts_a_search(const std::string& kernel)
{
  return kernel.find("search_levels") != std::string::npos || kernel.find("start_thread_per_word") != std::string::npos;
}
bool counts_the_tree(const std::string& kernel) { return kernel.find("_in_tree") != std::string::npos; }

void add(const CUpti_Activity& record)
{
  constexpr std::uint64_t whole_result = std::uint64_t{1} << 16;  // bytes; counters are much smaller
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    auto const& kernel = reinterpret_cast<const CUpti_ActivityKernel9&>(record);
    if (counts_the_tree(kernel.name)) return;
    if (starts_a_search(kernel.name) && kernel.start < first_search) first_search = kernel.start;
    operations.push_back({kernel.start, kernel.end - kernel.start});
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    auto const& copy = reinterpret_cast<const CUpti_ActivityMemcpy5&>(record);
    bool const with_host =
        copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH || copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    if (with_host && copy.bytes >= whole_result) return;
    operations.push_back({copy.start, copy.end - copy.start});
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    auto const& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
    operations.push_back({fill.start, fill.end - fill.start});
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records)
{
  *size = std::size_t{8} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid)
{
  std::lock_guard const lock(guard);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) add(*record);
  std::free(buffer);
}

void report()
{
  cuptiActivityFlushAll(1);
  const char* const path = std::getenv("GPU_TIME_FILE");
  std::FILE* const file = path != nullptr ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::uint64_t nanoseconds = 0, count = 0;
  // Clearing comes right before the first kernel of a search.
  constexpr std::uint64_t clearing = 1000000;
  for (const Operation& operation : operations)
    if (operation.start + clearing >= first_search) {
      nanoseconds += operation.nanoseconds;
      ++count;
    }
  std::fprintf(file, "%.3f %llu\n", static_cast<double>(nanoseconds) * 1e-6, static_cast<unsigned long long>(count));
  std::fclose(file);
}

}  // namespace

extern "C" int InitializeInjection()
{
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (CUpti_ActivityKind const kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    cuptiActivityEnable(kind);
  std::atexit(report);
  return 1;
}
