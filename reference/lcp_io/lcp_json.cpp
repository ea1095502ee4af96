#include "lcp_io/lcp_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace jade::reference {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json parsed(std::string_view text, std::string_view source) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<long>(std::min<std::size_t>(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    throw InvalidInput(std::string(source),
                       {{fmt::format("line {}, byte {}", line, error.byte), "is not JSON",
                         "give one JSON object, numbers without NaN or infinity"}});
  } catch (const Json::exception& error) {
    throw InvalidInput(std::string(source), {{"text", error.what(), "give numbers that fit a double"}});
  }
}

/// Reads members one by one and remembers every mistake.
class Reader {
 public:
  Reader(const Json& object, std::string_view source) : object_(object), source_(source) {}

  void mistake(std::string place, std::string problem, std::string remedy) {
    mistakes_.push_back({std::move(place), std::move(problem), std::move(remedy)});
  }
  void stop_at_mistakes() const {
    if (!mistakes_.empty()) throw InvalidInput(source_, mistakes_);
  }

  const Json* member(const char* name, bool required) {
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    if (required) mistake(name, "is missing", "give it; the format has it for this form");
    return nullptr;
  }

  double number(const Json& value, const std::string& place) {
    if (value.is_number()) return value.get<double>();
    const char* what = value.is_null() ? "null or NaN" : value.type_name();
    mistake(place, fmt::format("is {}, not a number", what), "give a finite number");
    return 0;
  }

  /// null and the words inf and -inf mean that there is no bound.
  double bound(const Json& value, const std::string& place, double none) {
    if (value.is_null() || value == "inf" || value == "-inf") return value == "-inf" ? -kInfinity : none;
    return number(value, place);
  }

  VecX vector(const char* name, bool required, double none_for_bounds = 0) {
    const Json* array = member(name, required);
    if (!array) return {};
    if (!array->is_array()) {
      mistake(name, fmt::format("is {}, not a list", array->type_name()), "give a list of numbers");
      return {};
    }
    VecX values(static_cast<long>(array->size()));
    for (long i = 0; i < values.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", name, i);
      const Json& value = (*array)[static_cast<std::size_t>(i)];
      values[i] = none_for_bounds != 0 ? bound(value, place, none_for_bounds) : number(value, place);
    }
    return values;
  }

  MatX matrix(const char* name) {
    const Json* array = member(name, true);
    if (!array) return {};
    if (!array->is_array()) {
      mistake(name, fmt::format("is {}, not a list", array->type_name()), "give a list of rows");
      return {};
    }
    const long n = static_cast<long>(array->size());
    MatX values = MatX::Zero(n, n);
    for (long i = 0; i < n; ++i) {
      const Json& row = (*array)[static_cast<std::size_t>(i)];
      if (!row.is_array() || static_cast<long>(row.size()) != n) {
        mistake(fmt::format("{}[{}]", name, i), "does not have one number a column",
                fmt::format("give a list of {} numbers: A is square", n));
        continue;
      }
      for (long j = 0; j < n; ++j) {
        values(i, j) = number(row[static_cast<std::size_t>(j)], fmt::format("{}[{}][{}]", name, i, j));
      }
    }
    return values;
  }

  std::vector<int> indices(const char* name) {
    std::vector<int> values;
    const Json* array = member(name, false);
    if (!array) return values;
    if (!array->is_array()) {
      mistake(name, "is not a list", "give a list of row numbers, −1 for none");
      return values;
    }
    for (const Json& value : *array) {
      values.push_back(integer(value, fmt::format("{}[{}]", name, values.size())));
    }
    return values;
  }

  int integer(const Json& value, const std::string& place) {
    const bool fits = value.is_number_integer() && value.get<double>() >= -1 && value.get<double>() < 1e9;
    if (fits) return value.get<int>();
    mistake(place, "is not a row number", "give a whole number, counted from 0");
    return -1;
  }

