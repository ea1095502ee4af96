#include "reference/recording.h"

namespace jade::reference {

const char* name_of(Scheme scheme) {
  switch (scheme) {
    case Scheme::explicit_euler:
      return "explicit_euler";
    case Scheme::semi_implicit_euler:
      return "semi_implicit_euler";
    case Scheme::midpoint:
      return "midpoint";
    case Scheme::other:
      break;
  }
  return "other";
}

Scheme scheme_named(const std::string& name) {
  for (const Scheme scheme : {Scheme::explicit_euler, Scheme::semi_implicit_euler, Scheme::midpoint}) {
    if (name == name_of(scheme)) return scheme;
  }
  return Scheme::other;
}

}  // namespace jade::reference
