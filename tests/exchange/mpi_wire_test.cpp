// Devices of several ranks over MPI: what DeviceGroup promises holds across ranks. A program of its own, which ctest
// starts as 1, 2, 3 and 4 ranks; on one rank there is no wire, and the same must hold without.
#include "exchange/bins.hpp"
#include "exchange/device_group.hpp"
#include "exchange/job_wire.hpp"

#include <brushfire/job.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace brushfire {
namespace {

Job* job = nullptr;

// A group of `devices` on each rank, with a wire where there are several ranks.
struct Devices {
  explicit Devices(int devices, const WireOptions& options = {})
      : wire(make_wire(devices, options)), group(devices, 1, wire.get())
  {
  }
  std::unique_ptr<Wire> wire;
  DeviceGroup group;
};

// How many items `from` has for `to` in a round: none at all in every third round, and otherwise sizes on both sides of
// where messages of 64 bytes are cut.
std::size_t items_between(int from, int to, int round)
{
  constexpr std::size_t counts[] = {0, 1, 15, 16, 17, 0, 64, 100, 2};
  return round % 3 == 2 ? 0 : counts[static_cast<std::size_t>(from * 7 + to * 5 + round) % std::size(counts)];
}

std::uint32_t item_between(int from, int to, int round, std::size_t index)
{
  return static_cast<std::uint32_t>(from * 1000003 + to * 10007 + round * 101) + static_cast<std::uint32_t>(index);
}

TEST(MpiJob, HasAWireWhereThereAreSeveralRanks)
{
  auto const wire = make_wire(2);
  ASSERT_EQ(wire != nullptr, job->ranks() > 1);
  if (!wire) return;
  EXPECT_EQ(wire->ranks(), job->ranks());
  EXPECT_EQ(wire->rank(), job->rank());
  EXPECT_EQ(wire->messages_for(0), 0u);
  EXPECT_EQ(wire->messages_for(4 << 20), 1u);
  EXPECT_EQ(wire->messages_for((4 << 20) + 1), 2u);
  wire->send({});
  EXPECT_TRUE(wire->deliver().empty());
}

TEST(MpiJob, TellsWhatTheFirstRankSays)
{
  std::string const mine = "rank " + std::to_string(job->rank()) + std::string(100000, '.');
  EXPECT_EQ(from_first_rank(mine), "rank 0" + std::string(100000, '.'));
  EXPECT_EQ(from_first_rank(job->rank() == 0 ? "" : "something"), "");
}

// Whether a parcel comes from a GPU travels with it, and those that do are received where the wire is told to.
TEST(MpiJob, KeepsParcelsApartThatComeFromAGpu)
{
  std::vector<std::uint64_t> room;
  auto const make_room = [&](std::size_t bytes) {
    room.resize((bytes + 7) / 8);
    return reinterpret_cast<std::byte*>(room.data());
  };
  for (bool const told : {false, true}) {
    WireOptions options{.message_bytes = 64};
    if (told) options.room_on_device = make_room;
    auto const wire = make_wire(2, options);
    if (!wire) return;
    auto const has_room = [&](std::span<const std::byte> bytes) {
      return bytes.data() >= std::as_bytes(std::span(room)).data() &&
             bytes.data() + bytes.size() <= std::as_bytes(std::span(room)).data() + 8 * room.size();
    };
    std::vector<std::byte> const bytes(1000, std::byte{42});
    for (int round = 0; round < 20; ++round) {
      std::vector<Parcel> outgoing;
      for (int from = wire->rank(); from < 2 * wire->ranks(); from += wire->ranks())
        for (int to = 0; to < 2 * wire->ranks(); ++to)
          if (to % wire->ranks() != wire->rank())
            outgoing.push_back({from, to, std::span(bytes).first(static_cast<std::size_t>(1 + from + to + 37 * round)),
                                (from + to + round) % 3 == 0});
      wire->send(outgoing);
      auto const arrived = wire->deliver();
      EXPECT_EQ(arrived.size(), 4u * static_cast<std::size_t>(wire->ranks() - 1));
      for (const Parcel& parcel : arrived) {
        EXPECT_EQ(parcel.on_device, (parcel.from + parcel.to + round) % 3 == 0);
        EXPECT_EQ(parcel.bytes.size(), static_cast<std::size_t>(1 + parcel.from + parcel.to + 37 * round));
        EXPECT_EQ(has_room(parcel.bytes), told && parcel.on_device);
        for (std::byte const byte : parcel.bytes) EXPECT_EQ(byte, std::byte{42});
      }
    }
  }
}

class MpiDevicesOf : public ::testing::TestWithParam<int> {};

TEST_P(MpiDevicesOf, EveryBinReachesItsDevice)
{
  Devices here(GetParam(), {.message_bytes = 64});
  here.group.run([&](int, Exchange& exchange) {
    int const me = exchange.device(), devices = exchange.devices();
    EXPECT_EQ(devices, GetParam() * job->ranks());
    EXPECT_EQ(me % job->ranks(), job->rank());
    Bins<std::uint32_t> bins(devices);
    for (int round = 0; round < 1000; ++round) {
      for (int to = 0; to < devices; ++to)
        for (std::size_t i = 0; i < items_between(me, to, round); ++i) bins.add(to, item_between(me, to, round, i));
      std::vector<std::size_t> heard(static_cast<std::size_t>(devices));
      send_bins(exchange, bins, [&](int from, std::span<const std::uint32_t> items) {
        heard[static_cast<std::size_t>(from)] = items.size();
        bool const from_afar = from % job->ranks() != job->rank();
        EXPECT_TRUE(!from_afar || reinterpret_cast<std::uintptr_t>(items.data()) % 64 == 0);
        for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items[i], item_between(from, me, round, i));
      });
      for (int from = 0; from < devices; ++from)
        EXPECT_EQ(heard[static_cast<std::size_t>(from)], items_between(from, me, round)) << "round " << round;
    }
  });
}

