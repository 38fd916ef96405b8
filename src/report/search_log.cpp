#include "report/search_log.hpp"

#include "base/error.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace brushfire {

namespace {

using Json = nlohmann::json;

constexpr const char* schema = "brushfire-searches/1";

Json to_object(const LevelRecord& record)
{
  Json directions = Json::array();
  for (Direction const direction : record.directions) directions.push_back(direction == Direction::pull);
  return {{"level", record.level},       {"levels", record.levels},         {"pull", directions},
          {"frontier", record.frontier}, {"checked", record.edges_checked}, {"discovered", record.discovered},
          {"seconds", record.seconds},   {"bytes", record.bytes_sent},      {"messages", record.messages}};
}

LevelRecord level_from(const Json& json)
{
  LevelRecord record;
  record.level = json.at("level");
  record.levels = json.at("levels");
  for (std::size_t i = 0; i < subgraph_count; ++i)
    record.directions[i] = json.at("pull").at(i).get<bool>() ? Direction::pull : Direction::push;
  record.frontier = json.at("frontier");
  record.edges_checked = json.at("checked");
  record.discovered = json.at("discovered");
  record.seconds = json.at("seconds");
  record.bytes_sent = json.at("bytes");
  record.messages = json.at("messages");
  return record;
}

Json to_object(const SearchReport& search)
{
  Json json = {{"root", search.root}, {"seconds", search.seconds}, {"nedge", search.nedge},
               {"teps", search.teps}, {"reached", search.reached}, {"depth", search.depth}};
  if (search.valid) json["valid"] = *search.valid;
  if (search.validate_seconds) json["validate_seconds"] = *search.validate_seconds;
  json["violation"] = search.violation;
  json["trace"] = Json::array();
  for (auto const& record : search.trace) json["trace"].push_back(to_object(record));
  return json;
}

SearchReport search_from(const Json& json)
{
  SearchReport search;
  search.root = json.at("root");
  search.seconds = json.at("seconds");
  search.nedge = json.at("nedge");
  search.teps = json.at("teps");
  search.reached = json.at("reached");
  search.depth = json.at("depth");
  if (json.contains("valid")) search.valid = json.at("valid").get<bool>();
  if (json.contains("validate_seconds")) search.validate_seconds = json.at("validate_seconds").get<double>();
  search.violation = json.at("violation");
  for (auto const& record : json.at("trace")) search.trace.push_back(level_from(record));
  return search;
}

Json to_object(const SearchLogStart& start)
{
  return {{"schema", schema},
          {"settings", start.settings},
          {"roots", start.roots},
          {"graph",
           {{"name", start.graph.name},
            {"vertices", start.graph.vertices},
            {"edges_input", start.graph.edges_input},
            {"edges_stored", start.graph.edges_stored},
            {"bytes", start.graph.bytes},
            {"generation_seconds", start.graph.generation_seconds},
            {"construction_seconds", start.graph.construction_seconds}}},
          {"config",
           {{"threads", start.config.threads},
            {"partition", start.config.partition},
            {"threshold", start.config.threshold.value_or(0)},
            {"delegates", start.config.delegates},
            {"direction", start.config.direction},
            {"deterministic", start.config.deterministic},
            {"parent_bits", start.config.parent_bits}}}};
}

SearchLogStart start_from(const Json& json)
{
  SearchLogStart start;
  start.settings = json.at("settings").get<std::map<std::string, std::string>>();
  start.roots = json.at("roots").get<std::vector<Label>>();
  auto const& graph = json.at("graph");
  start.graph.name = graph.at("name");
  start.graph.vertices = graph.at("vertices");
  start.graph.edges_input = graph.at("edges_input");
  start.graph.edges_stored = graph.at("edges_stored");
  start.graph.bytes = graph.at("bytes");
  start.graph.generation_seconds = graph.at("generation_seconds");
  start.graph.construction_seconds = graph.at("construction_seconds");
  auto const& config = json.at("config");
  start.config.threads = config.at("threads");
  start.config.partition = config.at("partition");
  start.config.delegates = config.at("delegates");
  if (start.config.delegates > 0) start.config.threshold = config.at("threshold").get<std::uint64_t>();
  start.config.direction = config.at("direction");
  start.config.deterministic = config.at("deterministic");
  start.config.parent_bits = config.at("parent_bits");
  return start;
}

std::string settings_line(const std::map<std::string, std::string>& settings)
{
  std::string line;
  for (auto const& [key, value] : settings) line += (line.empty() ? "" : ", ") + key + " " + value;
  return line;
}

}  // namespace

