#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jade/base/error.h"
#include "jade/base/suggest.h"
#include "jade/model/scene_fields.h"
#include "jade/model/scene_json.h"

namespace jade {
namespace {

using Json = nlohmann::ordered_json;

/// What a person sees of a value that is not what was expected.
std::string brief(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Walks through a JSON value and a part of a scene side by side, fills the part and notes what does not fit.
class Reader {
 public:
  std::vector<Mistake> mistakes;

  void read(const Json& value, double& x) {
    if (value.is_number()) {
      x = value.get<double>();
    } else if (value == "inf" || value == "-inf") {
      x = (value == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
    } else if (value == "nan") {
      x = std::numeric_limits<double>::quiet_NaN();
    } else {
      expected("a number", value);
    }
  }
  void read(const Json& value, bool& x) {
    if (!value.is_boolean()) return expected("true or false", value);
    x = value.get<bool>();
  }
  void read(const Json& value, std::string& x) {
    if (!value.is_string()) return expected("a text in quotes", value);
    x = value.get<std::string>();
  }
  void read(const Json& value, int& x) { read_whole(value, x); }
  void read(const Json& value, std::uint32_t& x) { read_whole(value, x); }

  void read(const Json& value, Vec3& x) { read_entries(value, "[x, y, z]", {&x[0], &x[1], &x[2]}); }
  void read(const Json& value, Quat& x) {
    read_entries(value, "[w, x, y, z]", {&x.w(), &x.x(), &x.y(), &x.z()});
  }
  void read(const Json& value, Mat3& x) {
    const auto is_row = [](const Json& row) { return row.is_array() && row.size() == 3; };
    if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), is_row))
      return expected("three rows such as [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", value);
    std::array<Vec3, 3> rows{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    read_items(value, rows);
    for (int i = 0; i < 3; ++i) x.row(i) = rows[static_cast<std::size_t>(i)];
  }

  template <class E>
  requires std::is_enum_v<E>
  void read(const Json& value, E& x) {
    if (const auto index = read_choice(value, enum_names(x))) x = static_cast<E>(*index);
  }

  template <class T>
  void read(const Json& value, std::optional<T>& x) {
    read(value, x.emplace());
  }

  template <class T>
  void read(const Json& value, std::vector<T>& x) {
    if (!value.is_array()) return expected("a list", value);
    x.assign(value.size(), T{});
    read_items(value, x);
  }

  template <class T, std::size_t n>
  void read(const Json& value, std::array<T, n>& x) {
    if (!value.is_array() || value.size() != n) return expected(fmt::format("a list of {}", n), value);
    read_items(value, x);
  }

  void read(const Json& value, Shape& x) {
    if (!value.is_object()) return expected("an object", value);
    const auto kind = value.find("kind");
    if (kind == value.end()) return missing("kind");
    std::optional<std::size_t> index;
    within(" / kind", [&] { index = read_choice(*kind, kShapeNames); });
    if (index) read_alternative(value, x, *index);
  }

  template <class T>
  requires std::is_class_v<T>
  void read(const Json& value, T& part) { read_object(value, part, ""); }

  /// An object whose keys are the fields of `part`, and `tag`, which the caller has read.
  template <class T>
  void read_object(const Json& value, T& part, std::string_view tag) {
    if (!value.is_object()) return expected("an object", value);
    std::vector<std::string> known;
    if (!tag.empty()) known.emplace_back(tag);
    const auto field = [&](const char* key, auto& member, Need need) {
      known.emplace_back(key);
      const auto found = value.find(key);
      if (found != value.end()) within(fmt::format(" / {}", key), [&] { read(*found, member); });
      if (found == value.end() && need == Need::required) missing(key);
    };
    each_field(field, part);
    for (const auto& [key, ignored] : value.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        note(fmt::format("has an unknown key \"{}\"", key), suggest(key, known));
  }

  void note(std::string problem, std::string remedy) {
    std::string place = place_;
    if (place.starts_with(" / ")) place.erase(0, 3);
    mistakes.push_back({place.empty() ? "top level" : place, std::move(problem), std::move(remedy)});
  }

 private:
  template <class Action>
  void within(const std::string& step, Action&& action) {
    const std::size_t before = place_.size();
    place_ += step;
    action();
    place_.resize(before);
  }

  template <class List>
  void read_items(const Json& value, List& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::string step = fmt::format("[{}]", i);
      if (value[i].is_object() && value[i].contains("name")) step += ' ' + brief(value[i]["name"]);
      within(step, [&] { read(value[i], list[i]); });
    }
  }

  void read_entries(const Json& value, std::string_view pattern, std::initializer_list<double*> entries) {
    if (!value.is_array() || value.size() != entries.size())
      return expected(fmt::format("{} numbers {}", entries.size(), pattern), value);
    std::size_t i = 0;
    for (double* entry : entries) {
      within(fmt::format("[{}]", i), [&] { read(value[i], *entry); });
      ++i;
    }
  }

  template <class Int>
  void read_whole(const Json& value, Int& x) {
    using Limits = std::numeric_limits<Int>;
    // Through int64 after looking at unsigned: JSON integers reach past both.
    const bool small =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{Limits::max()});
    if (!small || value.get<std::int64_t>() < std::int64_t{Limits::min()})
      return expected(
          fmt::format("a whole number from {} to {}", std::max(0, int(Limits::min())), Limits::max()), value);
    x = value.get<Int>();
  }

