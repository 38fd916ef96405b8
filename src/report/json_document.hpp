// What every JSON document of the schema "brushfire/1" begins with, and how it is written.
#pragma once

#include <brushfire/report.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace brushfire {

using Json = nlohmann::ordered_json;

Json json_document(const std::string& command);
Json host_json(const HostReport& host);
Json graph_json(const GraphReport& graph);
// Names that are not UTF-8 are repaired, not refused.
std::string text_of(const Json& json);

}  // namespace brushfire
