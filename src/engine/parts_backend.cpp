// Many devices that search together, CPUs or GPUs: a stepper for each part, every one on a thread of its own. Trees
// stay where they were found; whoever wants them in one array gets a copy after the clock has stopped.
#include "base/error.hpp"
#include "engine/backend.hpp"
#include "engine/gpu.hpp"
#include "engine/parted_graph.hpp"
#include "engine/preset.hpp"
#include "exchange/bins.hpp"
#include "exchange/job_wire.hpp"
#include "exchange/sum_over_devices.hpp"
#include "input/deal_labels.hpp"
#include "traverse/cpu/cpu_stepper.hpp"
#include "validate/validate_spread.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t rows_per_step = 1 << 16;  // of each device; 1.5 MiB

// Each value becomes the largest that a device has; every device brings as many.
void largest_over_devices(Exchange& exchange, std::span<std::uint64_t> values)
{
  Bins<std::uint64_t> bins(exchange.devices());
  for (int device = 0; device < exchange.devices(); ++device) bins.of(device).assign(values.begin(), values.end());
  send_bins(exchange, bins, [&](int, std::span<const std::uint64_t> others) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], others[i]);
  });
}

std::uint64_t largest_over_devices(Exchange& exchange, std::uint64_t value)
{
  largest_over_devices(exchange, {&value, 1});
  return value;
}

constexpr std::array level_counts{
    &LevelRecord::frontier,       &LevelRecord::edges_checked, &LevelRecord::discovered,
    &LevelRecord::bytes_sent,     &LevelRecord::messages,      &LevelRecord::bytes_masks,
    &LevelRecord::bytes_vertices, &LevelRecord::bytes_parents, &LevelRecord::messages_parents};

// What one device does at most in a level, where all have theirs in `records`.
void set_most(Exchange& exchange, std::span<LevelRecord> records)
{
  std::vector<std::uint64_t> most;
  for (const LevelRecord& record : records)
    most.insert(most.end(), {record.edges_checked, record.bytes_sent, record.messages + record.messages_parents});
  largest_over_devices(exchange, most);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].most_checked = most[3 * i];
    records[i].most_bytes = most[3 * i + 1];
    records[i].most_messages = most[3 * i + 2];
  }
}

// Where devices made their queues in different ways, the one that took the most of them is what a level reports.
constexpr std::array queues_made{FrontierQueue::scan_free, FrontierQueue::single_scan, FrontierQueue::double_scan};

// The levels of all devices summed up; every device has as many. Directions are those of most devices.
std::vector<LevelRecord> levels_of_all(Exchange& exchange, const Trace& trace)
{
  struct Sums {
    std::array<std::uint64_t, level_counts.size()> counted;
    std::array<std::uint64_t, subgraph_count> pulls;
    std::array<std::uint64_t, queues_made.size()> queues;
    std::uint64_t exchange_nanoseconds, waited_nanoseconds;
  };
  auto records = trace.records();
  set_most(exchange, records);
  std::vector<Sums> sums(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t k = 0; k < level_counts.size(); ++k) sums[i].counted[k] = records[i].*level_counts[k];
    sums[i].exchange_nanoseconds = static_cast<std::uint64_t>(records[i].exchange_seconds * 1e9);
    sums[i].waited_nanoseconds = static_cast<std::uint64_t>(records[i].waited_seconds * 1e9);
    for (std::size_t kind = 0; kind < subgraph_count; ++kind)
      sums[i].pulls[kind] = records[i].directions[kind] == Direction::pull ? 1 : 0;
    for (std::size_t k = 0; k < queues_made.size(); ++k) sums[i].queues[k] = records[i].queue == queues_made[k] ? 1 : 0;
  }
  sum_over_devices(exchange, std::span(sums));
  auto const devices = static_cast<std::uint64_t>(exchange.devices());
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t k = 0; k < level_counts.size(); ++k) records[i].*level_counts[k] = sums[i].counted[k];
    records[i].exchange_seconds = static_cast<double>(sums[i].exchange_nanoseconds) / 1e9;
    records[i].waited_seconds = static_cast<double>(sums[i].waited_nanoseconds) / 1e9;
    for (std::size_t kind = 0; kind < subgraph_count; ++kind)
      records[i].directions[kind] = 2 * sums[i].pulls[kind] > devices ? Direction::pull : Direction::push;
    if (!records[i].queue) continue;
    records[i].queue = FrontierQueue::none;
    for (std::size_t k = 0; k < queues_made.size(); ++k)
      if (sums[i].queues[k] > 0) records[i].queue = queues_made[k];
  }
  return records;
}

