/* What of libnvidia-ml.so.1 is asked for, with three GPUs: the first two count, the third is of a kind that does not. */
#include <string.h>

static const char* const uuids[] = {"GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "GPU-10010203-0405-0607-0809-0a0b0c0d0e0f",
                                    "GPU-20010203-0405-0607-0809-0a0b0c0d0e0f"};
static const char* const names[] = {"first", "second", "third"};
static unsigned long long millijoules[] = {5000, 70000, 0};
enum { success = 0, invalid_argument = 2, not_supported = 3, not_found = 6 };

/* For the test, which makes time pass. */
void nvml_stub_take(int gpu, unsigned long long more) { millijoules[gpu] += more; }

int nvmlInit_v2(void) { return success; }
int nvmlShutdown(void) { return success; }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device)
{
  for (int i = 0; i < 3; ++i)
    if (strcmp(uuid, uuids[i]) == 0) {
      *device = (void*)&uuids[i];
      return success;
    }
  return not_found;
}

static long number_of(const void* device) { return (const char* const*)device - uuids; }

int nvmlDeviceGetName(const void* device, char* name, unsigned length)
{
  const char* const ours = names[number_of(device)];
  if (strlen(ours) >= length) return invalid_argument;
  strcpy(name, ours);
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(const void* device, unsigned long long* energy)
{
  if (number_of(device) == 2) return not_supported;
  *energy = millijoules[number_of(device)];
  return success;
}
