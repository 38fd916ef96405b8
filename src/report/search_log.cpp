#include "report/search_log.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"

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

template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value)
{
  if (value) json[key] = *value;
}

template <typename T>
std::optional<T> optional_at(const Json& json, const char* key)
{
  return json.contains(key) ? std::optional(json.at(key).get<T>()) : std::nullopt;
}

// An enumerator that was stored as its number.
template <typename Choice>
std::optional<Choice> choice_at(const Json& json, const char* key, Choice last)
{
  auto const number = optional_at<unsigned>(json, key);
  if (!number) return std::nullopt;
  if (*number > static_cast<unsigned>(last)) throw std::runtime_error("no such choice");
  return static_cast<Choice>(*number);
}

Json to_object(const LevelRecord& record)
{
  Json directions = Json::array();
  for (Direction const direction : record.directions) directions.push_back(direction == Direction::pull);
  Json json = {{"level", record.level},
               {"levels", record.levels},
               {"pull", directions},
               {"frontier", record.frontier},
               {"checked", record.edges_checked},
               {"discovered", record.discovered},
               {"seconds", record.seconds},
               {"bytes", record.bytes_sent},
               {"messages", record.messages},
               {"messages_parents", record.messages_parents},
               {"masks", record.bytes_masks},
               {"vertices", record.bytes_vertices},
               {"parents", record.bytes_parents},
               {"exchange", record.exchange_seconds},
               {"waited", record.waited_seconds}};
  put(json, "queue", record.queue);
  put(json, "balance", record.balance);
  put(json, "async_pull", record.async_pull);
  return json;
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
  record.messages_parents = json.at("messages_parents");
  record.bytes_masks = json.at("masks");
  record.bytes_vertices = json.at("vertices");
  record.bytes_parents = json.at("parents");
  record.exchange_seconds = json.at("exchange");
  record.waited_seconds = json.at("waited");
  record.queue = choice_at(json, "queue", FrontierQueue::none);
  record.balance = choice_at(json, "balance", PullBalance::donate);
  record.async_pull = optional_at<bool>(json, "async_pull");
  return record;
}

Json to_object(const SearchReport& search)
{
  Json json = {{"root", search.root}, {"seconds", search.seconds}, {"nedge", search.nedge},
               {"teps", search.teps}, {"reached", search.reached}, {"depth", search.depth}};
  put(json, "valid", search.valid);
  put(json, "validate_seconds", search.validate_seconds);
  put(json, "seconds_to_host", search.seconds_to_host);
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
  search.valid = optional_at<bool>(json, "valid");
  search.validate_seconds = optional_at<double>(json, "validate_seconds");
  search.seconds_to_host = optional_at<double>(json, "seconds_to_host");
  search.violation = json.at("violation");
  for (auto const& record : json.at("trace")) search.trace.push_back(level_from(record));
  return search;
}

Json to_object(const ConfigReport& config)
{
  Json json = {{"device", config.device},
               {"threads", config.threads},
               {"preset", config.preset},
               {"partition", config.partition},
               {"delegates", config.delegates},
               {"direction", config.direction},
               {"deterministic", config.deterministic},
               {"parent_bits", config.parent_bits},
               {"queue", config.queue},
               {"balance", config.balance},
               {"ranks", config.ranks},
               {"devices", config.devices},
               {"choice", config.choice},
               {"exchange", config.exchange},
               {"entries_nn", config.entries_nn},
               {"subgraph_bytes", config.subgraph_bytes},
               {"subgraph_bytes_model", config.subgraph_bytes_model},
               {"uniquify", config.uniquify},
               {"local_all2all", config.local_all2all},
               {"reduce", config.reduce},
               {"transport", config.transport}};
  put(json, "threshold", config.threshold);
  put(json, "async_pull", config.async_pull);
  put(json, "fanout", config.fanout);
  if (config.grid) json["grid"] = {config.grid->rows, config.grid->columns};
  return json;
}

ConfigReport config_from(const Json& json)
{
  ConfigReport config;
  config.device = json.at("device");
  config.threads = json.at("threads");
  config.preset = json.at("preset");
  config.partition = json.at("partition");
  config.threshold = optional_at<std::uint64_t>(json, "threshold");
  config.delegates = json.at("delegates");
  config.direction = json.at("direction");
  config.deterministic = json.at("deterministic");
  config.parent_bits = json.at("parent_bits");
  config.queue = json.at("queue");
  config.balance = json.at("balance");
  config.async_pull = optional_at<bool>(json, "async_pull");
  config.ranks = json.at("ranks");
  config.devices = json.at("devices");
  config.choice = json.at("choice");
  config.exchange = json.at("exchange");
  config.fanout = optional_at<int>(json, "fanout");
  if (json.contains("grid")) config.grid = GridShape{json.at("grid").at(0), json.at("grid").at(1)};
  config.entries_nn = json.at("entries_nn");
  config.subgraph_bytes = json.at("subgraph_bytes");
  config.subgraph_bytes_model = json.at("subgraph_bytes_model");
  config.uniquify = json.at("uniquify");
  config.local_all2all = json.at("local_all2all");
  config.reduce = json.at("reduce");
  config.transport = json.at("transport");
  return config;
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
          {"config", to_object(start.config)}};
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
  start.config = config_from(json.at("config"));
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

SearchLog::SearchLog(std::optional<std::filesystem::path> path, const std::map<std::string, std::string>& settings,
                     const Share& share)
    : path_(std::move(path))
{
  if (!path_) return;
  std::string const text = share ? share(contents()) : contents();
  try {
    read(text);
  } catch (const std::exception&) {
    fail(ErrorKind::input, "{}: is not a log of searches; name a new file or one that --resume wrote", path_->string());
  }
  if (started() && start_.settings != settings)
    fail(ErrorKind::usage, "{}: was written with other settings ({}); use the same ones or a new file", path_->string(),
         settings_line(start_.settings));
}

// Of the file, which is locked from here on; nothing when there is none.
std::string SearchLog::contents()
{
  std::error_code error;
  if (outputs_are_discarded() || !std::filesystem::exists(*path_, error)) return {};
  // It is read back: a device would never end, or have forgotten.
  if (!std::filesystem::is_regular_file(*path_, error))
    fail(ErrorKind::failure, "{}: is not an ordinary file", path_->string());
  file_.open(*path_, false);
  std::ifstream file(*path_, std::ios::binary);
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
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
  if (!path_ || outputs_are_discarded()) return;
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
  if (!written) {
    int const error = errno;
    if (whole_bytes_ == 0) unlink(path_->c_str());  // an empty file is no log to go on with
    fail(ErrorKind::failure, "{}: cannot be written: {}", path_->string(), std::strerror(error));
  }
  whole_bytes_ += text.size();
}

}  // namespace brushfire
