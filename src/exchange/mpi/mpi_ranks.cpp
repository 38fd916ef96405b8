// The ranks of a job over MPI, and how they end together. Every rank brings its exit code to one last reduction. Where
// all come, which is also how errors end that every rank meets alike, they know the first that failed: it writes its
// line and MPI is shut down. Where they do not come, some wait for this rank, and only MPI_Abort wakes them.
#include "base/error.hpp"
#include "exchange/job_ranks.hpp"
#include "exchange/machine_board.hpp"
#include "exchange/mpi/check.hpp"
#include "exchange/mpi/device_memory.hpp"
#include "exchange/mpi/launcher_watch.hpp"
#include "exchange/mpi/mpi_wire.hpp"

#include <brushfire/units.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace brushfire {

namespace {

using Clock = std::chrono::steady_clock;

// How long a rank that failed waits for the others to fail too; the job must be over within 10 s.
constexpr auto patience = std::chrono::seconds(2);
constexpr std::size_t largest_broadcast = std::size_t{1} << 30;
constexpr std::uint64_t nobody_failed = std::numeric_limits<std::uint64_t>::max();

// Where this process stands, with all ranks of its machine on one board. The one they joined before they knew each
// other is it where the same launcher started all of them, as far as it could be found.
JobPlace find_place(std::unique_ptr<LauncherWatch>& watch)
{
  JobPlace place;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &place.rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &place.ranks));
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  check(MPI_Comm_rank(machine, &place.rank_on_machine));
  check(MPI_Comm_size(machine, &place.ranks_on_machine));
  if (ranks_on_board() != place.ranks_on_machine) {
    watch.reset();  // which is on that board
    int process = static_cast<int>(getpid());
    check(MPI_Bcast(&process, 1, MPI_INT, 0, machine));
    join_board(fmt::to_string(process));
  }
  check(MPI_Barrier(machine));
  close_board();
  check(MPI_Comm_free(&machine));
  return place;
}

// Ends a rank that has failed, from a signal handler, where MPI does not come back.
char last_line[512];
int last_code = 0;
void leave_without_mpi(int)
{
  say_last(last_line);
  _exit(last_code);
}

void last_resort(int code, const std::string& message)
{
  last_code = code;
  if (!message.empty()) *fmt::format_to_n(last_line, sizeof last_line - 1, "brushfire: {}\n", message).out = '\0';
  std::signal(SIGALRM, leave_without_mpi);
  alarm(static_cast<unsigned>(3 * patience.count()));
}

class MpiRanks final : public JobRanks {
 public:
  explicit MpiRanks(std::unique_ptr<LauncherWatch> watch)
      : watch_(std::move(watch)),
        place_(find_place(watch_)),
        talk_(duplicate(MPI_COMM_WORLD)),
        farewell_(duplicate(MPI_COMM_WORLD))
  {
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { MPI_Finalize(); }

  JobPlace place() const override { return place_; }

  std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options) override
  {
    return std::make_unique<MpiWire>(talk_, devices_per_rank, options);
  }

  bool wires_take_device_memory() const override { return mpi_takes_device_memory(); }

