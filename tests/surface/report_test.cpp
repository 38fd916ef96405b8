// brushfire report and --trace as a user meets them, and their pages in a real browser where there is one.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;

class ReportTest : public ProgramTest {
 protected:
  void done(const std::vector<std::string>& arguments) const
  {
    auto const outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(ReportTest, ShowsResultsOfAllCommandsTogether)
{
  done({"graph500", "8", "--roots", "3", "--json", "a.json", "-q"});
  done({"bfs", "kron:8", "--source", "random", "--devices", "2", "--json", "b.json", "-q"});
  done({"bench", "path:20", "--presets", "auto,ring", "--devices", "1", "--rounds", "1", "--json", "c.json", "-q"});
  auto const outcome = run({"report", "a.json", "b.json", "c.json", "-o", "all.html"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  auto const html = contents(file("all.html"));
  for (auto const* part : {"<h3>All runs</h3>", "<h3>Roofline</h3>", "<h3>Memory plan</h3>", "presets side by side",
                           "graph500 8 --roots 3 --json a.json -q"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST_F(ReportTest, ResultsHaveWhatChartsNeed)
{
  done({"graph500", "8", "--roots", "2", "--json", "a.json", "-q"});
  done({"bfs", "path:9", "--source", "0", "--json", "b.json", "-q"});
  for (std::string const name : {"a.json", "b.json"}) {
    auto const json = Json::parse(contents(file(name)));
    EXPECT_GT(json["host"]["memory_bandwidth"].get<double>(), 1e8) << name;
    EXPECT_GT(json["plan"]["peak_bytes"].get<double>(), 0) << name;
    EXPECT_NE(json["command_line"].get<std::string>().find(name), std::string::npos);
  }
}

TEST_F(ReportTest, ShowsAPaper)
{
  done({"bench", "--paper", "grid", "--scale", "9", "--roots", "1", "--rounds", "1", "--device", "cpu", "--json",
        "p.json", "--html", "p.html", "-q"});
  done({"report", "p.json", "-o", "again.html"});
  auto const html = contents(file("p.html"));
  EXPECT_EQ(contents(file("again.html")), html);
  EXPECT_NE(html.find("Table 3.1"), std::string::npos);
  done({"bfs", "path:9", "--source", "0", "--json", "b.json", "-q"});
  done({"report", "p.json", "b.json", "-o", "both.html"});
  EXPECT_NE(contents(file("both.html")).find("<summary>bench beside grid</summary>"), std::string::npos);
}

TEST_F(ReportTest, RefusesWhatItCannotShow)
{
  write("torn.json", "{\n \"schema\": \"brush");
  write("other.json", "{\"name\": 1}");
  expect_refused({"report", "-o", "x.html"}, 2, "JSON is required");
  expect_refused({"report", "torn.json"}, 2, "--output is required");
  expect_refused({"report", "torn.json", "-o", "x.html"}, 5, "torn.json:2: is not JSON");
  expect_refused({"report", "other.json", "-o", "x.html"}, 5, "other.json: is not of the schema");
  expect_refused({"report", "gone.json", "-o", "x.html"}, 5, "gone.json: cannot be read");
  expect_refused({"report", "other.json", "-o", "no/such/x.html"}, 1, "no/such/x.html");
  expect_refused({"report", "other.json", "-o", "other.json"}, 2, "would overwrite the input");
  EXPECT_EQ(files(), (std::vector<std::string>{"other.json", "torn.json"}));
}

TEST_F(ReportTest, ATraceNestsAndIsWhole)
{
  done({"bfs", "kron:10", "--source", "random", "--trials", "3", "--validate", "--trace", "t.json", "-q"});
  EXPECT_EQ(files(), std::vector<std::string>{"t.json"});
  auto const trace = Json::parse(contents(file("t.json")));
  struct Span {
    long long start, end;
  };
  std::vector<Span> open;
  int searches = 0, levels = 0, stages = 0, validations = 0;
  std::vector<Json> events = trace["traceEvents"];
  std::erase_if(events, [](const Json& event) { return event["ph"] == "M"; });
  auto const nanoseconds = [](const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); };
  std::stable_sort(events.begin(), events.end(), [](const Json& a, const Json& b) { return a["ts"] < b["ts"]; });
  for (auto const& event : events) {
    Span const span{nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"])};
    while (!open.empty() && open.back().end <= span.start) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(span.end, open.back().end) << event;
    }
    open.push_back(span);
    stages += event["cat"] == "stage";
    searches += event["cat"] == "search";
    levels += event["cat"] == "level";
    validations += event["cat"] == "validation";
  }
  EXPECT_EQ(searches, 3);
  EXPECT_EQ(validations, 3);
  EXPECT_GT(levels, 6);
  EXPECT_GT(stages, 2);
  expect_refused({"bfs", "path:3", "--source", "0", "--trace", "no/such.json", "-q"}, 1, "no/such.json");
  expect_refused({"bfs", "path:3", "--source", "0", "--trace", "-", "-q"}, 2, "not stdout");
  expect_refused({"graph500", "5", "--trace", "u.json", "--dry-run"}, 2, "--trace");
  expect_refused({"graph500", "5", "--trace", "x", "--json", "x"}, 2, "two outputs");
}

// Opens pages in Chromium and lays them out as wide as a phone. A script that is put into a copy of the page looks
// around when it is loaded and leaves what it finds as text. The pages themselves have none.
class BrowserTest : public ReportTest {
 protected:
  static constexpr const char* look_around = R"(<script>
    const errors = [];
    addEventListener("error", event => errors.push(event.message), true);
    addEventListener("load", () => {
      const all = name => [...document.querySelectorAll(name)], phone = 390;
      document.documentElement.style.width = phone + "px";
      for (const details of all("details")) details.open = true;
      for (const tip of all(".tip")) tip.style.display = "block";
      const outside = e => e.getBoundingClientRect().right > phone + 0.5 || e.getBoundingClientRect().left < 0;
      const small = e => e.getBoundingClientRect().width < 300 || e.getBoundingClientRect().height < 20 || !e.textContent;
      const cut = e => e.scrollHeight > e.clientHeight + 1;
      const below = e => e.closest(".plot").querySelector(".unit").getBoundingClientRect().top + 1;
      const above = e => e.closest("figure").querySelector("h3").getBoundingClientRect().bottom;
      const found = document.createElement("pre");
      found.id = "found";
      found.textContent = JSON.stringify({
        errors, plots: all(".plot").length, small_tips: all(".tip").filter(small).length,
        cut_tips: all(".tip").filter(cut).map(e => e.textContent),
        ticks_on_unit: all(".tick.x").filter(e => e.getBoundingClientRect().bottom > below(e)).map(e => e.textContent),
        ticks_on_title: all(".tick.y").filter(e => e.getBoundingClientRect().top < above(e)).map(e => e.textContent),
        outside: all("body *").filter(e => !e.closest(".wide") && !e.closest("svg") && outside(e)).slice(0, 5).map(e => e.className),
        requests: performance.getEntriesByType("resource").map(e => e.name) });
      document.body.append(found);
    });
  </script>)";

  void SetUp() override
  {
    ReportTest::SetUp();
    for (std::string const name : {"chromium", "chromium-browser", "google-chrome"})
      if (std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0) browser_ = name;
    if (browser_.empty()) GTEST_SKIP() << "there is no Chromium here";
  }

  // What was found; nothing when the browser did not come to an end.
  Json look_at(const std::string& page) const
  {
    std::string html = contents(file(page));
    write("looked.html", html.insert(html.find("<meta"), look_around));
    std::string const dump = (root_ / "dump.html").string(), start = "<pre id=\"found\">";
    std::string const command = browser_ +
                                " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
                                " --disable-background-networking --disable-component-update --disable-sync"
                                " --user-data-dir=" +
                                (root_ / "profile").string() + " --dump-dom file://" + file("looked.html").string() +
                                " >" + dump + " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::string const text = contents(dump);
    auto const from = text.find(start);
    if (from == std::string::npos) return {};
    auto const length = text.find("</pre>", from) - from - start.size();
    return Json::parse(text.substr(from + start.size(), length), nullptr, false);
  }

  void expect_sound(const std::string& page, int plots) const
  {
    auto const found = look_at(page);
    SCOPED_TRACE(page + ": " + found.dump(1));
    ASSERT_TRUE(found.is_object());
    EXPECT_EQ(found["errors"], Json::array());
    EXPECT_EQ(found["requests"], Json::array());
    EXPECT_EQ(found["outside"], Json::array());
    EXPECT_EQ(found["plots"], plots);
    EXPECT_EQ(found["small_tips"], 0);
    EXPECT_EQ(found["cut_tips"], Json::array());
    EXPECT_EQ(found["ticks_on_unit"], Json::array());
    EXPECT_EQ(found["ticks_on_title"], Json::array());
  }

  std::string browser_;
};

TEST_F(BrowserTest, PagesFitAPhoneAndNeedNoNetwork)
{
  done({"graph500", "8", "--json", "a.json", "-q"});
  done({"bfs", "path:900", "--source", "0", "--html", "long.html", "-q"});  // its trace is not summarised
  done({"graph500", "8", "--roots", "2", "--devices", "2", "--json", "b.json", "-q"});
  done({"bench", "path:20", "--presets", "auto,ring", "--devices", "1,2", "--rounds", "1", "--json", "c.json", "-q"});
  done({"report", "a.json", "b.json", "c.json", "-o", "all.html"});
  done({"bench", "--paper", "grid", "--scale", "8", "--roots", "1", "--rounds", "1", "--html", "paper.html", "-q"});
  // A tick at the very top of the roofline: 100 MTEPS, where the axis ends just above.
  done({"bfs", "path:9", "--source", "0", "--json", "d.json", "-q"});
  auto high = Json::parse(contents(file("d.json")));
  high["searches"][0]["teps"] = 6.67e7;
  high["host"]["memory_bandwidth"] = 1e6;
  write("d.json", high.dump());
  done({"report", "d.json", "-o", "high.html"});
  expect_sound("high.html", 4);
  expect_sound("paper.html", 2);
  expect_sound("long.html", 4);
  expect_sound("all.html", 12);  // a comparison, strong scaling, and those of each
}

}  // namespace

}  // namespace brushfire::testing
