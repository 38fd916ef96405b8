// The memory of a matrix of levels that nobody holds any more serves the next batch: to touch new pages takes about as
// long as to search.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace brushfire::python {

// At most one; with the GIL in hand, like all that touches arrays.
class IdleMatrix {
 public:
  using Array = pybind11::array_t<std::int32_t>;

  // The memory of one with so many levels; any other is let go.
  std::optional<Array> take(pybind11::ssize_t levels)
  {
    std::optional<Array> memory = std::exchange(memory_, std::nullopt);
    if (memory && memory->size() != levels) memory.reset();
    return memory;
  }

  // Whether there was one.
  bool let_go() { return std::exchange(memory_, std::nullopt).has_value(); }

  // A matrix whose memory comes back to `idle`, if that still exists, when the matrix and all views of it are gone.
  static Array lend(const std::shared_ptr<IdleMatrix>& idle, Array memory, pybind11::ssize_t rows,
                    pybind11::ssize_t columns)
  {
    auto lent = std::make_unique<Lent>(Lent{std::move(memory), idle});
    std::int32_t* const first = lent->memory.mutable_data();
    pybind11::capsule const owner(lent.get(), [](void* all) {
      std::unique_ptr<Lent> const returned(static_cast<Lent*>(all));
      if (auto const home = returned->home.lock()) home->memory_ = std::move(returned->memory);
    });
    lent.release();  // the capsule deletes it
    return Array({rows, columns}, first, owner);
  }

 private:
  struct Lent {
    Array memory;
    std::weak_ptr<IdleMatrix> home;
  };

  std::optional<Array> memory_;
};

}  // namespace brushfire::python
