// A log of finished searches that survives the program: one JSON object a line, the first one telling what the run was
// asked to do and how long its preparation took. A last line that was cut off by a crash is dropped.
#pragma once

#include <brushfire/report.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brushfire {

struct SearchLogStart {
  std::map<std::string, std::string> settings;  // must be equal for a run to be continued
  GraphReport graph;
  ConfigReport config;
  std::vector<Label> roots;
};

class SearchLog {
 public:
  // Gives every rank of a job what the first one read: a log that grows meanwhile would differ.
  using Share = std::function<std::string(const std::string&)>;

  // Without a path the log lives in memory only. With one it reads what is there, and changes nothing yet. Throws
  // Error(usage) when that belongs to a run with other settings, Error(input) when it is no such log. Where outputs are
  // discarded the file is not touched.
  SearchLog(std::optional<std::filesystem::path> path, const std::map<std::string, std::string>& settings,
            const Share& share = {});

  bool started() const { return !start_.roots.empty(); }
  bool complete() const { return started() && finished_.size() == start_.roots.size(); }
  const SearchLogStart& start() const { return start_; }
  const std::vector<SearchReport>& finished() const { return finished_; }  // in the order of the roots

  void begin(const SearchLogStart& start);
  void append(const SearchReport& search);

 private:
  std::string contents();
  void read(const std::string& text);
  void append_line(const std::string& line);

  // The open log, locked: two runs that write one log would ruin it.
  class LockedFile {
   public:
    LockedFile() = default;
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;
    ~LockedFile();
    void open(const std::filesystem::path& path, bool fresh);
    int descriptor() const { return descriptor_; }

   private:
    int descriptor_ = -1;
  };

  std::optional<std::filesystem::path> path_;
  LockedFile file_;
  std::uint64_t whole_bytes_ = 0;  // of the file, up to the end of its last complete line
  SearchLogStart start_;
  std::vector<SearchReport> finished_;
};

}  // namespace brushfire
