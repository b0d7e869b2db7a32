// Document: the neural half of a trace for one convolution, read and told apart by what it
// computes. Two documents of one function have one text. Everything about a document follows from
// the replay of that text, so a program, a training graph and native code that read it agree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schedule/recipe/canonical.h"
#include "schedule/recipe/replay.h"

namespace cambium::schedule {

// What was found out about documents of one convolution: outcomes of steps, functions of programs.
// Lives as long as the context.
struct DocumentMemory;

// A convolution without a document. One is enough for all layers of a shape. Lives in the context
// of the program.
struct Original {
  Program program;  // as lowered: one input, the weight, one output
  std::string block;
  NestSizes sizes;
  Function function;
  Fingerprint identity;
  std::int64_t macs = 0;                        // multiply-adds of all samples
  std::int64_t weights = 0;                     // elements
  std::shared_ptr<DocumentMemory> memory = {};  // null: nothing is remembered
};
// Refuses UnknownName, NotAContraction.
Result<Original> original_of(Context& cx, const Program& program, std::string_view block);

struct Document {
  std::string text;  // canonical, one step a line; empty: the original
  NeuralHalf half;   // replay of this text
  Function function;
  Fingerprint identity;  // of the function
  std::int64_t macs = 0, weights = 0;

  bool is_original() const { return text.empty(); }
};

// A catalogue name (`group 4`) or steps, with sizes. A function outside of the forms that
// canonical_document writes keeps the steps that matter, as they stand: one text for one order.
// Refuses what catalogue_document, parse_document and replay_document refuse.
Result<Document> read_document(Context& cx, const Original& original, std::string_view written);
// The same of steps that were read or made before.
Result<Document> document_of(Context& cx, const Original& original, const Trace& steps);

// The parts of document_of, for those who meet many documents again.
struct Replayed {
  NeuralHalf half;
  Function function;
  Fingerprint identity;
};
Result<Replayed> replayed(Context& cx, const Original& original, const Trace& steps);
// The text of the document, if these or other steps that lead to the same program were met before.
std::optional<std::string> text_met_before(const Original& original, const Replayed& replayed);
Result<Document> document_of(Context& cx, const Original& original, const Trace& steps,
                             Replayed replayed);

// Steps of a catalogue name or of a written document.
Result<Trace> steps_of(std::string_view written, const NestSizes& sizes);

}  // namespace cambium::schedule
