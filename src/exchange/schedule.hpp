// Who sends to whom in which round, for exchanges that take several rounds to reach everybody. Devices are numbered
// 0 ... devices-1; all of them follow the same schedule.
#pragma once

#include <algorithm>

namespace brushfire {

// What every device has reaches every other along a butterfly: in each round a device sends what it has gathered so far
// to a few others, which then have that much more. Any number of devices takes part: device k sends to k + held,
// k + 2 held, ... around the circle, so nobody sends more than fan-out messages in a round, nor receives more. In the
// last round only what is still missing has to be sent.
class ButterflySchedule {
 public:
  ButterflySchedule(int devices, int fanout) : devices_(devices), radix_(std::max(2, fanout)) {}

  int rounds() const
  {
    int rounds = 0;
    while (held(rounds) < devices_) ++rounds;
    return rounds;
  }
  // How many devices' shares a device has when the round begins: its own and those of the devices before it.
  int held(int round) const
  {
    long long held = 1;
    for (int i = 0; i < round && held < devices_; ++i) held *= radix_;
    return static_cast<int>(std::min<long long>(held, devices_));
  }
  // Calls body(device, shares) for every receiver in a round; it lacks the first so many shares of the sender.
  template <typename Body>
  void for_each_receiver(int device, int round, Body&& body) const
  {
    int const shares = held(round);
    for (int ahead = shares, sent = 1; ahead < devices_ && sent < radix_; ahead += shares, ++sent)
      body((device + ahead) % devices_, std::min(shares, devices_ - ahead));
  }
  // Whether some receivers lack only a part of what others are sent: unless a full butterfly has as many devices.
  bool sends_parts() const { return devices_ % held(rounds() - 1) != 0; }

 private:
  int devices_, radix_;
};

// Circular left-right (Mitsuishi et al., section 5.3): a device sends what it has to its right neighbour, then to its
// left one, then to those two steps away, and so on. In every round each device sends one message and receives one.
class LeftRightSchedule {
 public:
  explicit LeftRightSchedule(int devices) : devices_(devices) {}

  int rounds() const { return devices_ - 1; }
  int receiver(int device, int round) const { return (device + step(round) + devices_) % devices_; }

 private:
  // With an even number of devices the one opposite is right and left at once: the last round has no second half.
  static int step(int round) { return round % 2 == 0 ? round / 2 + 1 : -(round / 2 + 1); }

  int devices_;
};

}  // namespace brushfire
