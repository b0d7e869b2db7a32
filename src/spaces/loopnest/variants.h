// Variants: what documents make of a convolution of one shape. A document is read, checked and
// replayed once for each shape, whatever number of sites and candidates it serves. Refuses what
// reading and replaying a document refuse (schedule/recipe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/fingerprint.h"
#include "base/random.h"
#include "base/result.h"
#include "program/context.h"
#include "schedule/recipe/document.h"
#include "schedule/recipe/moves.h"
#include "schedule/recipe/weights.h"
#include "spaces/loopnest/sites.h"
#include "spaces/places/put.h"

namespace cambium::spaces::loopnest {

// One function at one shape.
struct Variant {
  std::string document;       // canonical; empty: the original convolution
  schedule::Trace trace;      // the same
  Fingerprint function;       // equal for equal functions
  std::int64_t narrowed = 1;  // by which factor it has fewer output channels
  int steps = 0;              // neural ones
  std::int64_t macs = 0, parameters = 0;

  bool is_original() const { return document.empty(); }
};

// A way on from a variant by one neural step, to another function that is not the original.
struct Way {
  std::string kind;                       // "group"
  std::string label;                      // "group co 4"
  Fingerprint function;                   // of what it leads to
  schedule::Trace steps;                  // until somebody asks
  std::optional<const Variant*> to = {};  // since somebody has asked (`behind`)
};

class Variants {
 public:
  static Result<std::unique_ptr<Variants>> make(Shape shape, schedule::MoveLimits limits);

  const Shape& shape() const { return shape_; }
  const Variant& original() const { return *all_.at(""); }
  // A document or a name of the catalogue. Valid as long as this object, as all that follow.
  Result<const Variant*> read(const std::string& written);
  // In a fixed order, each function once, within the limits. Valid until the next call.
  const std::vector<Way>& ways(const Variant& variant);
  // What the way of this number leads to. Null where its document is refused, though the steps were
  // not.
  const Variant* behind(const Variant& variant, std::size_t way);
  // So many random moves on from a variant, fewer where none is left. Adds them to the trail, if
  // any. Null if they lead back to the variant or to the original.
  const Variant* walk(const Variant& from, int moves, bool narrows_outputs, Rng& rng,
                      std::vector<schedule::Move>* trail = nullptr);
  // The variants without a step of the document, and what then has nothing to act on.
  std::vector<const Variant*> shorter(const Variant& variant);

  // What takes the place of the convolution: a Composite and its weights.
  Result<std::shared_ptr<const Standing>> standing(const Variant& variant);
  // By the Composite's weights.
  Result<std::vector<schedule::WeightMap>> maps(const Variant& variant);

  // For people: the catalogue's name, or nothing; the loops; the sums, one a line.
  const std::string& name_of(const Variant& variant);
  std::string loops_of(const Variant& variant);
  std::string sums_of(const Variant& variant);

 private:
  Variants(Shape shape, schedule::MoveLimits limits) : shape_(std::move(shape)), limits_(limits) {}
  Status renew();
  std::string find_name(const Variant& variant);
  // Replays it again; valid until the next call of any function.
  Result<schedule::Document> document_of(const Variant& variant);
  Result<const Variant*> read_new(const std::string& written);
  Result<const Variant*> of_trace(const schedule::Trace& trace);
  std::vector<Way>& known_ways(const Variant& variant);
  // Null where a document leads back to the variant or to the original.
  const Variant* other_than(const Variant& variant, const schedule::Trace& trace);

  Shape shape_;
  schedule::MoveLimits limits_;
  // Programs are made anew when they have taken much memory; nothing below refers to them.
  std::unique_ptr<program::Context> cx_;
  std::optional<schedule::Original> original_;
  std::map<std::string, std::unique_ptr<Variant>> all_;                            // by document
  std::unordered_map<std::string, std::variant<const Variant*, Rejection>> read_;  // as written
  std::unordered_map<const Variant*, std::string> names_;
  // Of some variants; begun anew when there are many.
  std::unordered_map<const Variant*, std::vector<Way>> ways_;
  std::unordered_map<const Variant*, std::shared_ptr<const Standing>> standing_;
};

}  // namespace cambium::spaces::loopnest
