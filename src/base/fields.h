// Names the members of a plain struct once, for everything that walks over them (text forms, JSON,
// fingerprints): `S::fields(s, f)` calls f(name, member) for each.
//
//   struct Split {
//     std::string loop;
//     Ints factors;
//     CAMBIUM_FIELDS(f("loop", s.loop), f("factors", s.factors))
//   };
#pragma once

#define CAMBIUM_FIELDS(...)                                           \
  template <class S, class F>                                         \
  static void fields([[maybe_unused]] S& s, [[maybe_unused]] F&& f) { \
    __VA_ARGS__;                                                      \
  }
