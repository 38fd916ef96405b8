// Runs the real program in a process of its own and keeps what it said and how it ended. Every test gets a
// fresh folder, which is the program's current one, so that "nothing was left behind" can be checked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brushfire::testing {

struct Outcome {
  int code = -1;  // exit code, 128 + signal when it was killed
  std::string out, err;
};

inline std::string contents(const std::filesystem::path& path)
{
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text)
{
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Where the program's streams go and what it may do, where that is not the ordinary.
struct Launch {
  std::string out{};  // a file for stdout
  int terminal = -1;  // a descriptor for stderr
  rlim_t largest_file = RLIM_INFINITY;
  std::vector<std::string> launcher{};  // a program and its words that start ours
};

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override
  {
    std::string name = (std::filesystem::temp_directory_path() / "brushfire-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::create_directory(folder());
  }
  void TearDown() override
  {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path folder() const { return root_ / "here"; }
  std::filesystem::path file(const std::string& name) const { return folder() / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  std::vector<std::string> files() const
  {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  pid_t start(const std::vector<std::string>& arguments, const Launch& launch = {}) const
  {
    std::string const out_name = launch.out.empty() ? (root_ / "out").string() : launch.out;
    rlimit const limit{.rlim_cur = launch.largest_file, .rlim_max = launch.largest_file};
    std::string const err_name = (root_ / "err").string();
    std::vector<char*> argv;
    for (auto const& word : launch.launcher) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(const_cast<char*>(BRUSHFIRE_PROGRAM));
    for (auto const& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t const child = fork();
    if (child != 0) return child;
    // The child of a process with threads: system calls only, until exec.
    signal(SIGINT, SIG_DFL);
    dup2(open(out_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    int const err = open(err_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(launch.terminal >= 0 ? launch.terminal : err, STDERR_FILENO);
    bool const limited = launch.largest_file == RLIM_INFINITY || setrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (limited && chdir(folder().c_str()) == 0) execv(argv[0], argv.data());
    _exit(127);
  }

  Outcome finish(pid_t child) const
  {
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = contents(root_ / "out");
    outcome.err = contents(root_ / "err");
    return outcome;
  }

  Outcome run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

  // The program refuses: this code, nothing on stdout, one line of ours on stderr that names `part`.
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& part) const
  {
    auto const outcome = run(arguments);
    std::string command;
    for (auto const& argument : arguments) command += argument + " ";
    SCOPED_TRACE(command + "\n" + outcome.err);
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.out, "");
    ASSERT_EQ(lines_of(outcome.err).size(), 1u);
    EXPECT_TRUE(outcome.err.starts_with("brushfire: "));
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part;
  }

  std::filesystem::path root_;
};

}  // namespace brushfire::testing
