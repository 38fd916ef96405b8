// Between ranks of one machine, also such that share a GPU: a parcel is copied to an outbox in device memory that its
// receivers have mapped (CUDA IPC), and read there. Only a note goes over the plain wire. What is for ranks of other
// machines, or does not fit, goes by the host.
//
// There are two outboxes, which rounds that move such parcels use in turn. Before one is used again everybody has sent
// in the round between, and whoever sends has read what came before: nobody has to say so.
#pragma once

#include "exchange/cuda/staged_wire.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace brushfire::cuda {

// Which ranks can map each other's memory. All ranks ask together, and hear the same problem.
struct IpcNeighbours {
  std::vector<bool> reached;  // by rank; not the rank itself
  std::string problem;        // why nobody can
};
IpcNeighbours find_ipc_neighbours(Wire& plain, int gpu);

class IpcWire final : public StagedWire {
 public:
  IpcWire(std::unique_ptr<Wire> plain, int gpu, std::vector<bool> reached);
  ~IpcWire() override;

  void send(std::span<const Parcel> outgoing) override;
  std::span<const Parcel> deliver() override;

 private:
  // What another rank has lent, mapped into this process.
  class Mapping {
   public:
    Mapping() = default;
    explicit Mapping(const std::array<std::byte, 64>& handle);
    Mapping(Mapping&& other) noexcept : start_(std::exchange(other.start_, nullptr)) {}
    Mapping& operator=(Mapping&& other) noexcept
    {
      std::swap(start_, other.start_);
      return *this;
    }
    ~Mapping();
    const std::byte* start() const { return static_cast<const std::byte*>(start_); }

   private:
    void* start_ = nullptr;
  };

  struct Outbox {
    device::Buffer<std::byte> room;
    device::Buffer<std::byte> replaced;  // others may still have it mapped
    std::array<std::byte, 64> handle{};
    std::uint64_t number = 0;  // among all that this rank ever had
  };
  struct Note {
    std::array<std::byte, 64> handle;
    std::uint64_t box, number;  // which of the two outboxes, and its number
    std::uint64_t first, bytes;
  };
  struct Mapped {
    std::uint64_t number = 0;
    Mapping mapping;
  };

  void pack(std::span<const Parcel> on_gpus) override;
  bool is_neighbour(int device) const { return reached_[static_cast<std::size_t>(device % ranks())]; }
  bool make_room(Outbox& outbox, std::size_t bytes);
  void add_note(int from, int to, std::size_t first, std::size_t bytes);
  const std::byte* place_of(const Note& note, int rank);

  std::vector<bool> reached_;
  std::array<Outbox, 2> outboxes_;
  std::size_t turn_ = 0;
  std::uint64_t outboxes_made_ = 0;
  std::vector<Note> notes_;
  std::vector<std::array<Mapped, 2>> mapped_;  // by rank
  std::vector<Parcel> arrived_;
  bool moving_ = false;  // sent, and not delivered
};

}  // namespace brushfire::cuda
