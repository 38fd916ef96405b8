// Functions compiled once per instruction set and chosen when the program starts, so that one binary runs
// everywhere and is fast where it can be. Sanitizers cannot run the choosing code, and clang before 15 does not know
// the names of these levels: they get the portable version, which the compiler splits into what the registers hold.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define BRUSHFIRE_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BRUSHFIRE_VECTOR_CLONES
#endif
