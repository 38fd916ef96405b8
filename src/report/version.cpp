// The version of the library. The build passes it in; a file compiled by hand says that it does not know.
#include <brushfire/report.hpp>

#ifndef BRUSHFIRE_VERSION
#define BRUSHFIRE_VERSION "unversioned"
#endif

namespace brushfire {

std::string version() { return BRUSHFIRE_VERSION; }

}  // namespace brushfire
