// What can go wrong, as one exception type. The kind is also the exit code of the program.
// what() is one line: what is wrong, where, what to do.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace brushfire {

enum class ErrorKind : int {
  failure = 1,     // something failed at run time: an output that cannot be written, a device that is gone
  usage = 2,       // the request makes no sense: a source that is not in the graph, contradicting options
  validation = 3,  // a search result broke a rule
  memory = 4,      // it does not fit
  input = 5,       // unreadable or malformed input
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace brushfire
#pragma GCC visibility pop
