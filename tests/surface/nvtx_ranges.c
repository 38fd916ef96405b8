/* What a profiler is to NVTX: a library that NVTX_INJECTION64_PATH names. It writes a line for each range that is
   pushed or popped, "thread > depth name" or "thread < depth", to the file that BRUSHFIRE_NVTX_RANGES names; threads are
   numbered as they come. */
#include <nvtx3/nvToolsExt.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* file;
static atomic_int threads;
static _Thread_local int thread = -1, depth;

static void write_line(char kind, const char* name)
{
  if (thread < 0) thread = atomic_fetch_add(&threads, 1);
  fprintf(file, "%d %c %d %s\n", thread, kind, depth, name);
  fflush(file);
}

static int NVTX_API push(const char* name)
{
  write_line('>', name);
  return depth++;
}

static int NVTX_API pop(void)
{
  --depth;
  write_line('<', "");
  return depth;
}

NVTX_DYNAMIC_EXPORT int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of)
{
  const char* const name = getenv("BRUSHFIRE_NVTX_RANGES");
  const NvtxExportTableCallbacks* const callbacks = table_of(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable functions = NULL;
  unsigned size = 0;
  if (name == NULL || callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size)) return 0;
  file = fopen(name, "w");
  if (file == NULL || size <= NVTX_CBID_CORE_RangePop) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
