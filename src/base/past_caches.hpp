// Stores of what nobody reads soon: they go to memory without fetching its lines into the caches first, which is half
// of what writing costs otherwise. Where the processor cannot, they are plain stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace brushfire {

// What one thread has written so, all others see after let_others_see().
inline void store_past_caches(std::int32_t* to, const std::int32_t* from, std::size_t count)
{
#if defined(__SSE2__)
  constexpr std::size_t at_a_time = sizeof(__m128i) / sizeof(std::int32_t);
  for (; count != 0 && reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) != 0; --count) *to++ = *from++;
  for (; count >= at_a_time; count -= at_a_time, to += at_a_time, from += at_a_time)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#endif
  std::memcpy(to, from, count * sizeof(std::int32_t));
}

inline void let_others_see()
{
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace brushfire
