// Searches are kept when they are done: the buffers of one serve the next that is asked for in the same way.
#pragma once

#include <brushfire/graph.hpp>

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace brushfire::python {

// At most `most_idle` that nobody is using. same(options, options) tells which are alike.
template <typename Searching, typename Options, auto same, std::size_t most_idle>
class IdleSearches {
 public:
  Searching take(const Graph& graph, const Options& options)
  {
    {
      std::lock_guard const alone(mutex_);
      for (auto at = idle_.begin(); at != idle_.end(); ++at)
        if (same(at->options, options)) {
          Searching search = std::move(at->search);
          idle_.erase(at);
          return search;
        }
    }
    return Searching(graph, options);
  }

  void give_back(const Options& options, Searching search)
  {
    std::lock_guard const alone(mutex_);
    if (idle_.size() == most_idle) idle_.erase(idle_.begin());
    idle_.push_back({options, std::move(search)});
  }

  // Whether there was one whose memory is free now.
  bool let_go()
  {
    std::lock_guard const alone(mutex_);
    bool const any = !idle_.empty();
    idle_.clear();
    return any;
  }

 private:
  struct Idle {
    Options options;
    Searching search;
  };

  std::mutex mutex_;
  std::vector<Idle> idle_;
};

}  // namespace brushfire::python
