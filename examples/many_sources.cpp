// What are searches from many sources worth together? Times them one after another and as a batch, alternated, and
// compares every level. The matrix of levels is what both have in the end.
//   many_sources GRAPH SOURCES [ROUNDS [THREADS]]
#include <brushfire/batch_search.hpp>
#include <brushfire/error.hpp>
#include <brushfire/search.hpp>
#include <brushfire/units.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double milliseconds(auto&& body)
{
  auto const start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values)
{
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const brushfire::Graph& graph, std::size_t count, int rounds, int threads)
{
  auto const sources = brushfire::random_sources(graph, count, 1);
  std::size_t const vertices = graph.facts().vertices;
  brushfire::Search search(graph, {.levels = true, .threads = threads});
  brushfire::Search parents_only(graph, {.threads = threads});
  brushfire::BatchSearch batch(graph, {.levels = true, .threads = threads});
  brushfire::BatchSearch counting(graph, {.threads = threads});
  std::vector<std::int32_t> rows(sources.size() * vertices);  // those of the single searches
  std::vector<double> alone, kept, together, counted;
  for (int round = 0; round <= rounds; ++round) {
    kept.push_back(milliseconds([&] {
      for (std::size_t i = 0; i < sources.size(); ++i)
        std::ranges::copy(search.run(sources[i]).levels, rows.begin() + static_cast<std::ptrdiff_t>(i * vertices));
    }));
    brushfire::BatchResult found;
    together.push_back(milliseconds([&] { found = batch.run(sources); }));
    if (!std::ranges::equal(found.levels, rows)) throw brushfire::Error(brushfire::ErrorKind::failure, "levels differ");
    alone.push_back(milliseconds([&] {
      for (brushfire::Label const source : sources) parents_only.run(source);
    }));
    counted.push_back(milliseconds([&] { counting.run(sources); }));
    if (round == 0)  // the first touches fresh memory
      for (auto* times : {&alone, &kept, &together, &counted}) times->clear();
  }
  std::printf("%s, medians of %s, milliseconds\n", brushfire::counted(sources.size(), "sources").c_str(),
              brushfire::counted(static_cast<std::uint64_t>(rounds), "rounds").c_str());
  std::printf("one after another   %8.2f   levels kept %8.2f\n", median(alone), median(kept));
  std::printf("as a batch          %8.2f   levels kept %8.2f\n", median(counted), median(together));
  std::printf("times faster        %8.2f               %8.2f\n", median(alone) / median(counted),
              median(kept) / median(together));
}

}  // namespace

int main(int argc, char** argv)
{
  auto const number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  if (argc < 3 || argc > 5 || number(2, 0) < 1 || number(3, 5) < 1 || number(4, 0) < 0) {
    std::fputs("usage: many_sources GRAPH SOURCES [ROUNDS [THREADS]]\n", stderr);
    return 2;
  }
  try {
    compare(brushfire::Graph::open(argv[1]), static_cast<std::size_t>(number(2, 1)), number(3, 5), number(4, 0));
    return 0;
  } catch (const brushfire::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
