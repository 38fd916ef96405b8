// The man page and the completions know every command and option that --help knows, and shells understand them.
#include "surface/program.hpp"

#include <regex>

namespace brushfire::testing {
namespace {

class Describe : public ProgramTest {
 protected:
  std::string description(const std::string& reader)
  {
    auto const outcome = run({"--describe-for", reader});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  // The words of --help that `pattern` matches.
  static std::vector<std::string> found(const std::string& text, const char* pattern)
  {
    std::regex const expression(pattern);
    std::vector<std::string> words;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) words.push_back((*at)[1]);
    return words;
  }

  std::string said_by(const std::string& command) const
  {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    for (int c = 0; (c = fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << command << '\n' << text;
    return text;
  }
  bool is_there(const std::string& program) const
  {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }
};

TEST_F(Describe, KnowsWhatHelpKnows)
{
  auto const commands = found(run({"--help"}).out, R"(\n  ([a-z][a-z0-9]+) )");
  ASSERT_GE(commands.size(), 8u);
  std::string const bash = description("bash"), zsh = description("zsh"), fish = description("fish");
  std::string const man = std::regex_replace(description("man"), std::regex(R"(\\-)"), "-");
  for (auto const& command : commands) {
    for (auto const& text : {bash, zsh, fish, man}) EXPECT_NE(text.find(command), std::string::npos) << command;
    for (auto const& option : found(run({command, "--help"}).out, R"(\n  (?:-[a-z],)?--([a-z0-9-]+))")) {
      SCOPED_TRACE(command + " --" + option);
      EXPECT_TRUE(std::regex_search(bash, std::regex("\n  " + command + "\\) options='[^']*--" + option + "[ ']")));
      EXPECT_NE(zsh.find("'--" + option + "["), std::string::npos);
      EXPECT_TRUE(std::regex_search(fish, std::regex("from " + command + "'[^\n]* -l " + option + " ")));
      EXPECT_NE(man.find("--" + option + "\\fR"), std::string::npos);
    }
  }
}

TEST_F(Describe, BashCompletes)
{
  write("completion", description("bash"));
  auto const completed = [&](const std::string& words, int last) {
    return said_by("bash -c \"source '" + file("completion").string() + "'; COMP_WORDS=(brushfire " + words +
                   "); COMP_CWORD=" + std::to_string(last) + "; _brushfire; echo \\${COMPREPLY[@]}\"");
  };
  EXPECT_EQ(completed("gr", 1), "graph500\n");
  EXPECT_EQ(completed("bfs --devi", 2), "--device --devices\n");
  EXPECT_EQ(completed("bfs --device c", 3), "cpu cuda\n");
  EXPECT_EQ(completed("bfs --trials 1", 3), "\n");
  EXPECT_EQ(completed("bfs --source r", 3), "random\n");
  EXPECT_EQ(completed("bfs --device = c", 4), "cpu cuda\n");  // as readline takes --device=c apart
  EXPECT_EQ(completed("bfs --reduce =", 3), "blocking nonblocking\n");
  EXPECT_EQ(completed("plan 30 --network d", 4), "dgx-2\n");
  EXPECT_EQ(completed("bench --paper g", 3), "grid\n");
  write("a graph.el", "");
  EXPECT_EQ(said_by("cd '" + folder().string() +
                    "' && bash -c 'source ./completion; COMP_WORDS=(brushfire info \"a \"); "
                    "COMP_CWORD=2; _brushfire; echo ${#COMPREPLY[@]} $COMPREPLY'"),
            "1 a graph.el\n");
}

TEST_F(Describe, OtherReadersUnderstandTheirs)
{
  auto const is_understood = [&](const std::string& reader, const std::string& checker, const std::string& options) {
    if (!is_there(checker)) return;
    write("description", description(reader));
    EXPECT_EQ(said_by(checker + " " + options + " '" + file("description").string() + "' 2>&1"), "");
  };
  is_understood("zsh", "zsh", "-n");
  is_understood("fish", "fish", "-n");
  is_understood("man", "groff", "-man -Tutf8 -ww -z");
}

TEST_F(Describe, RefusesUnknownReaders) { expect_refused({"--describe-for", "csh"}, 2, "man, bash, zsh or fish"); }

}  // namespace
}  // namespace brushfire::testing
