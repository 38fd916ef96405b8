// Counters of energy, in a folder that looks like the system's.
#include "engine/energy_meter.hpp"

#include <brushfire/energy.hpp>

#include <gtest/gtest.h>

#include <fstream>

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
  EnergyMeter meter(folder_, false);
  EXPECT_EQ(meter.counters(), (std::vector<std::string>{"package-0", "dram"}));
  EXPECT_EQ(meter.joules(), 0);
  set("intel-rapl:0", 1500000);
  set("intel-rapl:0:1", 2250000);
  EXPECT_DOUBLE_EQ(meter.joules(), 0.75);
  EXPECT_EQ(meter.joules(), 0);
}

TEST_F(EnergyTest, ACounterThatStartsAgainGoesOn)
{
  EnergyMeter meter(folder_, false);
  set("intel-rapl:0", 4900000);
  EXPECT_DOUBLE_EQ(meter.joules(), 3.9);
  set("intel-rapl:0", 200000);
  EXPECT_DOUBLE_EQ(meter.joules(), 0.3);
}

TEST_F(EnergyTest, WhatCannotBeReadIsNotCounted)
{
  std::filesystem::remove(folder_ / "intel-rapl:0" / "energy_uj");
  EXPECT_EQ(EnergyMeter(folder_, false).counters(), std::vector<std::string>{"dram"});
  EXPECT_TRUE(EnergyMeter(folder_ / "none", false).counters().empty());
}

TEST_F(EnergyTest, SearchesAreRepeatedForAWhile)
{
  Graph const graph = Graph::open("kron:10");
  Search search(graph);
  std::vector<Label> const roots = random_sources(graph, 4, 1);
  auto const energy = measure_energy(search, roots, Device::cpu, {}, folder_);
  ASSERT_TRUE(energy);
  EXPECT_GE(energy->seconds, 0.3);
  EXPECT_GT(energy->searches, 4u);
  EXPECT_GT(energy->edges, energy->searches);
  EXPECT_EQ(energy->joules, 0);  // these counters stand still
  EXPECT_EQ(energy->teps_per_watt(), 0);
  EXPECT_FALSE(measure_energy(search, roots, Device::cpu, {}, folder_ / "none"));
}

}  // namespace

}  // namespace brushfire
