// Levels of a whole graph without hubs that are pushed. All lists are short, one kind of vertices is all there is, and
// a device alone needs nobody's consent: so one level follows the other here, without rounds. Grids, paths and roads
// have thousands or millions of them, and what a level costs by itself is what counts: small ones are the work of one
// thread, long searches are shared out by stripes, and other levels are one parallel loop.
#pragma once

#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/entry_account.hpp"
#include "traverse/cpu/level_log.hpp"
#include "traverse/cpu/push.hpp"
#include "traverse/cpu/short_lists.hpp"
#include "traverse/cpu/side.hpp"
#include "traverse/cpu/striped_levels.hpp"
#include "traverse/cpu/subgraph_work.hpp"
#include "traverse/policy.hpp"

#include <brushfire/trace.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace brushfire::cpu {

template <typename Parent>
class LevelsAhead {
 public:
  // What is given by reference is the search that it belongs to.
  LevelsAhead(const Layout& layout, LabelsView labels, const DirectionPolicy& policy, Team team, PushRoom& push_room,
              Side& normals, EntryAccount& entries, LevelLog& log)
      : graph_(layout.pushed(Subgraph::nn)),
        labels_(labels),
        policy_(policy),
        team_(team),
        push_room_(push_room),
        vertices_(layout.vertices),
        normals_(normals),
        entries_(entries),
        log_(log)
  {
  }

  // Goes on after a level that left `counters`, until something else than a push is to be done.
  LevelCounters run(LevelCounters counters, Targets<Parent> targets, std::span<Tally> tallies, Trace& trace)
  {
    while (counters.frontier > 0 && counters.stop == 0 && is_pushed()) {
      if (team_.threads > 1 && log_.next_level >= long_search && entries_.in_frontier(Subgraph::nn) >= worth_meeting)
        run_in_stripes(targets, trace);
      else
        run_level(targets, tallies, trace);
      counters = log_.counters(log_.limits.target && normals_.reached(*log_.limits.target));
    }
    return counters;
  }

 private:
  static constexpr std::int64_t long_search = 16;       // levels; most graphs have fewer
  static constexpr std::uint64_t worth_meeting = 1024;  // entries: some microseconds, ten times what meeting takes

  bool is_pushed() const
  {
    // The direction before counts only for rules that never come back from pulling.
    SubgraphWork const work = work_of(Subgraph::nn, normals_, normals_, entries_);
    return policy_.choose(Subgraph::nn, work, log_.record.directions[index_of(Subgraph::nn)]) == Direction::push;
  }

  void run_level(Targets<Parent>& targets, std::span<Tally> tallies, Trace& trace)
  {
    log_.begin({});
    targets.level = static_cast<std::int32_t>(log_.next_level);
    auto const queue = normals_.current().queue();
    std::uint64_t const entries = entries_.in_frontier(Subgraph::nn);
    if (entries < worth_sharing || team_.threads == 1) {
      normals_.next().add_found(push_alone(graph_, queue, labels_, targets, normals_.next().empty_queue(),
                                           log_.record.edges_checked, [](Vertex, Vertex) { return false; }));
    } else {
      Push<Parent>{graph_, labels_, targets, push_room_, normals_.next(), tallies, team_}.run(queue, entries,
                                                                                              ListOrder::sorted);
      for (Tally& tally : tallies) log_.record.edges_checked += std::exchange(tally, Tally{}).checked;
    }
    log_.frontier = normals_.next().size();
    entries_.add_found(Subgraph::nn, 0, log_.frontier, normals_.waiting);
    normals_.waiting -= log_.frontier;
    log_.record.seconds = log_.watch.lap();
    log_.end(trace);
    entries_.next_level();
    normals_.take_turns();
  }

  // What a level found is known, and its record complete, when the level after it has begun with all of it.
  void run_in_stripes(Targets<Parent>& targets, Trace& trace)
  {
    if (!stripes_) stripes_.emplace(vertices_, team_);
    log_.begin({});
    targets.level = static_cast<std::int32_t>(log_.next_level);
    auto const frontier = normals_.current().queue();
    normals_.current().clear();  // its room is needed
    auto const end_level = [&](std::uint64_t found) {
      log_.frontier = found;
      normals_.waiting -= found;
      log_.end(trace);
    };
    bool first = true;
    auto const after_level = [&](const StripedLevel& level) {
      double const seconds = log_.watch.lap();
      if (level.frontier == 0) return NextLevel::none;
      if (!std::exchange(first, false)) {
        end_level(level.frontier);
        log_.begin({});
      }
      log_.record.edges_checked = level.checked;
      log_.record.seconds = seconds;
      entries_.add_found(Subgraph::nn, 0, std::min(level.found + level.told, normals_.waiting), normals_.waiting);
      entries_.next_level();
      bool const target_reached = log_.limits.target && stripes_->reached(static_cast<Vertex>(*log_.limits.target));
      if (target_reached || log_.at_last_level() || !is_pushed()) return NextLevel::none;
      return entries_.in_frontier(Subgraph::nn) < worth_meeting ? NextLevel::alone : NextLevel::together;
    };
    stripes_->run(graph_, labels_, targets, frontier, {normals_.current().empty_queue(), normals_.next().empty_queue()},
                  after_level);
    std::uint64_t const found = stripes_->finish(normals_.next().empty_queue());
    normals_.next().add_found(found);
    end_level(found);
    normals_.take_turns();
  }

  SubgraphView graph_;
  LabelsView labels_;
  const DirectionPolicy& policy_;
  Team team_;
  PushRoom& push_room_;
  Vertex vertices_;
  Side& normals_;
  EntryAccount& entries_;
  LevelLog& log_;
  std::optional<StripedLevels<Parent>> stripes_;  // once a search is long
};

}  // namespace brushfire::cpu
