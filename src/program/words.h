// Words: builds a canonical form from 64-bit words in a fixed order. Can add index expressions and
// annotations. Used by the fingerprints of this folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/fingerprint.h"
#include "program/program.h"

namespace cambium::program {

class Words {
 public:
  Words() { words_.reserve(256); }
  template <class T>
  void add(T value) {
    words_.push_back(static_cast<std::uint64_t>(value));
  }
  void add(const Fingerprint& f) {
    add(f.high);
    add(f.low);
  }
  void add_text(std::string_view text) {
    add(Fingerprint::of_bytes(std::as_bytes(std::span(text))));
  }
  void add(Annotations annotations) {
    add(annotations.size());
    for (const Annotation& a : annotations) {
      add_text(a.key);
      add(a.is_text);
      a.is_text ? add_text(a.text) : add(a.number);
    }
  }
  // Adds the expression in pre-order. `number_of` gives a number for each axis, so that names do
  // not matter.
  template <class F>
  void add_index(Expr e, const F& number_of) {
    add(e->kind);
    switch (e->kind) {
      case expr::Kind::Const: return add(expr::value_of(e).factor);
      case expr::Kind::Bool: return add(expr::truth_of(e));
      case expr::Kind::Axis: return add(number_of(e));
      case expr::Kind::Add:
      case expr::Kind::Mul:
      case expr::Kind::Div:
      case expr::Kind::Mod:
      case expr::Kind::Min:
      case expr::Kind::Max:
      case expr::Kind::Less:
      case expr::Kind::Equal:
      case expr::Kind::And:
      case expr::Kind::Or:
      case expr::Kind::Not: break;
    }
    add_index(e->a, number_of);
    if (e->b != nullptr) add_index(e->b, number_of);
  }

  Fingerprint done() const { return Fingerprint::of_bytes(std::as_bytes(std::span(words_))); }
  void clear() { words_.clear(); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace cambium::program