class PartsBackend final : public Backend {
 public:
  PartsBackend(const GraphData& graph, const SearchOptions& options)
      : graph_(graph),
        parts_(graph.in_parts()),
        options_(options),
        on_gpus_(true_on_all_ranks(choose_device(options.device) == Device::cuda)),
        group_(parts_.devices_here(), {rounds(), options.local_all2all, options.nonblocking_reduce},
               on_gpus_ ? &parts_.on_gpus() : nullptr)
  {
    for (int index = 0; index < parts_.devices_here(); ++index)
      steppers_.push_back(on_gpus_ ? make_stepper_on_gpu(index) : make_stepper_here(index));
    traces_.resize(steppers_.size());
  }

  void search(std::uint64_t root, const Limits& limits, Trace&) override
  {
    auto const search_on = [&](int index, Exchange& exchange) {
      run_levels(stepper(index), exchange, root, limits, traces_[static_cast<std::size_t>(index)]);
    };
    group_->run(std::cref(search_on));  // passed on as it is: a search allocates nothing
  }

  FoundTree take_tree(Trace& trace) override
  {
    FoundTree found;
    found.parent_bits = stepper(0).facts().parent_bits;
    group_->run([&](int index, Exchange& exchange) {
      TreeFacts const own = stepper(index).facts();
      auto const degrees = parts_.place(index).part.layout.input_degrees.span();
      struct Counts {
        std::uint64_t reached, ends;
      };
      Counts const all = sum_over_devices(exchange, Counts{own.reached, stepper(index).sum_over_tree(degrees)});
      std::uint64_t const depth = largest_over_devices(exchange, static_cast<std::uint64_t>(own.depth));
      auto records = levels_of_all(exchange, traces_[static_cast<std::size_t>(index)]);
      if (index != 0) return;
      found.reached = all.reached;
      found.nedge = parts_.directed() ? all.ends : all.ends / 2;
      found.depth = static_cast<std::int64_t>(depth);
      trace = Trace::of(std::move(records));
    });
    reached_ = found.reached;
    if (options_.results_on_host) gather(found);
    return found;
  }

  Verdict validate(Label root, const TreeRules& rules, Progress& progress) override
  {
    // A renumbered graph is judged by its numbers, to which the labels are turned back.
    auto const start = parts_.renumbered() ? parts_.find(root) : std::nullopt;
    Verdict verdict;
    group_->run([&](int index, Exchange& exchange) {
      const PartedGraph::Place& place = parts_.place(index);
      std::vector<Label> numbers;
      if (parts_.renumbered())
        numbers = indices_of(place.names, place.labels, stepper(index).result().parents, exchange);
      Verdict const same = validate_spread_tree(
          parts_.tuples_of(index, *graph_.source), place.labels, start ? static_cast<Label>(*start) : root,
          parts_.renumbered() ? ParentsView(numbers.data(), numbers.size()) : stepper(index).result().parents, rules,
          exchange, parts_.team(), progress);
      if (index == 0) verdict = same;
    });
    return verdict;
  }

  std::vector<Label> path_to(std::uint64_t vertex) override
  {
    std::vector<std::uint64_t> path;
    group_->run([&](int index, Exchange& exchange) {
      const DealtLabels& labels = parts_.place(index).input_labels();
      std::uint64_t at = vertex;
      for (std::uint64_t steps = 0;; ++steps) {
        // All devices count alike, so all fail together.
        if (steps > reached_)
          fail(ErrorKind::failure, "{}: the parents of vertex {} lead in a circle", graph_.facts.name, vertex);
        std::uint64_t parent = 0;  // 1 + its label, said by the device of the child
        if (auto const number = parts_.place(index).own_number(at))
          parent = static_cast<std::uint64_t>(stepper(index).result().parents[*number]) + 1;
        exchange.sum({&parent, 1});
        if (parent == 0) return;
        std::uint64_t above = 0;  // 1 + its index, said by its own device
        auto const label = static_cast<Label>(parent - 1);
        if (labels.device_of(label) == exchange.device()) above = labels.find(label).value() + 1;
        exchange.sum({&above, 1});
        if (index == 0) path.push_back(at);
        if (above - 1 == at) return;
        at = above - 1;
      }
    });
    std::vector<Label> labels;
    std::reverse(path.begin(), path.end());
    labels.reserve(path.size());
    for (std::uint64_t const at : path) labels.push_back(parts_.label_at(at));
    return labels;
  }