TEST_P(MpiDevicesOf, MasksAreThoseOfAll)
{
  for (bool const nonblocking : {false, true}) {
    Devices here(GetParam(), {.nonblocking_or = nonblocking, .reduced_words = 3});  // seven words are cut in three
    here.group.run([&](int, Exchange& exchange) {
      for (int round = 0; round < 100; ++round) {
        int const me = exchange.device(), devices = exchange.devices();
        bool const anyone = round % 4 != 3;
        std::vector<std::uint64_t> mask(7), expected(7);
        for (int device = 0; device < devices && anyone; ++device) {
          auto const word = static_cast<std::size_t>(device + round) % mask.size();
          expected[word] |= std::uint64_t{1} << device;
          if (device == me) mask[word] = std::uint64_t{1} << device;
        }
        exchange.post({0, true}, {{}, mask, anyone});
        exchange.collect({0, true}, [](Piece) { ADD_FAILURE(); });
        EXPECT_EQ(mask, expected) << "round " << round;
      }
    });
  }
}

TEST_P(MpiDevicesOf, SumsAreThoseOfAll)
{
  Devices here(GetParam(), {.reduced_words = 2});
  here.group.run([&](int, Exchange& exchange) {
    auto const devices = static_cast<std::uint64_t>(exchange.devices());
    for (std::uint64_t round = 0; round < 300; ++round) {
      std::uint64_t const large = std::uint64_t{1} << 40;
      std::vector<std::uint64_t> values{1, static_cast<std::uint64_t>(exchange.device()) + round, large};
      exchange.sum(values);
      EXPECT_EQ(values, (std::vector{devices, devices * (devices - 1) / 2 + devices * round, devices * large}));
    }
  });
}

TEST_P(MpiDevicesOf, LargeParcelsAreCut)
{
  Devices here(GetParam());
  here.group.run([&](int, Exchange& exchange) {
    int const me = exchange.device(), next = (me + 1) % exchange.devices();
    std::size_t const count = (std::size_t{9} << 20) / sizeof(std::uint32_t) + 5;
    Bins<std::uint32_t> bins(exchange.devices());
    auto& bin = bins.of(next);
    bin.resize(count);
    for (std::size_t i = 0; i < count; ++i) bin[i] = item_between(me, next, 0, i);
    std::size_t heard = 0, wrong = 0;
    send_bins(exchange, bins, [&](int from, std::span<const std::uint32_t> items) {
      heard += items.size();
      for (std::size_t i = 0; i < items.size(); ++i) wrong += items[i] != item_between(from, me, 0, i) ? 1 : 0;
    });
    EXPECT_EQ(heard, count);
    EXPECT_EQ(wrong, 0u);
    std::uint64_t const messages = next == me ? 0 : next % job->ranks() == job->rank() ? 1 : 3;
    EXPECT_EQ(exchange.take_traffic().messages, messages);
  });
}

