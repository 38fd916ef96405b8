// For the time in which MPI connects the ranks: a process beside this rank that outlives it. Should the rank die, and
// Open MPI's mpirun then stay with none of its processes left, it is stopped.
//
// That happens with PMIx 4.2. When a rank has asked to be connected and is gone before the answer, mpirun frees twice
// what it knows of it (connection_handler() in ptl_base_connection_hdlr.c), and in the end waits for ever for a lock in
// that memory. All ranks have ended by then: none of them could do anything.
//
// When the rank dies it also removes the name of the board, once the launcher is gone and no rank comes any more.
#pragma once

#include <sys/types.h>

namespace brushfire {

class LauncherWatch {
 public:
  // Joins the board of the launcher. No process is started where that is another, or looks after other machines too.
  LauncherWatch();
  LauncherWatch(const LauncherWatch&) = delete;
  LauncherWatch& operator=(const LauncherWatch&) = delete;
  ~LauncherWatch();

 private:
  void start();

  pid_t watcher_ = 0;
  int closes_with_me_ = -1;  // the end of a pipe that is open as long as this rank is there
};

}  // namespace brushfire
