// A 64-bit checksum against accidents (a flipped bit, a truncated copy), not against attackers. Four independent
// lanes of multiply and rotate keep it near memory speed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace brushfire {

inline std::uint64_t checksum(std::span<const std::byte> bytes)
{
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  auto const mix = [](std::uint64_t lane, std::uint64_t word) { return std::rotl((lane ^ word) * factor, 29); };
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + i, 32);
    for (int lane = 0; lane < 4; ++lane) lanes[lane] = mix(lanes[lane], words[lane]);
  }
  std::uint64_t sum = bytes.size();
  for (std::uint64_t const lane : lanes) sum = mix(sum, lane);
  for (; i < bytes.size(); ++i) sum = mix(sum, std::to_integer<std::uint64_t>(bytes[i]));
  return sum ^ (sum >> 32);
}

}  // namespace brushfire