// `fresh`: it was not there a moment ago, and must not be there now.
void SearchLog::LockedFile::open(const std::filesystem::path& path, bool fresh)
{
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (fresh ? O_CREAT | O_EXCL : 0), 0666);
  if (descriptor_ < 0 && errno != EEXIST)
    fail(ErrorKind::failure, "{}: cannot be written: {}", path.string(), std::strerror(errno));
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
    fail(ErrorKind::failure, "{}: another run is writing it; wait for that one or name another file", path.string());
}

SearchLog::LockedFile::~LockedFile()
{
  if (descriptor_ >= 0) close(descriptor_);
}

SearchLog::SearchLog(std::optional<std::filesystem::path> path, const std::map<std::string, std::string>& settings)
    : path_(std::move(path))
{
  std::error_code error;
  if (!path_ || !std::filesystem::exists(*path_, error)) return;
  // It is read back: a device would never end, or have forgotten.
  if (!std::filesystem::is_regular_file(*path_, error))
    fail(ErrorKind::failure, "{}: is not an ordinary file", path_->string());
  file_.open(*path_, false);
  std::ifstream file(*path_, std::ios::binary);
  std::stringstream contents;
  contents << file.rdbuf();
  try {
    read(contents.str());
  } catch (const std::exception&) {
    fail(ErrorKind::input, "{}: is not a log of searches; name a new file or one that --resume wrote", path_->string());
  }
  if (started() && start_.settings != settings)
    fail(ErrorKind::usage, "{}: was written with other settings ({}); use the same ones or a new file", path_->string(),
         settings_line(start_.settings));
}

// Throws anything at all when the text is no log.
void SearchLog::read(const std::string& text)
{
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    bool const torn = lines.eof();  // a crash cut it off; it must at least have been one of ours
    if (torn && !line.starts_with("{\"")) throw std::runtime_error("not a line of a log");
    if (torn) break;
    Json const json = Json::parse(line);
    if (!started()) {
      if (json.at("schema") != schema) throw std::runtime_error("another schema");
      start_ = start_from(json);
      if (!started()) throw std::runtime_error("no roots");
    } else {
      finished_.push_back(search_from(json));
      if (finished_.back().root != start_.roots.at(finished_.size() - 1)) throw std::runtime_error("another root");
    }
    whole_bytes_ += line.size() + 1;
  }
}

void SearchLog::begin(const SearchLogStart& start)
{
  append_line(to_object(start).dump());
  start_ = start;
}

void SearchLog::append(const SearchReport& search)
{
  append_line(to_object(search).dump());
  finished_.push_back(search);
}

void SearchLog::append_line(const std::string& line)
{
  if (!path_) return;
  if (file_.descriptor() < 0) file_.open(*path_, true);
  int const file = file_.descriptor();
  std::string const text = line + "\n";
  // Written behind the last whole line: what a crash left of the next one goes.
  bool written = ftruncate(file, static_cast<off_t>(whole_bytes_)) == 0;
  for (std::size_t done = 0; written && done < text.size();) {
    ssize_t const now = pwrite(file, text.data() + done, text.size() - done, static_cast<off_t>(whole_bytes_ + done));
    if (now < 0 && errno == EINTR) continue;
    written = now >= 0;
    if (written) done += static_cast<std::size_t>(now);
  }
  if (!written) fail(ErrorKind::failure, "{}: cannot be written: {}", path_->string(), std::strerror(errno));
  whole_bytes_ += text.size();
}

}  // namespace brushfire
