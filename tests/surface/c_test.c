/* The C interface, used from C11: handles, statuses, messages, arrays of the caller's. */
#include <brushfire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(bool holds, const char* what, int line)
{
  if (holds) return;
  printf("c_test.c:%d: %s; last error: %s\n", line, what, brushfire_last_error());
  ++failures;
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

static brushfire_search* searching(const brushfire_graph* graph)
{
  brushfire_search_options options = {0};
  options.levels = true;
  options.device = BRUSHFIRE_CPU;
  brushfire_search* search = NULL;
  brushfire_search_options wrong[3] = {options, options, options};
  wrong[0].device = (brushfire_device)7;
  wrong[1].direction = (brushfire_direction)9;
  wrong[2].threads = -1;
  for (int i = 0; i < 3; ++i) EXPECT(brushfire_search_new(graph, &wrong[i], &search) == BRUSHFIRE_USAGE);
  EXPECT(brushfire_search_new(graph, &options, &search) == BRUSHFIRE_OK);
  return search;
}

static void searches_a_generator(void)
{
  brushfire_graph* graph = NULL;
  EXPECT(brushfire_graph_open("grid:3x4", NULL, &graph) == BRUSHFIRE_OK);
  EXPECT(brushfire_graph_vertices(graph) == 12);
  EXPECT(brushfire_graph_edges(graph) == 17);
  brushfire_search* search = searching(graph);
  brushfire_graph_free(graph); /* the search goes on */

  brushfire_result result;
  EXPECT(brushfire_search_run(search, 0, NULL, &result) == BRUSHFIRE_OK);
  EXPECT(result.reached == 12 && result.depth == 5 && result.nedge == 17 && result.root == 0);
  EXPECT(brushfire_search_validate(search) == BRUSHFIRE_OK);

  int32_t levels[12];
  int64_t parents[12];
  EXPECT(brushfire_search_levels(search, levels, 12) == BRUSHFIRE_OK);
  EXPECT(levels[0] == 0 && levels[1] == 1 && levels[11] == 5);
  EXPECT(brushfire_search_parents(search, parents, 12) == BRUSHFIRE_OK);
  EXPECT(parents[0] == 0 && levels[parents[11]] == 4);
  EXPECT(brushfire_search_parents(search, parents, 11) == BRUSHFIRE_USAGE);

  brushfire_level trace[6];
  uint64_t count = 0;
  EXPECT(brushfire_search_trace(search, trace, 6, &count) == BRUSHFIRE_OK);
  EXPECT(count >= 5 && trace[0].frontier == 1 && trace[0].discovered == 2);

  uint64_t length = 0;
  EXPECT(brushfire_search_run(search, 12, NULL, NULL) == BRUSHFIRE_USAGE); /* and leaves the last result */
  EXPECT(brushfire_search_path(search, 11, NULL, 0, &length) == BRUSHFIRE_OK && length == 6);

  brushfire_limits limits = {-1, 2};
  EXPECT(brushfire_search_run(search, 0, &limits, &result) == BRUSHFIRE_OK);
  EXPECT(result.depth == 2 && result.reached == 6);
  brushfire_search_free(search);
}

static void searches_arrays(void)
{
  /* Pairs in rows: 10 - 20 - 40 - 50, 10 - 30; and 60 - 70 apart. */
  const uint32_t pairs[] = {10, 20, 10, 30, 20, 40, 40, 50, 60, 70};
  brushfire_array sources = {pairs, 5, BRUSHFIRE_UINT32, 2 * sizeof pairs[0]};
  brushfire_array targets = {pairs + 1, 5, BRUSHFIRE_UINT32, 2 * sizeof pairs[0]};
  brushfire_graph* graph = NULL;
  EXPECT(brushfire_graph_from_edges(sources, targets, 0, NULL, &graph) == BRUSHFIRE_OK);
  EXPECT(brushfire_graph_vertices(graph) == 7);
  brushfire_graph* none = NULL;
  EXPECT(brushfire_graph_from_edges(sources, targets, UINT64_MAX, NULL, &none) == BRUSHFIRE_MEMORY);
  EXPECT(brushfire_graph_find(graph, 40) == 3 && brushfire_graph_label(graph, 3) == 40);
  EXPECT(brushfire_graph_find(graph, 41) == -1 && brushfire_graph_label(graph, 7) == -1);

  brushfire_search* search = searching(graph);
  EXPECT(brushfire_search_validate(search) == BRUSHFIRE_USAGE); /* nothing has been searched */
  EXPECT(brushfire_search_run(search, 10, NULL, NULL) == BRUSHFIRE_OK);
  EXPECT(brushfire_search_validate(search) == BRUSHFIRE_OK);
  int64_t path[2] = {0, 0};
  uint64_t length = 0;
  EXPECT(brushfire_search_path(search, 50, NULL, 0, &length) == BRUSHFIRE_OK && length == 4);
  EXPECT(brushfire_search_path(search, 50, path, 2, &length) == BRUSHFIRE_OK && path[0] == 10 && path[1] == 20);
  EXPECT(brushfire_search_path(search, 70, NULL, 0, &length) == BRUSHFIRE_OK && length == 0);
  brushfire_search_free(search);
  brushfire_graph_free(graph);

  const int64_t offsets[] = {0, 1, 3, 4};
  const int32_t neighbours[] = {1, 0, 2, 1};
  brushfire_array rows = {offsets, 4, BRUSHFIRE_INT64, 0};
  brushfire_array entries = {neighbours, 4, BRUSHFIRE_INT32, 0};
  EXPECT(brushfire_graph_from_csr(rows, entries, NULL, &graph) == BRUSHFIRE_OK);
  EXPECT(brushfire_graph_edges(graph) == 2);
  search = searching(graph);
  brushfire_result result;
  EXPECT(brushfire_search_run(search, 2, NULL, &result) == BRUSHFIRE_OK && result.depth == 2);
  brushfire_search_free(search);
  brushfire_graph_free(graph);
}

static void says_what_is_wrong(void)
{
  brushfire_graph* graph = NULL;
  EXPECT(brushfire_graph_open("no/such/file.el", NULL, &graph) == BRUSHFIRE_INPUT && graph == NULL);
  EXPECT(strstr(brushfire_last_error(), "no/such/file.el") != NULL);
  EXPECT(brushfire_graph_open("kron:60", NULL, &graph) == BRUSHFIRE_MEMORY);
  EXPECT(brushfire_graph_open(NULL, NULL, &graph) == BRUSHFIRE_USAGE);

  const int32_t labels[] = {0, -3};
  brushfire_array ends = {labels, 2, BRUSHFIRE_INT32, 0};
  EXPECT(brushfire_graph_from_edges(ends, ends, 0, NULL, &graph) == BRUSHFIRE_INPUT);
  EXPECT(strcmp(brushfire_last_error(), "edges: edge 1 names vertex -3, outside 0 ... 9223372036854775807") == 0);
  ends.type = (brushfire_type)17;
  EXPECT(brushfire_graph_from_edges(ends, ends, 0, NULL, &graph) == BRUSHFIRE_USAGE);
  brushfire_array nothing = {NULL, 2, BRUSHFIRE_INT32, 0};
  EXPECT(brushfire_graph_from_csr(nothing, nothing, NULL, &graph) == BRUSHFIRE_USAGE);

  EXPECT(brushfire_graph_open("path:3", NULL, &graph) == BRUSHFIRE_OK);
  brushfire_search* search = searching(graph);
  EXPECT(brushfire_search_run(search, 3, NULL, NULL) == BRUSHFIRE_USAGE);
  EXPECT(strcmp(brushfire_last_error(), "source 3 is not in path:3") == 0);
  brushfire_search_free(search);
  brushfire_graph_free(graph);
  brushfire_search_free(NULL);
  brushfire_graph_free(NULL);
}

int main(void)
{
  searches_a_generator();
  searches_arrays();
  says_what_is_wrong();
  EXPECT(strlen(brushfire_version()) >= 5);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
