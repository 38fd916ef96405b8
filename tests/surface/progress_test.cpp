// What a user sees while the program works: a bar that is redrawn in place on a terminal, and lines that a log
// file can keep where there is none.
#include "surface/program.hpp"

#include <optional>

#include <sys/ioctl.h>

namespace brushfire::testing {

namespace {

// A pseudoterminal: the program writes to one end, the test reads what a screen would get from the other.
class Terminal {
 public:
  explicit Terminal(unsigned short columns)
  {
    screen_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) return;
    const char* const name = ptsname(screen_);
    if (name != nullptr) program_end_ = open(name, O_RDWR | O_NOCTTY);
    winsize const size{.ws_row = 25, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(screen_, TIOCSWINSZ, &size);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal()
  {
    hand_over();
    if (screen_ >= 0) close(screen_);
  }

  int program_end() const { return program_end_; }

  // The program has its own copy by now; ours would keep shown() waiting.
  void hand_over()
  {
    if (program_end_ >= 0) close(program_end_);
    program_end_ = -1;
  }

  std::string shown() const
  {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(screen_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(got));
    return text;  // reading fails with EIO once the program has ended
  }

 private:
  int screen_ = -1;
  int program_end_ = -1;
};

class ProgressTest : public ProgramTest {
 protected:
  // A stage that lasts long enough to be drawn, however many cores there are.
  static inline std::vector<std::string> const long_run{"bfs", "kron:16",   "--source", "random",    "--trials",
                                                        "16",  "--threads", "1",        "--validate"};

  // What the program writes to a terminal of this kind; nothing where there are no pseudoterminals.
  std::optional<std::string> on_terminal(const std::vector<std::string>& arguments, const char* kind) const
  {
    setenv("TERM", kind, 1);
    Terminal terminal(60);
    if (terminal.program_end() < 0) return std::nullopt;
    pid_t const child = start(arguments, {.terminal = terminal.program_end()});
    terminal.hand_over();
    std::string text = terminal.shown();
    EXPECT_EQ(finish(child).code, 0) << text;
    return text;
  }
};

TEST_F(ProgressTest, ATerminalGetsABar)
{
  auto const text = on_terminal(long_run, "xterm");
  if (!text) GTEST_SKIP() << "there are no pseudoterminals here";
  EXPECT_NE(text->find("\r\x1b[Ksearching and validating [#"), std::string::npos) << *text;
  EXPECT_NE(text->find(" %  "), std::string::npos) << *text;
  EXPECT_EQ(text->find('\n'), std::string::npos) << *text;  // redrawn in place
  EXPECT_TRUE(text->ends_with("\r\x1b[K")) << *text;        // and gone at the end
  std::istringstream drawings(*text);
  for (std::string drawing; std::getline(drawings, drawing, '\r');)
    EXPECT_LT(drawing.size(), 60u + std::string("\x1b[K").size()) << drawing;  // never wraps
}

TEST_F(ProgressTest, ATerminalThatCannotRedrawGetsLines)
{
  auto const text = on_terminal({"bfs", "path:9", "--source", "0,1"}, "dumb");
  if (!text) GTEST_SKIP() << "there are no pseudoterminals here";
  EXPECT_NE(text->find("searching: 2 searches in "), std::string::npos) << *text;
  EXPECT_EQ(text->find('\x1b'), std::string::npos) << *text;
}

TEST_F(ProgressTest, LevelsHaveBarsInColourOnATerminalAlone)
{
  std::vector<std::string> const verbose{"bfs", "path:9", "--source", "0", "--verbose", "--no-progress"};
  auto const plain = run(verbose);
  EXPECT_NE(plain.err.find("####################  pu"), std::string::npos) << plain.err;  // the longest
  EXPECT_EQ(plain.err.find('\x1b'), std::string::npos) << plain.err;
  unsetenv("NO_COLOR");
  auto const colours = on_terminal(verbose, "xterm");
  if (!colours) GTEST_SKIP() << "there are no pseudoterminals here";
  EXPECT_NE(colours->find("\x1b[33mpush\x1b[0m"), std::string::npos) << *colours;
  EXPECT_NE(colours->find("m####################\x1b[0m  \x1b["), std::string::npos) << *colours;
  EXPECT_EQ(on_terminal(verbose, "dumb")->find('\x1b'), std::string::npos);
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(on_terminal(verbose, "xterm")->find('\x1b'), std::string::npos);
  unsetenv("NO_COLOR");
}

TEST_F(ProgressTest, NoTerminalGetsALinePerStage)
{
  auto const outcome = run({"graph500", "10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
  std::vector<std::string> stages;
  for (auto const& line : lines_of(outcome.err)) stages.push_back(line.substr(0, line.find(':')));
  EXPECT_EQ(stages, (std::vector<std::string>{"generating", "counting degrees", "placing edges", "sorting lists",
                                              "searching and validating"}))
      << outcome.err;
}

TEST_F(ProgressTest, FilesAreNamed)
{
  write("two.el", "0 1\n5 6\n");
  auto const outcome = run({"bfs", "two.el", "--source", "0", "--validate", "--levels", "l.txt"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (std::string const stage : {"reading two.el: ", "validating: ", "writing l.txt: "})
    EXPECT_NE(outcome.err.find(stage), std::string::npos) << stage << outcome.err;
}

}  // namespace

}  // namespace brushfire::testing
