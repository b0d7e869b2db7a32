#include "search/strategies/labels.h"

#include <algorithm>
#include <set>

namespace cambium::search {

std::size_t Labels::kind_named(const std::string& kind) {
  // There are few kinds.
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const Named& known) { return known.text == kind; });
  if (found != kinds_.end()) return static_cast<std::size_t>(found - kinds_.begin());
  kinds_.push_back({kind, 0, {}});
  return kinds_.size() - 1;
}

Label Labels::intern(const std::string& text, const std::string& kind) {
  const auto [found, is_new] = by_text_.emplace(text, static_cast<Label>(labels_.size()));
  if (is_new) labels_.push_back({text, kind_named(kind), {}});
  return found->second;
}

void Labels::add(const std::vector<Label>& labels, double reward) {
  const std::set<Label> each(labels.begin(), labels.end());
  std::set<std::size_t> kinds;
  for (const Label label : each) {
    labels_[label].tally.add(reward);
    kinds.insert(labels_[label].kind);
  }
  for (const std::size_t kind : kinds) kinds_[kind].tally.add(reward);
}

const Tally& Labels::tally(Label label) const {
  const Named& named = labels_[label];
  return named.tally.count > 0 ? named.tally : kinds_[named.kind].tally;
}

std::optional<Label> Labels::find(const std::string& text) const {
  const auto found = by_text_.find(text);
  if (found == by_text_.end()) return std::nullopt;
  return found->second;
}

void Labels::write(SnapshotWriter& out) const {
  out.count(kinds_);
  for (const Named& kind : kinds_) {
    out.text(kind.text);
    search::write(out, kind.tally);
  }
  out.count(labels_);
  for (const Named& label : labels_) {
    out.text(label.text).number(static_cast<std::int64_t>(label.kind));
    search::write(out, label.tally);
  }
}

void Labels::read(SnapshotReader& in) {
  *this = {};
  for (std::size_t count = in.count(); kinds_.size() < count && in.ok();) {
    Named kind;
    kind.text = in.text();
    kind.tally = read_tally(in);
    kinds_.push_back(std::move(kind));
  }
  for (std::size_t count = in.count(); labels_.size() < count && in.ok();) {
    Named label;
    label.text = in.text();
    label.kind =
        static_cast<std::size_t>(in.number(0, static_cast<std::int64_t>(kinds_.size()) - 1));
    label.tally = read_tally(in);
    by_text_.emplace(label.text, static_cast<Label>(labels_.size()));
    labels_.push_back(std::move(label));
  }
}

}  // namespace cambium::search
