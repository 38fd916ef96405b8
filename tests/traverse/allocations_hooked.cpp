// Allocations are counted by the sanitizer, which knows of all: operators of our own would take from it what it checks
// about new and delete, and clang's thread sanitizer does not link with them.
#include "traverse/allocations.hpp"

#include <cstddef>

// GCC comes with the function and without the header that declares it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));

namespace brushfire::testing {
namespace {

[[maybe_unused]] int const hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count_allocation(); }, [](const volatile void*) {});

}  // namespace
}  // namespace brushfire::testing
