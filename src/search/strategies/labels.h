// Labels: the actions that a tree search has met, by number, and what earned how much wherever it
// was taken (RAVE, global).
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

  // Each label of one descent once.
  void add(const std::vector<Label>& labels, double reward);
  // Of the label; of its kind where it was never taken.
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
