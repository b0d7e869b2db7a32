// Variants: what documents make of a convolution of one shape. A document is read, checked and
// replayed once per shape, however many sites and candidates use it. Refuses what reading and
// replaying a document refuse (schedule/recipe).
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
  schedule::Trace trace;      // the document as steps
  Fingerprint function;       // equal for equal functions
  std::int64_t narrowed = 1;  // factor by which the output channels are reduced
  int steps = 0;              // number of neural steps
  std::int64_t macs = 0, parameters = 0;

  bool is_original() const { return document.empty(); }
};

// One neural step from a variant to another function that is not the original.
struct Way {
  std::string kind;                       // "group"
  std::string label;                      // "group co 4"
  Fingerprint function;                   // of the variant that it leads to
  schedule::Trace steps;                  // kept until `behind` is called
  std::optional<const Variant*> to = {};  // known after `behind` was called
};

class Variants {
 public:
  static Result<std::unique_ptr<Variants>> make(Shape shape, schedule::MoveLimits limits);

  const Shape& shape() const { return shape_; }
  const Variant& original() const { return *all_.at(""); }
  // The variant of a document or of a name of the catalogue. Variants are valid as long as this
  // object.
  Result<const Variant*> read(const std::string& written);
  // The ways on from a variant within the limits, in a fixed order, each function once. Valid until
  // the next call.
  const std::vector<Way>& ways(const Variant& variant);
  // The variant that the way of this number leads to. Null if its document is refused, although its
  // steps were not.
  const Variant* behind(const Variant& variant, std::size_t way);
  // Takes `moves` random moves from a variant, or fewer if no move is left. Adds them to the trail,
  // if one is given. Null if they lead back to the variant or to the original.
  const Variant* walk(const Variant& from, int moves, bool narrows_outputs, Rng& rng,
                      std::vector<schedule::Move>* trail = nullptr);
  // The variants that result from removing one step of the document, together with the steps that
  // depend on it.
  std::vector<const Variant*> shorter(const Variant& variant);

  // The replacement of the convolution: a Composite and its weights.
  Result<std::shared_ptr<const Standing>> standing(const Variant& variant);
  // The weight maps, in the order of the Composite's weights.
  Result<std::vector<schedule::WeightMap>> maps(const Variant& variant);

  // For people: the name in the catalogue, or an empty text; the loops; the sums, one per line.
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
  // Null if the document leads back to the variant or to the original.
  const Variant* other_than(const Variant& variant, const schedule::Trace& trace);

  Shape shape_;
  schedule::MoveLimits limits_;
  // The programs are discarded and made again when they use much memory. No other member refers to
  // them.
  std::unique_ptr<program::Context> cx_;
  std::optional<schedule::Original> original_;
  std::map<std::string, std::unique_ptr<Variant>> all_;                            // by document
  std::unordered_map<std::string, std::variant<const Variant*, Rejection>> read_;  // as written
  std::unordered_map<const Variant*, std::string> names_;
  // For some variants; cleared when there are many.
  std::unordered_map<const Variant*, std::vector<Way>> ways_;
  std::unordered_map<const Variant*, std::shared_ptr<const Standing>> standing_;
};

}  // namespace cambium::spaces::loopnest
