/* Brushfire for C: the same library, behind opaque handles.
 *
 * Every function that can fail returns a status, which is also the exit code that the program would end with; then
 * brushfire_last_error() has one line that says what is wrong, where, and what to do. Output arguments are written only
 * when BRUSHFIRE_OK is returned. A label is what the input calls a vertex, any integer from 0 to 2^63-1; a vertex is
 * its rank among the labels of the graph, 0 ... n-1. Whatever is absent (no parent, not reached) is -1.
 *
 * A graph may be searched from many threads at once, each with a search of its own. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#ifndef BRUSHFIRE_H
#define BRUSHFIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum brushfire_status {
  BRUSHFIRE_OK = 0,
  BRUSHFIRE_FAILURE = 1, /* something failed at run time: a device that is gone */
  BRUSHFIRE_USAGE = 2,   /* the request makes no sense: a source that is not in the graph */
  BRUSHFIRE_INVALID = 3, /* a search result broke a rule */
  BRUSHFIRE_MEMORY = 4,  /* it does not fit */
  BRUSHFIRE_INPUT = 5    /* unreadable or malformed input */
} brushfire_status;

/* The line of the last call on this thread that did not return BRUSHFIRE_OK, "" when there was none. It stands until
 * the next such call. */
const char* brushfire_last_error(void);
const char* brushfire_version(void);

typedef enum brushfire_device { BRUSHFIRE_AUTO = 0, BRUSHFIRE_CPU = 1, BRUSHFIRE_CUDA = 2 } brushfire_device;
typedef enum brushfire_direction {
  BRUSHFIRE_CHOOSE = 0, /* per level and subgraph */
  BRUSHFIRE_PUSH = 1,
  BRUSHFIRE_PULL = 2
} brushfire_direction;

/* Pointers must not be NULL but where it is said; those of functions that return a status are checked. Options that are
 * 0 throughout, and NULL in their place, are the defaults. */
typedef struct brushfire_graph_options {
  bool directed;
  int threads;             /* 0: every processor */
  brushfire_device device; /* where it is built, and where it is held for searching */
  int devices;             /* that share it; 0 and 1: one */
} brushfire_graph_options;

typedef struct brushfire_search_options {
  bool levels;        /* keep the level of every vertex too */
  bool deterministic; /* the parent is the smallest label that qualifies */
  int threads;        /* 0: every processor */
  brushfire_device device;
  brushfire_direction direction;
} brushfire_search_options;

/* Where a search stops early. */
typedef struct brushfire_limits {
  int64_t target;    /* once this label is reached; -1: never */
  int64_t max_depth; /* no vertex of this level is expanded; -1: all are */
} brushfire_limits;

typedef enum brushfire_type {
  BRUSHFIRE_INT32 = 0,
  BRUSHFIRE_UINT32 = 1,
  BRUSHFIRE_INT64 = 2,
  BRUSHFIRE_UINT64 = 3
} brushfire_type;

/* An array of the caller's. It is read where it is, and must stay, unchanged, until the graph that was made of it and
 * all searches on that are freed. */
typedef struct brushfire_array {
  const void* data;
  uint64_t size; /* integers */
  brushfire_type type;
  ptrdiff_t stride; /* bytes from one integer to the next; 0: they follow each other */
} brushfire_array;

typedef struct brushfire_graph brushfire_graph;
typedef struct brushfire_search brushfire_search;

/* A file or a generator, as the command line takes it: "roads.mtx.gz", "kron:20". */
brushfire_status brushfire_graph_open(const char* spec, const brushfire_graph_options* options,
                                      brushfire_graph** graph);
/* Edge i leads from sources[i] to targets[i]. The vertices are 0 ... vertices-1, or with `vertices` = 0 the labels that
 * occur. */
brushfire_status brushfire_graph_from_edges(brushfire_array sources, brushfire_array targets, uint64_t vertices,
                                            const brushfire_graph_options* options, brushfire_graph** graph);
/* The neighbours of u are targets[offsets[u]] ... targets[offsets[u+1]-1]. In an undirected graph an edge may stand in
 * the lists of both its ends, or in one of them only. */
brushfire_status brushfire_graph_from_csr(brushfire_array offsets, brushfire_array targets,
                                          const brushfire_graph_options* options, brushfire_graph** graph);
void brushfire_graph_free(brushfire_graph* graph); /* searches on it may go on */

uint64_t brushfire_graph_vertices(const brushfire_graph* graph);
uint64_t brushfire_graph_edges(const brushfire_graph* graph); /* as given: self-loops and duplicates count */
/* The vertex of a label, -1 when the graph has no such label; and back. */
int64_t brushfire_graph_find(const brushfire_graph* graph, int64_t label);
int64_t brushfire_graph_label(const brushfire_graph* graph, uint64_t vertex);

/* A search owns the buffers for searching one graph, and reuses them from root to root; one thread at a time has it. */
brushfire_status brushfire_search_new(const brushfire_graph* graph, const brushfire_search_options* options,
                                      brushfire_search** search);
void brushfire_search_free(brushfire_search* search);

typedef struct brushfire_result {
  int64_t root;
  double seconds;
  uint64_t reached; /* vertices in the tree, the root included */
  int64_t depth;    /* largest level */
  uint64_t nedge;   /* input edges in the tree's component: duplicates count, self-loops do not */
} brushfire_result;

/* `limits` and `result` may be NULL. The functions below tell of the last run. */
brushfire_status brushfire_search_run(brushfire_search* search, int64_t root, const brushfire_limits* limits,
                                      brushfire_result* result);

/* Copy the parent (a label) or the level of every vertex to an array with room for all of them. */
brushfire_status brushfire_search_parents(const brushfire_search* search, int64_t* parents, uint64_t room);
brushfire_status brushfire_search_levels(const brushfire_search* search, int32_t* levels, uint64_t room);

/* The labels from the root to `target`. `length` becomes their number, 0 when it was not reached; no more than `room`
 * of them are written, so that a first call with room 0 may ask how many there are. */
brushfire_status brushfire_search_path(const brushfire_search* search, int64_t target, int64_t* path, uint64_t room,
                                       uint64_t* length);

/* What a level did. */
typedef struct brushfire_level {
  int64_t level;
  int64_t levels; /* that this record sums up: 1, unless there are more than a thousand */
  bool pull;      /* of the subgraph between normal vertices */
  uint64_t frontier;
  uint64_t edges_checked;
  uint64_t discovered;
  double seconds;
} brushfire_level;

/* Like a path: `count` becomes their number, and no more than `room` are written. */
brushfire_status brushfire_search_trace(const brushfire_search* search, brushfire_level* levels, uint64_t room,
                                        uint64_t* count);

/* Judges the last result by the five rules of the Graph500, against the input itself. BRUSHFIRE_INVALID when it broke
 * one: the message says which, and where. */
brushfire_status brushfire_search_validate(const brushfire_search* search);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
