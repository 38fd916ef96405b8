// From what was built and searched to what is reported.
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "engine/preset.hpp"
#include "exchange/gather.hpp"

#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

namespace {

// What auto came to and why, in a line.
std::string choice_of(const GraphData& data)
{
  const GraphFacts& facts = data.facts;
  auto const& threshold = data.options.threshold;
  if (threshold == plain_threshold) return "1d: as asked for";
  auto const entries_nn = static_cast<double>(facts.entries[index_of(Subgraph::nn)]);
  auto const mean = entries_nn / static_cast<double>(std::max<std::uint64_t>(1, facts.vertices));
  if (cuts_into_blocks(facts.preset))
    return fmt::format("{}: {:.1f} entries of a vertex lead to others that are no hubs, too many to send one by one",
                       name_of(facts.preset), mean);
  if (facts.delegates == 0)
    return threshold ? fmt::format("1d: no vertex of degree above {}, as asked for", *threshold)
                     : "1d: no hubs that would be worth separating";
  return fmt::format("delegates{}: {} {} of degree above {}{}; {:.1f} entries of a vertex lead to others",
                     data.options.keep_delegates ? ", as asked for" : "", facts.delegates,
                     facts.delegates == 1 ? "vertex" : "vertices", facts.threshold, threshold ? ", as asked for" : "",
                     mean);
}

}  // namespace

ConfigReport describe_config(const Graph& graph, const SearchOptions& options)
{
  GraphFacts const& facts = graph.facts();
  ConfigReport config;
  Device const device = choose_device(options.device);
  config.device = name_of(device);
  config.preset = name_of(options.preset);
  config.threads = Team::of(options.threads).threads;
  config.exchange = exchange_name(facts.preset);
  if (facts.preset == Preset::butterfly) config.fanout = options.fanout;
  if (facts.preset == Preset::grid) config.grid = graph.data().in_parts().cut()->push;
  if (cuts_into_blocks(facts.preset)) {
    config.partition = partition_name(facts.preset);
  } else if (facts.delegates == 0) {
    config.partition = "1d";
  } else {
    config.threshold = facts.threshold;
    config.delegates = facts.delegates;
  }
  if (options.preset == Preset::automatic) config.choice = choice_of(graph.data());
  if (options.direction) config.direction = name_of(*options.direction);
  config.deterministic = options.deterministic;
  if (options.queue) config.queue = name_of(*options.queue);
  if (options.balance) config.balance = name_of(*options.balance);
  if (cuts_into_blocks(facts.preset) && device == Device::cuda) config.balance = "lrb";
  config.async_pull = options.async_pull;
  config.ranks = facts.ranks;
  config.devices = facts.devices;
  config.entries_nn = facts.entries[index_of(Subgraph::nn)];
  config.subgraph_bytes = facts.subgraph_bytes;
  config.subgraph_bytes_model =
      subgraph_bytes_by_paper(facts, facts.delegates, config.all_devices(), config.entries_nn);
  config.uniquify = options.uniquify;
  config.local_all2all = options.local_all2all;
  config.reduce = options.nonblocking_reduce ? "nonblocking" : "blocking";
  if (device == Device::cuda) config.transport = transport_of_gpus();
  return config;
}

MemoryReport describe_memory(const Graph& graph)
{
  MemoryReport memory = describe_memory();
  if (graph.facts().ranks > 1) {
    JobGroup ranks(1);
    ranks->run([&](int, Exchange& exchange) {
      for (const MemoryReport& other : gather(exchange, memory)) {
        memory.host_peak_bytes = std::max(memory.host_peak_bytes, other.host_peak_bytes);
        memory.device_bytes = std::max(memory.device_bytes, other.device_bytes);
      }
    });
  }
  return memory;
}

SearchReport describe_search(const SearchResult& result)
{
  if (result.trace == nullptr) fail(ErrorKind::usage, "nothing has been searched yet; call run() first");
  SearchReport report;
  report.root = result.root;
  report.seconds = result.seconds;
  report.nedge = result.nedge;
  report.teps = result.teps();
  report.reached = result.reached;
  report.depth = result.depth;
  report.seconds_to_host = result.seconds_to_host;
  report.trace = result.trace->records();
  report.started = result.started;
  return report;
}

}  // namespace brushfire
