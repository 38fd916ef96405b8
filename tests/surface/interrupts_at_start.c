/* A library for LD_PRELOAD: it interrupts the program as its libraries start, before main(). */
#include <signal.h>

__attribute__((constructor)) static void interrupt(void) { raise(SIGINT); }
