// Without the GIL, and with it again. A thread that comes back while the interpreter is shut down (a daemon thread, as
// a rule) is taken away by Python, which unwinds it, and no destructor allows that: the process would end by SIGABRT.
// Here such a thread stays where it is until the process ends.
#pragma once

#include <Python.h>

#include <unistd.h>

namespace brushfire::python {

template <typename Take>
void take_gil(Take&& take)
{
  try {
    take();
  } catch (...) {  // nothing else comes from Python here
    for (;;) pause();
  }
}

class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  ~WithoutGil()
  {
    take_gil([&] { PyEval_RestoreThread(thread_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* thread_;
};

class WithGil {
 public:
  WithGil()
  {
    take_gil([&] { state_ = PyGILState_Ensure(); });
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_{};
};

}  // namespace brushfire::python
