/* What docs/library.md shows in C, as a program that runs. */
#include <brushfire.h>

#include <stdio.h>
#include <stdlib.h>

static void stop_unless_ok(brushfire_status status)
{
  if (status == BRUSHFIRE_OK) return;
  fprintf(stderr, "%s\n", brushfire_last_error());
  exit(status);
}

int main(void)
{
  const int32_t from[] = {10, 10, 20, 40};
  const int32_t to[] = {20, 30, 40, 50};
  brushfire_array sources = {from, 4, BRUSHFIRE_INT32, 0};
  brushfire_array targets = {to, 4, BRUSHFIRE_INT32, 0};

  brushfire_graph* graph = NULL;
  brushfire_search* search = NULL;
  stop_unless_ok(brushfire_graph_from_edges(sources, targets, 0, NULL, &graph));
  stop_unless_ok(brushfire_search_new(graph, NULL, &search));

  brushfire_result result;
  stop_unless_ok(brushfire_search_run(search, 10, NULL, &result));
  stop_unless_ok(brushfire_search_validate(search));
  printf("%llu vertices, depth %lld\n", (unsigned long long)result.reached, (long long)result.depth);

  int64_t path[8];
  uint64_t length = 0;
  stop_unless_ok(brushfire_search_path(search, 50, path, 8, &length));
  for (uint64_t i = 0; i < length; ++i) printf("%lld ", (long long)path[i]);
  printf("\n");

  brushfire_search_free(search);
  brushfire_graph_free(graph);
  return 0;
}
