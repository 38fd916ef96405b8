/* So that C programs may say #include <brushfire.h>. */
#include <brushfire/brushfire.h> /* IWYU pragma: export */