  template <std::size_t n>
  std::optional<std::size_t> read_choice(const Json& value, const std::array<std::string_view, n>& choices) {
    const std::vector<std::string> names(choices.begin(), choices.end());
    if (!value.is_string()) {
      expected(fmt::format("one of \"{}\"", fmt::join(names, "\", \"")), value);
      return std::nullopt;
    }
    const auto found = std::find(names.begin(), names.end(), value.get_ref<const std::string&>());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    note(fmt::format("is {}, which is not known", brief(value)), suggest(value.get<std::string>(), names));
    return std::nullopt;
  }

  template <std::size_t i = 0>
  void read_alternative(const Json& value, Shape& x, std::size_t index) {
    if constexpr (i < std::variant_size_v<Shape>) {
      if (i == index) return read_object(value, x.emplace<i>(), "kind");
      read_alternative<i + 1>(value, x, index);
    }
  }

  void expected(std::string_view what, const Json& value) {
    note(fmt::format("is {}", brief(value)), fmt::format("give {}", what));
  }
  void missing(std::string_view key) {
    note(fmt::format("lacks the key \"{}\"", key), fmt::format("add \"{}\"", key));
  }

  std::string place_;
};

/// Parses, and notes keys that an object holds twice: the last would win unseen.
Json parse(std::string_view text, const std::string& subject) {
  std::vector<Mistake> repeated;
  std::vector<std::set<std::string>> seen;  // keys of the objects that are open
  std::vector<std::string> path;            // the key each of them is at
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      seen.emplace_back();
      path.emplace_back();
    } else if (event == Json::parse_event_t::key) {
      path.back() = parsed.get<std::string>();
      if (!seen.back().insert(path.back()).second)
        repeated.push_back({fmt::format("{}", fmt::join(path, " / ")), "is given twice", "keep one of them"});
    } else if (event == Json::parse_event_t::object_end) {
      seen.pop_back();
      path.pop_back();
    }
    return true;
  };
  Json value;
  try {
    value = Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    const auto before =
        text.substr(0, std::min(text.size(), std::size_t(error.byte > 0 ? error.byte - 1 : 0)));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;
    throw InvalidInput(subject, {{fmt::format("line {}, column {}", line, column), "is not JSON from here on",
                                  "look for a missing comma, quote or bracket here or just before"}});
  } catch (const Json::exception& error) {
    // Its own words are "[json.exception.out_of_range.406] number overflow parsing '1e999'".
    const std::string words = error.what();
    throw InvalidInput(subject, {{"number " + words.substr(std::min(words.find('\''), words.size())),
                                  "does not fit into a double", "give a smaller one"}});
  }
  if (!repeated.empty()) throw InvalidInput(subject, repeated);
  return value;
}

}  // namespace

SceneDescription scene_from_json(std::string_view text, const std::string& subject) {
  const Json value = parse(text, subject);
  Reader reader;
  SceneDescription scene;
  if (value.is_object() && value.value("schema", Json()) != kSceneSchema) {
    // Another schema may mean anything by its keys, so nothing else is said about it.
    const auto schema = value.find("schema");
    reader.note(
        schema == value.end() ? "lacks the key \"schema\"" : fmt::format("has the schema {}", brief(*schema)),
        fmt::format("this version reads \"schema\": {}", kSceneSchema));
  } else {
    reader.read_object(value, scene, "schema");
  }
  if (!reader.mistakes.empty()) throw InvalidInput(subject, reader.mistakes);
  return scene;
}

}  // namespace jade