  std::vector<LcpRow> rows() {
    std::vector<LcpRow> rows;
    const Json* array = member("rows", true);
    if (!array) return rows;
    if (!array->is_array()) {
      mistake("rows", "is not a list", "give one object a row");
      return rows;
    }
    for (const Json& value : *array) rows.push_back(row(value, fmt::format("rows[{}]", rows.size())));
    return rows;
  }

  template <std::size_t n>
  void refuse_unknown(const Json& object, const std::string& place, const std::array<const char*, n>& known) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      std::string names;
      for (const char* name : known) names += fmt::format(" {}", name);
      mistake(place + key, "is not part of the format", fmt::format("remove it, or use one of:{}", names));
    }
  }

 private:
  LcpRow row(const Json& value, const std::string& place) {
    LcpRow row;
    if (!value.is_object()) {
      mistake(place, "is not an object",
              R"(give {"kind": "normal"} or {"kind": "tangent", "normal": i, "mu": x})");
      return row;
    }
    refuse_unknown(value, place + ".", std::array{"kind", "normal", "mu"});
    const std::string kind = value.contains("kind") && value["kind"].is_string() ? value["kind"] : Json("");
    if (kind == "tangent") {
      row.kind = RowKind::tangent;
      for (const char* name : {"normal", "mu"}) {
        if (!value.contains(name))
          mistake(place + "." + name, "is missing", "a tangent has a normal and a mu");
      }
      if (value.contains("normal")) row.normal = integer(value["normal"], place + ".normal");
      if (value.contains("mu")) row.mu = number(value["mu"], place + ".mu");
    } else if (kind == "limit") {
      row.kind = RowKind::limit;
    } else if (kind != "normal") {
      mistake(place + ".kind", "is missing or unknown", "give \"normal\", \"tangent\" or \"limit\"");
    }
    return row;
  }

  const Json& object_;
  std::string source_;
  std::vector<Mistake> mistakes_;
};

Json to_json(const VecX& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value);  // not finite becomes null
  return array;
}

const char* kind_name(RowKind kind) {
  switch (kind) {
    case RowKind::normal:
      return "normal";
    case RowKind::tangent:
      return "tangent";
    case RowKind::limit:
      return "limit";
  }
  return "normal";
}

/// Replaces nan, inf and infinity in any spelling and sign by null, outside of strings.
std::string without_nan(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    std::size_t end = i;
    if (!quoted) {
      if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
      const std::size_t word_begin = end;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      std::string word(text.substr(word_begin, end - word_begin));
      std::ranges::transform(word, word.begin(), [](unsigned char x) { return std::tolower(x); });
      if (word == "nan" || word == "inf" || word == "infinity") {
        out += "null";
        i = end;
        continue;
      }
    }
    out += c;
    ++i;
  }
  return out;
}

LcpProblem read_problem(const Json& json, std::string_view source) {
  Reader reader(json, source);
  if (!json.is_object()) {
    reader.mistake("text", fmt::format("is {}, not an object", json.type_name()), "give one JSON object");
    reader.stop_at_mistakes();
  }
  if (const Json* schema = reader.member("schema", true); schema && *schema != 1) {
    reader.mistake("schema", fmt::format("is {}", schema->dump()), "give 1, the only one there is");
  }
  LcpProblem problem;
  const Json* form = reader.member("form", true);
  problem.A = reader.matrix("A");
  problem.b = reader.vector("b", true);
  problem.beta = reader.vector("beta", false);
  if (form && *form == "contact") {
    reader.refuse_unknown(json, "", std::array{"schema", "form", "A", "b", "beta", "rows", "comment"});
    problem.form = LcpForm::contact;
    problem.rows = reader.rows();
  } else if (form && *form == "lcp") {
    reader.refuse_unknown(json, "", std::array{"schema", "form", "A", "b", "beta", "comment"});
    problem.form = LcpForm::plain;
  } else if (form && *form == "boxed") {
    reader.refuse_unknown(json, "",
                          std::array{"schema", "form", "A", "b", "beta", "lo", "hi", "findex", "comment"});
    problem.form = LcpForm::boxed;
    problem.lo = reader.vector("lo", true, -kInfinity);
    problem.hi = reader.vector("hi", true, kInfinity);
    problem.findex = reader.indices("findex");
    if (problem.findex.empty()) problem.findex.assign(static_cast<std::size_t>(problem.b.size()), -1);
  } else if (form) {
    reader.mistake("form", fmt::format("is {}", form->dump()), "give \"contact\", \"lcp\" or \"boxed\"");
  }
  reader.stop_at_mistakes();
  if (auto mistakes = check_problem(problem); !mistakes.empty()) {
    throw InvalidInput(std::string(source), std::move(mistakes));
  }
  return problem;
}

}  // namespace

