// A process beside a rank of Open MPI's mpirun that outlives it. It writes the line that says why the job ends: the
// rank's own, or that it has died.
//
// The rank itself may have no time for it. When a rank has died mpirun continues the others, waits a second, sends
// SIGTERM, waits a second, kills; but each wait ends with the next rank that dies or leaves (kill_local_procs() in
// odls_base_default_fns.c: sleep() that is interrupted). Of four ranks three of which were killed at one instant the
// fourth had 2 to 4 ms, and on a busy machine did not run in these. Nor does mpirun wait for what is left in the pipes.
//
// While MPI connects the ranks it also stops an mpirun that stays when a rank has died and none of its processes is
// left. That happens with PMIx 4.2. When a rank has asked to be connected and is gone before the answer, mpirun frees
// twice what it knows of it (connection_handler() in ptl_base_connection_hdlr.c), and in the end waits for ever for a
// lock in that memory. All ranks have ended by then: none of them could do anything. And it removes the name of the
// board, once the launcher is gone and no rank comes any more.
#pragma once

#include "exchange/launcher.hpp"

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
  void start(const Launcher& launcher);

  pid_t watcher_ = 0;
  int to_watcher_ = -1;  // open as long as this rank is there
};

}  // namespace brushfire
