#include <cmath>

#include <nlohmann/json.hpp>

#include "jade/base/error.h"
#include "jade/model/scene_fields.h"
#include "jade/model/scene_json.h"

namespace jade {
namespace {

using Json = nlohmann::ordered_json;

/// JSON's own equality takes −0 for 0.
bool same_text(const Json& a, const Json& b) { return a == b && a.dump() == b.dump(); }

/// Turns every part of a scene into JSON.
struct Writer {
  static Json write(double x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    return x;
  }
  static Json write(bool x) { return x; }
  static Json write(int x) { return x; }
  static Json write(std::uint32_t x) { return x; }
  static Json write(const std::string& x) { return x; }
  static Json write(const Vec3& x) { return write(std::array{x[0], x[1], x[2]}); }
  static Json write(const Quat& x) { return write(std::array{x.w(), x.x(), x.y(), x.z()}); }
  static Json write(const Mat3& x) { return write(std::array<Vec3, 3>{x.row(0), x.row(1), x.row(2)}); }

  template <class E>
  requires std::is_enum_v<E>
  static Json write(E x) { return enum_names(x)[static_cast<std::size_t>(x)]; }
  template <class T>
  static Json write(const std::optional<T>& x) {
    return x ? write(*x) : Json();
  }
  template <class T>
  static Json write(const std::vector<T>& x) {
    return write_list(x);
  }
  template <class T, std::size_t n>
  static Json write(const std::array<T, n>& x) {
    return write_list(x);
  }
  static Json write(const Shape& shape) {
    const auto with_kind = [&](const auto& s) {
      return write_fields(s, Json::object({{"kind", name_of(shape)}}));
    };
    return std::visit(with_kind, shape);
  }
  template <class T>
  requires std::is_class_v<T>
  static Json write(const T& part) { return write_fields(part, Json::object()); }

  /// Adds those fields that are required or differ from their defaults.
  template <class T>
  static Json write_fields(const T& part, Json object) {
    Json defaults;
    const auto collect = [&](const char* key, const auto& member, Need) { defaults[key] = write(member); };
    each_field(collect, static_cast<const T&>(T{}));
    const auto add = [&](const char* key, const auto& member, Need need) {
      Json value = write(member);
      if (need == Need::required || !same_text(value, defaults[key])) object[key] = std::move(value);
    };
    each_field(add, part);
    return object;
  }

 private:
  static Json write_list(const auto& list) {
    Json array = Json::array();
    for (const auto& item : list) array.push_back(write(item));
    return array;
  }
};

/// The value on one line, with a blank behind each comma and colon outside of strings.
std::string one_line(const Json& value) {
  const std::string dense = value.dump();
  std::string line;
  bool quoted = false;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const char c = dense[i];
    line += c;
    if (c == '\\') line += dense[++i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ',' || c == ':')) line += ' ';
  }
  return line;
}

/// Indented, with everything that fits on a line on one line: a vector is read at a glance.
void print(const Json& value, std::size_t indent, std::string& out) {
  constexpr std::size_t kWidth = 110;
  // Each item takes two characters at least, so long lists are not even tried.
  if (!value.is_structured() || value.size() <= kWidth / 2) {
    const std::string line = one_line(value);
    if (!value.is_structured() || indent + line.size() <= kWidth) {
      out += line;
      return;
    }
  }
  const std::string margin(indent + 2, ' ');
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, item] : value.items()) {
    out += separator + margin;
    if (value.is_object()) out += Json(key).dump() + ": ";
    print(item, indent + 2, out);
    separator = ",\n";
  }
  out += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string scene_to_json(const SceneDescription& scene) {
  std::string text;
  try {
    print(Writer::write_fields(scene, Json::object({{"schema", kSceneSchema}})), 0, text);
  } catch (const Json::type_error& error) {
    throw InvalidInput("scene \"" + scene.name + "\"",
                       {{"a name", error.what(), "JSON is UTF-8: use UTF-8 in every name"}});
  }
  return text + '\n';
}

}  // namespace jade