LcpProblem parse_lcp_json(std::string_view text, std::string_view source) {
  // Where only NaN or infinity keeps a text from being JSON, the rows that hold them are named.
  if (!Json::accept(text)) {
    if (const std::string finite = without_nan(text); Json::accept(finite))
      read_problem(Json::parse(finite), source);
  }
  return read_problem(parsed(text, source), source);
}

std::string to_json_line(const LcpProblem& problem, std::string_view comment) {
  Json json;
  json["schema"] = 1;
  json["form"] = problem.form == LcpForm::contact ? "contact"
                 : problem.form == LcpForm::plain ? "lcp"
                                                  : "boxed";
  if (!comment.empty()) json["comment"] = comment;
  json["A"] = Json::array();
  for (int i = 0; i < problem.size(); ++i) json["A"].push_back(to_json(problem.A.row(i)));
  json["b"] = to_json(problem.b);
  if (problem.form == LcpForm::contact) {
    json["rows"] = Json::array();
    for (const LcpRow& row : problem.rows) {
      Json entry{{"kind", kind_name(row.kind)}};
      if (row.kind == RowKind::tangent) {
        entry["normal"] = row.normal;
        entry["mu"] = row.mu;
      }
      json["rows"].push_back(std::move(entry));
    }
  }
  if (problem.form == LcpForm::boxed) {
    json["lo"] = to_json(problem.lo);
    json["hi"] = to_json(problem.hi);
    json["findex"] = problem.findex;
  }
  if (problem.beta.size() > 0) json["beta"] = to_json(problem.beta);
  return json.dump();
}

LcpAnswer parse_lcp_answer(std::string_view text, std::string_view source) {
  const Json json = parsed(without_nan(text), source);
  Reader reader(json, source);
  const auto f = json.is_object() ? json.find("f") : json.end();
  if (!json.is_object() || f == json.end() || !f->is_array()) {
    reader.mistake("f", "is missing or not a list", R"(answer {"f": […]} with one number a row)");
    reader.stop_at_mistakes();
  }
  LcpAnswer answer;
  answer.f.resize(static_cast<long>(f->size()));
  for (long i = 0; i < answer.f.size(); ++i) {
    const Json& value = (*f)[static_cast<std::size_t>(i)];
    answer.f[i] = value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                  : reader.number(value, fmt::format("f[{}]", i));
  }
  if (const Json* status = reader.member("status", false)) {
    if (*status != "solved" && *status != "no_solution_found") {
      reader.mistake("status", fmt::format("is {}", status->dump()),
                     "give \"solved\" or \"no_solution_found\"");
    }
    answer.gave_up = *status == "no_solution_found";
  }
  if (const Json* value = reader.member("regularisation", false)) {
    answer.regularisation = reader.number(*value, "regularisation");
  }
  if (const Json* value = reader.member("microseconds", false)) {
    answer.microseconds = reader.number(*value, "microseconds");
  }
  reader.stop_at_mistakes();
  return answer;
}

std::string to_json_line(const LcpAnswer& answer) {
  Json json{{"f", to_json(answer.f)}};
  json["status"] = answer.gave_up ? "no_solution_found" : "solved";
  if (answer.regularisation != 0) json["regularisation"] = answer.regularisation;
  if (answer.microseconds) json["microseconds"] = *answer.microseconds;
  return json.dump();
}

}  // namespace jade::reference
