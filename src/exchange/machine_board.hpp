// A page of memory that all ranks of a machine see, and the one thing that a signal handler can ask about the others:
// which processes they are, and whether one has said already why the job ends. It is there before MPI is, because a
// rank may die while MPI connects them, and after it, because one may die while it is shut down.
//
// The last word is claimed, then said, and no rank leaves in between: a launcher that sees one leave kills the others,
// and with them the one that speaks. It may also kill them all before any gets to speak, or in the middle of it. So a
// rank that has a speaker, a process out of the launcher's reach, lets it claim the word and write the line.
//
// It has the name of a file until all ranks are on it, or none can come any more. A rank that comes later must find it:
// on a board of its own it would say again why the job ends. So a rank that ends before that leaves the name to the
// process that watches the launcher, which outlives it; only where there is none it takes the name along, as does one
// that starts when its launcher is gone.
#pragma once

#include "exchange/launcher.hpp"

#include <string>
#include <string_view>

namespace brushfire {

// For processes that have the same launcher, and no job but this: the name of a board.
std::string board_of_launcher(const Launcher& launcher);

// Puts this process on the board, which is made if nobody was there before, and off any other. Where no memory can be
// shared it is alone on a board of its own.
void join_board(const std::string& name);
int ranks_on_board();
void expect_on_board(int ranks, const Launcher& launcher);  // all of them started by it

// The rest is async-signal-safe.
void close_board() noexcept;  // all have come: the name is not needed any more
bool board_is_closed() noexcept;
void forget_board_name() noexcept;
void leave_name_to_watch(bool there) noexcept;  // the name that the board has now
void forget_unwatched_board_name() noexcept;    // for a rank that ends while others may still come
void leave_board() noexcept;  // in good order: when this process is gone it is not lost; it can still look and claim
bool lost_from_board() noexcept;
bool misses_one_to_come() noexcept;  // fewer have joined than expect_on_board() said, and the launcher has fewer left
bool claim_last_word() noexcept;     // true once for each board; a process that has joined none has one of its own
void last_word_is_said() noexcept;   // by the one who claimed it
void speak_through(int socket) noexcept;  // to a speaker, which gets each line as one message; -1: there is none
// Writes the line to stderr unless one is said; none where it is empty. Returns when one is said, or after a second.
void say_last(std::string_view line) noexcept;

}  // namespace brushfire