 private:
  Preset preset() const { return graph_.facts.preset; }
  // Of a level. Delegates that live elsewhere are asked for in a round of their own.
  int rounds() const
  {
    if (parts_.cut()) return rounds_for(preset(), parts_.devices(), options_.fanout);
    return parts_.delegates() > 0 ? 2 : 1;
  }
  int senders() const { return options_.local_all2all ? graph_.facts.ranks : parts_.devices(); }

  std::unique_ptr<TreeStepper> make_stepper_on_gpu(int index) const
  {
    GpuPartOptions const more{needs_wide_parents(graph_, options_), senders()};
    if (parts_.cut()) return make_gpu_block_stepper(parts_, parts_.on_gpus(), index, options_, more);
    return make_gpu_part_stepper(parts_.on_gpus(), index, options_, more);
  }

  std::unique_ptr<TreeStepper> make_stepper_here(int index) const
  {
    CpuStepperOptions stepper = cpu_stepper_options(graph_, options_);
    stepper.senders = senders();
    const PartedGraph::Place& place = parts_.place(index);
    if (parts_.cut())
      return make_block_stepper(preset(),
                                {place.block, place.labels.dealing(), place.input_labels().view(), place.labels.size()},
                                stepper, parts_.team());
    return make_cpu_stepper(parts_.on_host(index), place.input_labels().view(), stepper, parts_.team());
  }

  TreeStepper& stepper(int index) const { return *steppers_[static_cast<std::size_t>(index)]; }

  // All results in one array each, on the first device; few at a time, for whoever sends has no room for all.
  void gather(FoundTree& found)
  {
    bool const first_rank = job_place().rank == 0 || graph_.facts.ranks == 1;
    Labels const labels = parts_.renumbered() ? labels_in_order(parts_) : Labels();
    if (first_rank) all_parents_.resize(parts_.vertices());
    if (first_rank && options_.levels) all_levels_.resize(parts_.vertices());
    group_->run([&](int index, Exchange& exchange) {
      const DealtLabels& names = parts_.place(index).names;
      ParentsView const parents = stepper(index).result().parents;
      auto const levels = stepper(index).result().levels;
      struct Row {
        std::uint64_t vertex;  // its index, or its label if the graph is renumbered
        Label parent;
        std::int64_t level;
      };
      Bins<Row> rows(exchange.devices());
      std::uint64_t const own = parts_.renumbered() ? names.size() : parents.size();
      std::uint64_t const most = largest_over_devices(exchange, own);  // all make the same calls
      for (std::uint64_t first = 0; first < most; first += rows_per_step) {
        for (std::uint64_t v = first; v < std::min(own, first + rows_per_step); ++v)
          rows.add(0, {parts_.renumbered() ? static_cast<std::uint64_t>(names.label(static_cast<Vertex>(v)))
                                           : parts_.place(index).own_index(static_cast<Vertex>(v)),
                       parents[v], options_.levels ? levels[v] : 0});
        send_bins(exchange, rows, [&](int, std::span<const Row> arrived) {
          for (const Row& row : arrived) {
            auto const at = parts_.renumbered() ? labels.vertex(static_cast<Label>(row.vertex)) : row.vertex;
            all_parents_[at] = row.parent;
            if (options_.levels) all_levels_[at] = static_cast<std::int32_t>(row.level);
          }
        });
      }
    });
    found.parents = ParentsView(all_parents_.data(), all_parents_.size());
    found.levels = all_levels_;
  }

  const GraphData& graph_;
  const PartedGraph& parts_;
  SearchOptions options_;
  bool on_gpus_;
  JobGroup group_;
  std::vector<std::unique_ptr<TreeStepper>> steppers_;
  std::vector<Trace> traces_;
  std::uint64_t reached_ = 0;              // by the last search
  std::vector<std::int64_t> all_parents_;  // results in one array, where they are wanted
  std::vector<std::int32_t> all_levels_;
};

}  // namespace

std::unique_ptr<Backend> make_parts_backend(const GraphData& graph, const SearchOptions& options)
{
  return std::make_unique<PartsBackend>(graph, options);
}

}  // namespace brushfire
