// The wire over MPI. A round has two parts: a table of sizes for every pair of ranks, always the same few bytes, and
// the parcels that are not empty, cut into messages. Messages of one parcel have the tag of its pair of devices and
// arrive in order, also from round to round, so nothing has to say which is which.
#pragma once

#include "base/buffer.hpp"
#include "exchange/job_wire.hpp"

#include <mpi.h>

#include <vector>

namespace brushfire {

class MpiWire final : public Wire {
 public:
  // All ranks of the communicator make it together, with the same arguments.
  MpiWire(MPI_Comm communicator, int devices_per_rank, const WireOptions& options);
  MpiWire(const MpiWire&) = delete;
  MpiWire& operator=(const MpiWire&) = delete;
  ~MpiWire() override;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void send(std::span<const Parcel> outgoing) override;
  std::span<const Parcel> deliver() override;
  void start_or(std::span<std::uint64_t> words) override;
  void finish_or() override;
  void sum(std::span<std::uint64_t> values) override;
  std::uint64_t messages_for(std::uint64_t bytes) const override;

  // Whether a wire of this process was dropped between send() and deliver() or in an OR. Its messages are on their way
  // for ever, and MPI cannot be shut down in peace.
  static bool any_torn();

 private:
  struct Pair {
    std::size_t index;  // in a table of sizes
    int peer;           // the other rank
    int tag;
  };
  Pair pair(int from, int to) const;
  void lay_out_arrivals();
  template <typename Start>
  void each_message(std::span<const std::byte> bytes, Start&& start);
  template <typename Start>
  void each_reduction(std::span<std::uint64_t> words, Start&& start);

  MPI_Comm communicator_;
  int rank_ = 0, ranks_ = 1;
  int devices_;  // per rank
  WireOptions options_;
  std::vector<std::uint64_t> sizes_out_, sizes_in_;  // of each rank in turn, by sender and then receiver
  MPI_Request sizes_arrive_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> moving_, reducing_;
  Buffer<std::byte> inbox_;
  std::vector<Parcel> arrived_;
};

}  // namespace brushfire