  std::string from_first_rank(const std::string& text) override
  {
    std::uint64_t size = text.size();
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, talk_));
    std::string heard = text;
    heard.resize(size);
    for (std::size_t done = 0; done < size; done += largest_broadcast)
      check(MPI_Bcast(heard.data() + done, static_cast<int>(std::min(size - done, largest_broadcast)), MPI_BYTE, 0,
                      talk_));
    return heard;
  }

  int end(int code, const std::string& message) override
  {
    std::string const of_this_rank = message.empty() ? message : fmt::format("rank {}: {}", place_.rank, message);
    if (code != 0) last_resort(code, of_this_rank);
    std::uint64_t const mine =
        code == 0 ? nobody_failed : (static_cast<std::uint64_t>(place_.rank) << 8 | static_cast<std::uint64_t>(code));
    std::uint64_t first = mine;
    bool const hopeless = code != 0 && MpiWire::any_torn();
    if (hopeless || !agree(mine, first)) {
      say_last_message(of_this_rank);
      MPI_Abort(MPI_COMM_WORLD, code);
      std::_Exit(code);
    }
    // Once one has left, the launcher may stop the last ones by a signal that is no news. None ends MPI before the
    // first that failed has said why.
    if (code != 0 && first == mine) say_last_message(message);
    return first == nobody_failed ? 0 : static_cast<int>(first & 0xff);
  }

 private:
  // The smallest of all, or false when a rank that failed has waited long enough. It sleeps between looks: other ranks
  // may need the core.
  bool agree(const std::uint64_t& mine, std::uint64_t& smallest)
  {
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Iallreduce(&mine, &smallest, 1, MPI_UINT64_T, MPI_MIN, farewell_, &request) != MPI_SUCCESS) return false;
    auto const start = Clock::now();
    auto pause = std::chrono::microseconds(20);
    for (;;) {
      int done = 0;
      if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (done != 0) return true;
      if (mine != nobody_failed && Clock::now() - start > patience) return false;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
  }

  std::unique_ptr<LauncherWatch> watch_;
  JobPlace place_;
  MPI_Comm talk_, farewell_;
};

// MPI that has run out of memory may wait for itself. It is refused where it would have too little to start, but not
// before the others of this machine can know that this rank has said why.
void require_room_for_mpi(const Launch& launch)
{
  constexpr std::size_t least = std::size_t{256} << 20;  // ranks of Open MPI 4 that had 160 hung while they connected
  void* const room = mmap(nullptr, least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {
    munmap(room, least);
    return;
  }
  for (auto const start = Clock::now(); ranks_on_board() < launch.ranks && Clock::now() - start < patience / 2;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  fail(ErrorKind::memory, "rank {}: MPI needs {} of address space at least; raise the limit (ulimit -v)", launch.rank,
       human_bytes(least));
}

std::string library_name()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string_view const all(text, static_cast<std::size_t>(length));
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

// Ranks that srun has started without telling them how to connect: Open MPI would end each with a page of its own.
bool cannot_connect()
{
  auto const unknown = [](const char* variable) { return std::getenv(variable) == nullptr; };
  return !unknown("SLURM_STEP_NUM_TASKS") && unknown("OMPI_COMM_WORLD_SIZE") && unknown("PMIX_RANK") &&
         unknown("PMI_RANK") && library_name().starts_with("Open MPI");
}

}  // namespace

bool built_with_mpi() { return true; }

std::unique_ptr<JobRanks> connect_ranks(const Launch& launch, const std::function<void()>& when_seen,
                                        std::string& problem)
{
  // Open MPI spins while it waits, and the threads of a rank need its cores: with two ranks of three devices on two
  // cores thousands of rounds take 0.7 s when it yields and 17 s when it does not. What the user says stands.
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  auto watch = std::make_unique<LauncherWatch>();
  when_seen();
  if (cannot_connect()) {
    problem = "srun has not told its ranks how to connect; start them with srun --mpi=pmix";
    return nullptr;
  }
  require_room_for_mpi(launch);
  int threads = 0, ranks = 1;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads));
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (launch.ranks > 0 && ranks != launch.ranks)
    problem = fmt::format(
        "started as {} ranks, and {}, which this program was built with, sees {}; start it with the "
        "launcher of that MPI",
        launch.ranks, library_name(), ranks);
  else if (threads < MPI_THREAD_SERIALIZED)
    problem = fmt::format("{} does not let any thread but the first call it (MPI_THREAD_SERIALIZED)", library_name());
  if (problem.empty() && ranks > 1) return std::make_unique<MpiRanks>(std::move(watch));
  MPI_Finalize();
  return nullptr;
}

}  // namespace brushfire
