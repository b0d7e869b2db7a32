// Labels: numbers for the actions that a tree search has met, and what each action earned wherever
// it was taken (global RAVE).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/tally.h"

namespace cambium::search {

using Label = std::uint32_t;

class Labels {
 public:
  Label intern(const std::string& text, const std::string& kind);
  const std::string& text(Label label) const { return labels_[label].text; }
  std::size_t size() const { return labels_.size(); }

  // Counts each label of a descent once.
  void add(const std::vector<Label>& labels, double reward);
  // The rewards of the label; if it was never taken, those of its kind.
  const Tally& tally(Label label) const;
  const Tally& own_tally(Label label) const { return labels_[label].tally; }
  std::optional<Label> find(const std::string& text) const;

  void write(SnapshotWriter& out) const;
  void read(SnapshotReader& in);

 private:
  struct Named {
    std::string text;
    std::size_t kind = 0;
    Tally tally;
  };
  std::size_t kind_named(const std::string& kind);

  std::vector<Named> labels_;
  std::vector<Named> kinds_;
  std::unordered_map<std::string, Label> by_text_;
};

}  // namespace cambium::search
