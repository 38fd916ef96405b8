// Counters of energy: of processors in a folder that looks like the system's, of GPUs in a library that looks like
// NVML.
#include "engine/energy_meter.hpp"
#include "engine/nvml.hpp"

#include <brushfire/energy.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>

#include <dlfcn.h>
#include <unistd.h>

namespace brushfire {

namespace {

class EnergyTest : public ::testing::Test {
 protected:
  void SetUp() override
  {
    add("intel-rapl:0", "package-0", 1000000, 5000000);
    add("intel-rapl:0:0", "core", 7, 5000000);  // a part of the package
    add("intel-rapl:0:1", "dram", 2000000, 9000000);
    add("intel-rapl:1", "psys", 3, 5000000);  // holds all of them
    add("intel-rapl-mmio:0", "package-0", 5, 5000000);
    std::filesystem::create_directories(folder_ / "intel-rapl");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& domain, const std::string& name, std::uint64_t energy, std::uint64_t range) const
  {
    std::filesystem::create_directories(folder_ / domain);
    std::ofstream(folder_ / domain / "name") << name << "\n";
    std::ofstream(folder_ / domain / "max_energy_range_uj") << range << "\n";
    set(domain, energy);
  }
  void set(const std::string& domain, std::uint64_t energy) const
  {
    std::ofstream(folder_ / domain / "energy_uj") << energy << "\n";
  }

  std::filesystem::path const folder_ =
      std::filesystem::temp_directory_path() / ("brushfire-powercap-" + std::to_string(getpid()));
};

TEST_F(EnergyTest, PackagesAndMemoryAreCountedOnce)
{
  EnergyMeter meter(folder_, {});
  EXPECT_EQ(meter.counters(), (std::vector<std::string>{"package-0", "dram"}));
  EXPECT_EQ(meter.joules(), 0);
  set("intel-rapl:0", 1500000);
  set("intel-rapl:0:1", 2250000);
  EXPECT_DOUBLE_EQ(meter.joules(), 0.75);
  EXPECT_EQ(meter.joules(), 0);
}

TEST_F(EnergyTest, ACounterThatStartsAgainGoesOn)
{
  EnergyMeter meter(folder_, {});
  set("intel-rapl:0", 4900000);
  EXPECT_DOUBLE_EQ(meter.joules(), 3.9);
  set("intel-rapl:0", 200000);
  EXPECT_DOUBLE_EQ(meter.joules(), 0.3);
}

TEST_F(EnergyTest, WhatCannotBeReadIsNotCounted)
{
  std::filesystem::remove(folder_ / "intel-rapl:0" / "energy_uj");
  EXPECT_EQ(EnergyMeter(folder_, {}).counters(), std::vector<std::string>{"dram"});
  EXPECT_TRUE(EnergyMeter(folder_ / "none", {}).counters().empty());
}

TEST_F(EnergyTest, SearchesAreRepeatedForAWhile)
{
  Graph const graph = Graph::open("kron:10");
  Search search(graph);
  std::vector<Label> const roots = random_sources(graph, 4, 1);
  std::jthread const machine([this](const std::stop_token& stop) {
    for (std::uint64_t taken = 1000000; !stop.stop_requested(); taken += 100) {
      std::ofstream(folder_ / "next") << taken << "\n";  // whole at once: the meter reads meanwhile
      std::filesystem::rename(folder_ / "next", folder_ / "intel-rapl:0" / "energy_uj");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  auto const energy = measure_energy(graph, search, roots, Device::cpu, {}, folder_);
  ASSERT_TRUE(energy);
  EXPECT_GE(energy->seconds, 0.3);
  EXPECT_GT(energy->searches, 4u);
  EXPECT_GT(energy->edges, energy->searches);
  EXPECT_GT(energy->joules, 0);
  EXPECT_DOUBLE_EQ(energy->teps_per_watt(), static_cast<double>(energy->edges) / energy->joules);
}

TEST_F(EnergyTest, NothingIsSaidWhereNothingCounts)
{
  Graph const graph = Graph::open("kron:10");
  Search search(graph);
  std::vector<Label> const roots = random_sources(graph, 4, 1);
  EXPECT_FALSE(measure_energy(graph, search, roots, Device::cpu, {}, folder_ / "none"));
  EXPECT_FALSE(measure_energy(graph, search, roots, Device::cpu, {}, folder_)) << "counters that stand still";
}

TEST_F(EnergyTest, IsToldOfWithTheDevices)
{
  auto const counted = list_energy_counters(folder_).front();
  EXPECT_TRUE(counted.usable);
  EXPECT_EQ(counted.detail, "package-0, dram");
  auto const none = list_energy_counters(folder_ / "none").front();
  EXPECT_FALSE(none.usable);
  EXPECT_NE(none.detail.find("has no intel-rapl"), std::string::npos) << none.detail;
  if (geteuid() == 0) return;  // may read everything
  for (const char* domain : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1"})
    std::filesystem::permissions(folder_ / domain / "energy_uj", std::filesystem::perms::none);
  auto const unreadable = list_energy_counters(folder_).front();
  EXPECT_FALSE(unreadable.usable);
  EXPECT_NE(unreadable.detail.find("only root"), std::string::npos) << unreadable.detail;
}

// The stub has the name under which the library is looked for, and the loader takes what is loaded already.
class NvmlTest : public ::testing::Test {
 protected:
  void SetUp() override
  {
    ASSERT_NE(stub_, nullptr) << dlerror();
    take_ = reinterpret_cast<void (*)(int, unsigned long long)>(dlsym(stub_, "nvml_stub_take"));
    ASSERT_NE(take_, nullptr);
  }
  void TearDown() override
  {
    if (stub_ != nullptr) dlclose(stub_);
  }

  // As CUDA names them: the bytes of a UUID. They differ in the first.
  static device::GpuName gpu(int number)
  {
    std::array<unsigned char, sizeof(device::GpuName)> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
    bytes[0] = static_cast<unsigned char>(16 * number);
    device::GpuName name;
    std::memcpy(&name, bytes.data(), sizeof(name));
    return name;
  }

  void* const stub_ = dlopen(BRUSHFIRE_NVML_STUB, RTLD_NOW | RTLD_LOCAL);
  void (*take_)(int, unsigned long long) = nullptr;
};

TEST_F(NvmlTest, CountsTheGpusThatSearch)
{
  NvmlCounters second(std::vector{gpu(1)}), both(std::vector{gpu(0), gpu(1)});
  EXPECT_EQ(second.names(), std::vector<std::string>{"second"});
  EXPECT_EQ(both.names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(both.joules(), 0);
  take_(0, 1500);
  take_(1, 250);
  EXPECT_DOUBLE_EQ(second.joules(), 0.25);
  EXPECT_DOUBLE_EQ(both.joules(), 1.75);
  EXPECT_EQ(both.joules(), 0);
}

TEST_F(NvmlTest, SaysNothingUnlessAllOfThemCount)
{
  EXPECT_TRUE(NvmlCounters(std::vector{gpu(0), gpu(2)}).names().empty());
  EXPECT_TRUE(NvmlCounters(std::vector{gpu(0), gpu(3)}).names().empty());  // a part of a GPU has a name of its own
  EXPECT_TRUE(EnergyMeter("/nowhere", std::vector{gpu(2)}).counters().empty());
  EXPECT_EQ(EnergyMeter("/nowhere", std::vector{gpu(0)}).counters(), std::vector<std::string>{"first"});
}

}  // namespace

}  // namespace brushfire
