// Components, diameters and closeness as JSON, schema "brushfire/1".
#include "report/json_document.hpp"

#include <brushfire/applications.hpp>

namespace brushfire {

namespace {

Json begin(const std::string& command, const HostReport& host, const GraphReport& graph)
{
  Json json = json_document(command);
  json["host"] = host_json(host);
  json["graph"] = graph_json(graph);
  return json;
}

Json component_json(const Component& component) { return {{"name", component.name}, {"vertices", component.vertices}}; }

}  // namespace

std::vector<ComponentSizes> sizes_of(std::span<const Component> components)
{
  std::vector<ComponentSizes> sizes;
  for (const Component& component : components) {
    if (sizes.empty() || sizes.back().vertices != component.vertices) sizes.push_back({component.vertices, 0});
    ++sizes.back().components;
  }
  return sizes;
}

std::string components_to_json(const HostReport& host, const GraphReport& graph, const Components& components)
{
  Json json = begin("components", host, graph);
  auto const& all = components.components;
  json["components"] = {{"count", all.size()},
                        {"largest", all.empty() ? Json(nullptr) : component_json(all.front())},
                        {"sizes", Json::array()}};
  for (auto const& size : sizes_of(all))
    json["components"]["sizes"].push_back({{"vertices", size.vertices}, {"components", size.components}});
  return text_of(json);
}

std::string diameter_to_json(const HostReport& host, const GraphReport& graph, const DiameterBounds& bounds)
{
  Json json = begin("diameter", host, graph);
  json["diameter"] = {{"component", component_json(bounds.component)},
                      {"lower", bounds.lower},
                      {"upper", bounds.upper},
                      {"exact", bounds.exact()},
                      {"from", bounds.from},
                      {"to", bounds.to},
                      {"searches", bounds.searches}};
  return text_of(json);
}

std::string closeness_to_json(const HostReport& host, const GraphReport& graph, std::span<const Closeness> sample)
{
  Json json = begin("closeness", host, graph);
  json["closeness"] = Json::array();
  for (const Closeness& vertex : sample)
    json["closeness"].push_back({{"vertex", vertex.vertex},
                                 {"reached", vertex.reached},
                                 {"depth", vertex.depth},
                                 {"closeness", vertex.closeness},
                                 {"harmonic", vertex.harmonic}});
  return text_of(json);
}

}  // namespace brushfire
