#include "traverse/cpu/first_neighbours.hpp"

#if defined(__x86_64__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 means its own headers
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <bit>

namespace brushfire::cpu {

namespace {

template <typename Parent>
Answers ask_one_by_one(const FirstNeighbours& sources, std::uint64_t first, Word waiting, Parent* parents)
{
  Answers answers;
  for_each_bit(waiting, first, [&](std::uint64_t v) {
    Vertex const u = sources.firsts[v];
    if (u == no_vertex) return;
    answers.asked |= bit_of(v);
    if (!test_bit(sources.frontier, u)) return;
    answers.found |= bit_of(v);
    parents[v] = static_cast<Parent>(sources.labels != nullptr ? sources.labels[u] : Label{u});
  });
  return answers;
}

template <typename Parent>
void clear_one_by_one(std::uint64_t first, Word targets, Parent* parents)
{
  if (targets == ~Word{0})
    std::fill_n(parents + first, word_bits, static_cast<Parent>(no_label));
  else
    for_each_bit(targets, first, [&](std::uint64_t v) { parents[v] = static_cast<Parent>(no_label); });
}

std::uint64_t find_one_by_one(const Vertex* list, std::uint64_t count, Vertex mask, const Word* frontier)
{
  std::uint64_t i = 0;
  while (i < count && !test_bit(frontier, list[i] & mask)) ++i;
  return i;
}

#if defined(__x86_64__)

__attribute__((target("avx512f,avx512vl"))) std::uint64_t find_eight_at_once(const Vertex* list, std::uint64_t count,
                                                                             Vertex mask, const Word* frontier)
{
  __m256i const masks = _mm256_set1_epi32(static_cast<int>(mask));
  for (std::uint64_t i = 0; i < count; i += 8) {
    auto const asked = static_cast<__mmask8>(count - i >= 8 ? 0xff : (1u << (count - i)) - 1);
    __m256i const u = _mm256_and_si256(_mm256_maskz_loadu_epi32(asked, list + i), masks);
    __m256i const words =
        _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), asked, _mm256_srli_epi32(u, 5), frontier, 4);
    __m256i const bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(u, _mm256_set1_epi32(31)));
    if (unsigned const found = _mm256_mask_test_epi32_mask(asked, words, bits); found != 0)
      return i + static_cast<std::uint64_t>(std::countr_zero(found));
  }
  return count;
}

template <typename Parent>
__attribute__((target("avx512f"))) void clear_sixteen(std::uint64_t first, Word targets, Parent* parents)
{
  constexpr unsigned lanes = 64 / sizeof(Parent);
  for (unsigned group = 0; group < word_bits; group += lanes) {
    if constexpr (sizeof(Parent) == sizeof(std::uint32_t))
      _mm512_mask_storeu_epi32(parents + first + group, static_cast<__mmask16>(targets >> group),
                               _mm512_set1_epi32(-1));
    else
      _mm512_mask_storeu_epi64(parents + first + group, static_cast<__mmask8>(targets >> group), _mm512_set1_epi64(-1));
  }
}

// Bits are looked up in 32-bit words, as gathers have them.
template <typename Parent>
__attribute__((target("avx512f,avx512dq,avx512vl"))) Answers ask_sixteen(const FirstNeighbours& sources,
                                                                         std::uint64_t first, Word waiting,
                                                                         Parent* parents)
{
  Answers answers;
  for (unsigned group = 0; group < word_bits; group += 16) {
    auto const asking = static_cast<__mmask16>(waiting >> group);
    if (asking == 0) continue;
    std::uint64_t const v = first + group;
    __m512i const u = _mm512_maskz_loadu_epi32(asking, sources.firsts + v);
    __mmask16 const asked = _mm512_mask_cmpneq_epi32_mask(asking, u, _mm512_set1_epi32(-1));
    __m512i const words =
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), asked, _mm512_srli_epi32(u, 5), sources.frontier, 4);
    __m512i const bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(u, _mm512_set1_epi32(31)));
    __mmask16 const found = _mm512_mask_test_epi32_mask(asked, words, bits);
    __m512i const labels = sources.narrow_labels == nullptr ? u
                                                            : _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), found,
                                                                                          u, sources.narrow_labels, 4);
    if constexpr (sizeof(Parent) == sizeof(std::uint32_t)) {
      _mm512_mask_storeu_epi32(parents + v, found, labels);
    } else {
      _mm512_mask_storeu_epi64(parents + v, static_cast<__mmask8>(found),
                               _mm512_cvtepu32_epi64(_mm512_castsi512_si256(labels)));
      _mm512_mask_storeu_epi64(parents + v + 8, static_cast<__mmask8>(found >> 8),
                               _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(labels, 1)));
    }
    answers.asked |= Word{asked} << group;
    answers.found |= Word{found} << group;
  }
  return answers;
}

template <typename Parent>
__attribute__((target("avx2"))) Answers ask_eight(const FirstNeighbours& sources, std::uint64_t first, Word waiting,
                                                  Parent* parents)
{
  Answers answers;
  __m256i const lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (unsigned group = 0; group < word_bits; group += 8) {
    auto const bits_of_group = static_cast<int>(waiting >> group & 0xff);
    if (bits_of_group == 0) continue;
    std::uint64_t const v = first + group;
    __m256i const asking = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits_of_group), lanes), lanes);
    __m256i const u = _mm256_maskload_epi32(reinterpret_cast<const int*>(sources.firsts + v), asking);
    __m256i const asked = _mm256_andnot_si256(_mm256_cmpeq_epi32(u, _mm256_set1_epi32(-1)), asking);
    __m256i const words = _mm256_mask_i32gather_epi32(
        _mm256_setzero_si256(), reinterpret_cast<const int*>(sources.frontier), _mm256_srli_epi32(u, 5), asked, 4);
    // The bit asked for comes to the top, where a mask of floats is made of it.
    __m256i const shifted = _mm256_sllv_epi32(words, _mm256_andnot_si256(u, _mm256_set1_epi32(31)));
    auto const asked_bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(asked)));
    unsigned const found = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(shifted))) & asked_bits;
    alignas(32) std::uint32_t ranks[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(ranks), u);
    for_each_bit(found, 0, [&](std::uint64_t k) {
      parents[v + k] = static_cast<Parent>(sources.labels != nullptr ? sources.labels[ranks[k]] : Label{ranks[k]});
    });
    answers.asked |= Word{asked_bits} << group;
    answers.found |= Word{found} << group;
  }
  return answers;
}

#endif

}  // namespace

Vectors vectors_of_processor()
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Vectors::avx512;
  if (__builtin_cpu_supports("avx2")) return Vectors::avx2;
#endif
  return Vectors::none;
}

FindInList find_in_list(Vectors vectors)
{
#if defined(__x86_64__)
  if (vectors == Vectors::avx512) return find_eight_at_once;
#endif
  static_cast<void>(vectors);
  return find_one_by_one;
}

template <typename Parent>
VectorKernels<Parent> VectorKernels<Parent>::of(Vectors vectors)
{
#if defined(__x86_64__)
  if (vectors == Vectors::avx512) return {ask_sixteen<Parent>, clear_sixteen<Parent>};
  if (vectors == Vectors::avx2) return {ask_eight<Parent>, clear_one_by_one<Parent>};
#endif
  static_cast<void>(vectors);
  return {ask_one_by_one<Parent>, clear_one_by_one<Parent>};
}

template struct VectorKernels<std::int64_t>;
template struct VectorKernels<std::int32_t>;
template struct VectorKernels<std::uint32_t>;

}  // namespace brushfire::cpu
