// Arrays of the caller's, from which a Graph can be made: integers of 32 or 64 bits at equal distances. They are read
// where they are, when the graph is built and again whenever a result of it is validated; nothing of them is kept.
//
// They may lie in the memory of a GPU (IntegersView::on_gpu): a graph that is built on that GPU is built from them
// where they are; for any other they are copied to the host first.
//
// They must therefore stay, unchanged, until the last Graph (or Search) that was made of them is gone. `owner` does
// that where it is set: it is held as long, and let go then.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace brushfire {

// What an array of the caller's may hold. Of unsigned 64-bit integers too, the largest label is 2^63-1.
template <typename Integer>
concept ArrayInteger =
    std::integral<Integer> && !std::same_as<Integer, bool> && (sizeof(Integer) == 4 || sizeof(Integer) == 8);

class IntegersView {
 public:
  IntegersView() = default;
  // `stride` is the distance from one integer to the next, in bytes: a column of a matrix is an array too.
  template <ArrayInteger Integer>
  IntegersView(const Integer* first, std::uint64_t size, std::ptrdiff_t stride = sizeof(Integer))
      : first_(first), size_(size), stride_(stride), bytes_(sizeof(Integer)), is_signed_(std::is_signed_v<Integer>)
  {
  }
  // Whatever is contiguous: std::vector, std::array, std::span.
  template <typename Range>
  requires requires(const Range& range)
  {
    std::span(std::as_const(range));
  } && ArrayInteger<std::remove_cv_t<typename decltype(std::span(std::declval<const Range&>()))::element_type>>
  IntegersView(const Range& range)  // NOLINT(google-explicit-constructor): an array is a view of itself
      : IntegersView(std::span(range).data(), std::span(range).size())
  {
  }

  // The same of an array in the memory of a GPU, all of which is aligned as its integers are.
  IntegersView on_gpu() const
  {
    IntegersView there = *this;
    there.is_on_gpu_ = true;
    return there;
  }

  std::uint64_t size() const { return size_; }
  bool is_on_gpu() const { return is_on_gpu_; }
  const void* first() const { return first_; }
  std::ptrdiff_t stride() const { return stride_; }
  int bytes() const { return bytes_; }  // of an integer
  bool is_signed() const { return is_signed_; }

 private:
  const void* first_ = nullptr;
  std::uint64_t size_ = 0;
  std::ptrdiff_t stride_ = 0;
  int bytes_ = 8;
  bool is_signed_ = true;
  bool is_on_gpu_ = false;
};

// Edge i leads from sources[i] to targets[i]. Self-loops and duplicates may be among them.
struct EdgeArrays {
  IntegersView sources, targets;
  std::optional<std::uint64_t> vertices{};  // they are 0 ... vertices-1; nothing: the labels that occur
  std::shared_ptr<const void> owner{};
  std::string name = "edges";  // what messages call the graph
};

// Compressed sparse rows: the neighbours of u are targets[offsets[u]] ... targets[offsets[u+1]-1], and the vertices
// 0 ... offsets.size()-2. In an undirected graph an edge may stand in the lists of both its ends, as in a symmetric
// matrix, or in one of them only; where all stand in both, each counts once.
struct CsrArrays {
  IntegersView offsets, targets;
  std::shared_ptr<const void> owner{};
  std::string name = "csr";
};

}  // namespace brushfire
#pragma GCC visibility pop
