// Everything that docs/library.md shows in C++, as a program that runs: cmake -B build && build/example_cpp
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace brushfire;

void search_a_generated_graph()
{
  Graph const graph = Graph::open("kron:12");  // or a file: "roads.mtx.gz"

  SearchOptions options;
  options.levels = true;  // keep levels too, not parents only
  Search search(graph, options);
  for (Label const root : random_sources(graph, 3, /*seed=*/1)) {
    SearchResult const result = search.run(root);
    std::printf("from %lld: %llu vertices, %lld levels, %.0f MTEPS\n", static_cast<long long>(root),
                static_cast<unsigned long long>(result.reached), static_cast<long long>(result.depth),
                result.teps() / 1e6);
  }
}

void search_edges_of_mine()
{
  std::vector<std::int32_t> const from{10, 10, 20, 40};
  std::vector<std::int32_t> const to{20, 30, 40, 50};
  Graph const graph = Graph::from_edges({from, to});  // reads the vectors where they are

  Search search(graph);
  SearchResult const result = search.run(10);
  for (Vertex v = 0; v < graph.facts().vertices; ++v)
    std::printf("parent of %lld: %lld\n", static_cast<long long>(graph.label(v)),
                static_cast<long long>(result.parents[v]));
  for (Label const label : search.path_to(50)) std::printf("%lld ", static_cast<long long>(label));
  std::printf("\n");
}

Graph graph_that_owns_its_rows()
{
  struct Rows {
    std::vector<std::uint64_t> offsets{0, 2, 3, 4};
    std::vector<std::uint32_t> targets{1, 2, 0, 0};
  };
  auto const rows = std::make_shared<Rows>();
  CsrArrays arrays{rows->offsets, rows->targets};
  arrays.owner = rows;  // is held as long as the graph
  return Graph::from_csr(arrays);
}

void look_at_the_levels()
{
  Graph const graph = graph_that_owns_its_rows();
  Search search(graph);
  SearchResult const result = search.run(1);
  for (LevelRecord const& level : result.trace->records())
    std::printf("level %lld: %llu expanded, %llu found\n", static_cast<long long>(level.level),
                static_cast<unsigned long long>(level.frontier), static_cast<unsigned long long>(level.discovered));

  Verdict const verdict = search.validate();
  if (!verdict.valid()) std::printf("%s\n", verdict.witness.c_str());
}

void search_from_many_threads()
{
  Graph const graph = Graph::open("kron:12");
  std::vector<std::thread> threads;
  for (Label root = 0; root < 4; ++root)
    threads.emplace_back([graph, root] {  // a copy shares the graph
      SearchOptions options;
      options.threads = 1;
      Search search(graph, options);  // each thread has its own
      search.run(root);
    });
  for (auto& thread : threads) thread.join();
}

void be_told_what_is_wrong()
{
  try {
    Search(Graph::open("path:10")).run(10);
  } catch (const Error& error) {
    std::printf("%d: %s\n", static_cast<int>(error.kind()), error.what());  // 2: source 10 is not in path:10
  }
}

}  // namespace

int main()
{
  search_a_generated_graph();
  search_edges_of_mine();
  look_at_the_levels();
  search_from_many_threads();
  be_told_what_is_wrong();
}
