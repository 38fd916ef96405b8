// A value in a JSON document that somebody else may have written, and where it stands, so that whatever is wrong with
// it can be named: "runs.json: searches[3].seconds: is not a number". null counts as not there.
#pragma once

#include "base/error.hpp"
#include "report/json_document.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace brushfire {

class JsonPlace {
 public:
  JsonPlace(const Json& json, std::string file) : json_(&json), file_(std::move(file)) {}

  bool is_object() const { return json_->is_object(); }

  std::optional<JsonPlace> find(const std::string& key) const
  {
    if (!json_->is_object()) refuse("is not an object");
    auto const found = json_->find(key);
    if (found == json_->end() || found->is_null()) return std::nullopt;
    return JsonPlace(*found, file_, where_.empty() ? key : where_ + "." + key);
  }
  JsonPlace at(const std::string& key) const
  {
    auto const found = find(key);
    if (!found) refuse("has no " + key);
    return *found;
  }

  template <typename T>
  T as() const
  {
    if constexpr (std::same_as<T, bool>) {
      if (!json_->is_boolean()) refuse("is neither true nor false");
      return json_->get<bool>();
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json_->is_string()) refuse("is not a text");
      return json_->get<std::string>();
    } else if constexpr (std::floating_point<T>) {
      if (!json_->is_number() || !(json_->get<T>() >= 0)) refuse("is not a number from 0 on");
      return json_->get<T>();
    } else {
      if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<T>::max()})
        refuse("is not a whole number from 0 on");
      return json_->get<T>();
    }
  }

  template <typename T>
  std::optional<T> maybe(const std::string& key) const
  {
    auto const found = find(key);
    return found ? std::optional<T>(found->template as<T>()) : std::nullopt;
  }
  // Leaves `into` alone where there is nothing.
  template <typename T>
  void read(const std::string& key, T& into) const
  {
    if (auto const found = find(key)) into = found->template as<T>();
  }
  // Of the array that is there; none when there is none.
  std::vector<JsonPlace> items(const std::string& key) const
  {
    std::vector<JsonPlace> places;
    auto const array = find(key);
    if (!array) return places;
    if (!array->json_->is_array()) array->refuse("is not a list");
    for (std::size_t i = 0; i < array->json_->size(); ++i)
      places.push_back(JsonPlace((*array->json_)[i], file_, fmt::format("{}[{}]", array->where_, i)));
    return places;
  }

  std::vector<std::string> keys() const  // of an object
  {
    if (!json_->is_object()) refuse("is not an object");
    std::vector<std::string> keys;
    for (auto const& [key, value] : json_->items()) keys.push_back(key);
    return keys;
  }

  [[noreturn]] void refuse(const std::string& why) const
  {
    fail(ErrorKind::input, "{}: {}{}; name a result that --json wrote", file_, where_.empty() ? "" : where_ + ": ",
         why);
  }

 private:
  JsonPlace(const Json& json, std::string file, std::string where)
      : json_(&json), file_(std::move(file)), where_(std::move(where))
  {
  }

  const Json* json_;
  std::string file_;
  std::string where_;  // in the document; empty: all of it
};

}  // namespace brushfire