// Each device hands each other of its rank one message, whatever is in it, and sends one to each other rank: that is
// (devices - 1) + (ranks - 1) where it would be one for every device there is.
TEST_P(MpiDevicesOf, JoinedPiecesCrossInOneMessage)
{
  auto const wire = make_wire(GetParam());
  DeviceGroup group(GetParam(), 1, wire.get(), true);
  group.run([&](int, Exchange& exchange) {
    auto const devices = static_cast<std::uint64_t>(exchange.devices());
    auto const here = static_cast<std::uint64_t>(GetParam()), ranks = devices / here;
    for (int round = 0; round < 3; ++round) {
      Bins<std::uint64_t> bins(exchange.devices());
      for (int to = 0; to < exchange.devices(); ++to) bins.add(to, static_cast<std::uint64_t>(exchange.device()));
      std::uint64_t heard = 0, sum = 0;
      exchange.post({0, true}, {bins.pieces(), {}, false, true});
      exchange.collect({0, true}, [&](Piece piece) {
        for (std::uint64_t const from : items_of<std::uint64_t>(piece)) {
          heard += 1;
          sum += from;
        }
      });
      EXPECT_EQ(heard, devices);
      EXPECT_EQ(sum, devices * (devices - 1) / 2);
      Traffic const traffic = exchange.take_traffic();
      EXPECT_EQ(traffic.messages, (here - 1) + (ranks - 1));
      // To each other here what is for it and its like in every rank; to each other rank what all here have.
      EXPECT_EQ(traffic.piece_bytes, ((here - 1) * ranks + (ranks - 1) * here) * sizeof(std::uint64_t));
    }
  });
}

// Who has nothing of its own for a device elsewhere sends, and counts, what the others have for it.
TEST_P(MpiDevicesOf, ADeviceCountsWhatItSendsForOthers)
{
  if (job->ranks() == 1 || GetParam() == 1) return;  // nothing is joined
  auto const wire = make_wire(GetParam());
  DeviceGroup group(GetParam(), 1, wire.get(), true);
  group.run([&](int index, Exchange& exchange) {
    int const next_rank = (job->rank() + 1) % job->ranks();
    Bins<std::uint64_t> bins(exchange.devices());
    if (index != 0) bins.add(next_rank, 7);  // for the first device there
    exchange.post({0, true}, {bins.pieces(), {}, false, true});
    std::size_t heard = 0;
    exchange.collect({0, true}, [&](Piece piece) { heard += items_of<std::uint64_t>(piece).size(); });
    auto const others = static_cast<std::size_t>(GetParam() - 1);
    EXPECT_EQ(heard, index == 0 ? others : 0u);
    Traffic const traffic = exchange.take_traffic();
    EXPECT_EQ(traffic.messages, 1u);
    EXPECT_EQ(traffic.piece_bytes, (index == 0 ? others : 1) * sizeof(std::uint64_t));
  });
}

INSTANTIATE_TEST_SUITE_P(PerRank, MpiDevicesOf, ::testing::Values(1, 2, 3));

// The first rank reports as usual, the others only what goes wrong.
class FailuresOnly : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override
  {
    if (result.failed()) std::cerr << "rank " << job->rank() << ": " << result.message() << std::endl;
  }
};

}  // namespace
}  // namespace brushfire

int main(int argc, char** argv)
{
  brushfire::Job job;
  brushfire::job = &job;
  ::testing::InitGoogleTest(&argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (job.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new brushfire::FailuresOnly);
  }
  int const code = job.problem().empty() ? RUN_ALL_TESTS() : 1;
  return job.end(code, job.problem());
}
