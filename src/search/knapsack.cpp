#include "search/knapsack.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace cambium::search {
namespace {

constexpr std::int32_t kNone = -1;

// How a sum was made. A leaf has the option `right` of the site -1 - `left`; any other node joins
// two nodes.
struct Node {
  std::int32_t left = 0, right = 0;
};

struct Partial {
  double cost = 0, gain = 0;
  std::int32_t node = 0;
};
using Front = std::vector<Partial>;  // the cheapest first; both sums rise

// A sum that has no node yet. Without `right`, it is the node `left` itself.
struct Draft {
  double cost = 0, gain = 0;
  std::int32_t left = kNone, right = kNone;

  bool is_none() const { return left == kNone; }
  bool is_cheaper_than(const Draft& other) const {
    return std::tuple(cost, -gain, left, right) <
           std::tuple(other.cost, -other.gain, other.left, other.right);
  }
};

class Nodes {
 public:
  std::int32_t leaf(std::size_t site, std::size_t option) {
    return add({kNone - static_cast<std::int32_t>(site) - 1, static_cast<std::int32_t>(option)});
  }
  std::int32_t of(const Draft& draft) {
    return draft.right == kNone ? draft.left : add({draft.left, draft.right});
  }
  void read(std::int32_t node, std::vector<std::int32_t>& choice) const {
    std::vector<std::int32_t> open = {node};
    while (!open.empty()) {
      const Node& each = nodes_[static_cast<std::size_t>(open.back())];
      open.pop_back();
      if (each.left < 0) {
        choice[static_cast<std::size_t>(kNone - each.left - 1)] = each.right;
      } else {
        open.push_back(each.left);
        open.push_back(each.right);
      }
    }
  }

 private:
  std::int32_t add(Node node) {
    nodes_.push_back(node);
    return static_cast<std::int32_t>(nodes_.size() - 1);
  }

  std::vector<Node> nodes_;
};

// Collects sums within a range of gains. Few are kept all, many by buckets.
class Sums {
 public:
  Sums(double low, double high, std::size_t count, std::size_t buckets) : low_(low) {
    if (count <= 2 * buckets || !(high > low)) return;
    slots_.resize(buckets);
    per_gain_ = static_cast<double>(buckets) / (high - low);
  }

  void add(const Draft& draft) {
    if (slots_.empty()) {
      all_.push_back(draft);
      return;
    }
    if (most_.is_none() || draft.gain > most_.gain ||
        (draft.gain == most_.gain && draft.is_cheaper_than(most_))) {
      most_ = draft;
    }
    const double place = std::max(0.0, (draft.gain - low_) * per_gain_);
    Draft& slot = slots_[std::min(static_cast<std::size_t>(place), slots_.size() - 1)];
    if (slot.is_none() || draft.is_cheaper_than(slot)) slot = draft;
  }

  // Those that no other dominates.
  Front front(Nodes& nodes) && {
    if (!slots_.empty()) {
      for (const Draft& slot : slots_) {
        if (!slot.is_none()) all_.push_back(slot);
      }
      if (!most_.is_none()) all_.push_back(most_);
    }
    std::sort(all_.begin(), all_.end(),
              [](const Draft& a, const Draft& b) { return a.is_cheaper_than(b); });
    Front front;
    for (const Draft& draft : all_) {
      if (!front.empty() && draft.gain <= front.back().gain) continue;
      front.push_back({draft.cost, draft.gain, nodes.of(draft)});
    }
    return front;
  }

 private:
  double low_ = 0, per_gain_ = 0;
  std::vector<Draft> all_;
  std::vector<Draft> slots_;
  Draft most_;
};

// A link as one of its sites sees it.
struct End {
  std::size_t other = 0;
  const SiteLink* link = nullptr;
  bool is_first = false;  // it is `link->first`
};

struct Entry {
  std::size_t option = 0;  // of the other site
  Weighed more;
  bool is_allowed = true;
};
using Entries = std::map<std::size_t, std::vector<Entry>>;  // by own option

// What the subtree of a site offers, by its own option: together for all options that have no entry
// in the link to the site above, alone for each of the others.
struct Offers {
  Front plain;
  std::map<std::size_t, Front> alone;
};
// The same as the site above sees it: for an option of its own.
struct Message {
  Front plain;  // for options without entries
  std::map<std::size_t, Front> by_option;

  const Front& at(std::size_t option) const {
    const auto found = by_option.find(option);
    return found == by_option.end() ? plain : found->second;
  }
};

// A front of which each sum has more than it says.
struct Shifted {
  const Front* front = nullptr;
  Weighed more;
};

class Solver {
 public:
  explicit Solver(const Knapsack& knapsack) : sack_(knapsack), ends_(knapsack.sites.size()) {
    for (const SiteLink& link : sack_.links) {
      CAMBIUM_CHECK(link.first != link.second, "a site is linked to itself");
      ends_[link.first].push_back({link.second, &link, true});
      ends_[link.second].push_back({link.first, &link, false});
      auto& known = more_.emplace_back();
      for (const CoupledPair& pair : link.pairs) known[{pair.first, pair.second}] = pair.more;
    }
  }

  std::vector<Chosen> solve();

 private:
  Entries entries_of(const SiteLink& link, bool by_first) const;
  Front component(std::size_t root);
  Offers offers(std::size_t site, const SiteLink* above, bool is_first);
  Message message(const Offers& offers, const SiteLink& link, bool is_first);
  Front leaves(std::size_t site, const std::vector<std::size_t>& options);
  Front merged(const std::vector<Shifted>& fronts);
  Front joined(const Front& a, const Front& b, double least);
  std::vector<Chosen> chosen(const Front& front) const;
  Weighed sum_of(const std::vector<std::int32_t>& choice) const;

  const Knapsack& sack_;
  std::vector<std::vector<End>> ends_;                                          // by site
  std::vector<std::map<std::pair<std::int32_t, std::int32_t>, Weighed>> more_;  // by link
  std::vector<bool> is_met_;
  Nodes nodes_;
};

constexpr double kAnyGain = -std::numeric_limits<double>::infinity();

Entries Solver::entries_of(const SiteLink& link, bool by_first) const {
  Entries entries;
  for (const CoupledPair& pair : link.pairs) {
    const auto own = static_cast<std::size_t>(by_first ? pair.first : pair.second);
    const auto other = static_cast<std::size_t>(by_first ? pair.second : pair.first);
    entries[own].push_back({other, pair.more, pair.is_allowed});
  }
  return entries;
}

Front Solver::leaves(std::size_t site, const std::vector<std::size_t>& options) {
  Sums sums(0, 0, 0, sack_.buckets);
  for (const std::size_t option : options) {
    const Weighed& own = sack_.sites[site][option];
    sums.add({own.cost, own.gain, nodes_.leaf(site, option), kNone});
  }
  return std::move(sums).front(nodes_);
}

Front Solver::merged(const std::vector<Shifted>& fronts) {
  double low = 0, high = 0;
  std::size_t count = 0;
  for (const auto& [front, more] : fronts) {
    if (front->empty()) continue;
    const double least = front->front().gain + more.gain, most = front->back().gain + more.gain;
    low = count == 0 ? least : std::min(low, least);
    high = count == 0 ? most : std::max(high, most);
    count += front->size();
  }
  Sums sums(low, high, count, sack_.buckets);
  for (const auto& [front, more] : fronts) {
    for (const Partial& each : *front) {
      sums.add({each.cost + more.cost, each.gain + more.gain, each.node, kNone});
    }
  }
  return std::move(sums).front(nodes_);
}

// All sums of two; those below `least` lead nowhere.
Front Solver::joined(const Front& a, const Front& b, double least) {
  if (a.empty() || b.empty()) return {};
  const double low = std::max(least, a.front().gain + b.front().gain);
  Sums sums(low, a.back().gain + b.back().gain, a.size() * b.size(), sack_.buckets);
  for (const Partial& one : a) {
    for (const Partial& other : b) {
      const double gain = one.gain + other.gain;
      if (gain >= least) sums.add({one.cost + other.cost, gain, one.node, other.node});
    }
  }
  return std::move(sums).front(nodes_);
}

Message Solver::message(const Offers& offers, const SiteLink& link, bool is_first) {
  std::vector<Shifted> all = {{&offers.plain, {}}};
  std::map<std::size_t, std::size_t> places;  // in `all`, of the options that have entries
  for (const auto& [option, front] : offers.alone) {
    places[option] = all.size();
    all.push_back({&front, {}});
  }
  Message message;
  message.plain = merged(all);
  const Front nothing;
  for (const auto& [above, entries] : entries_of(link, !is_first)) {
    std::vector<Shifted> own = all;
    for (const Entry& entry : entries) {
      own[places.at(entry.option)] = {entry.is_allowed ? &offers.alone.at(entry.option) : &nothing,
                                      entry.more};
    }
    message.by_option[above] = merged(own);
  }
  return message;
}

// `is_first`: the site is the first one of the link above.
Offers Solver::offers(std::size_t site, const SiteLink* above, bool is_first) {
  CAMBIUM_CHECK(!is_met_[site], "the links do not form a forest");
  is_met_[site] = true;
  std::vector<Message> below;
  for (const End& end : ends_[site]) {
    if (end.link == above) continue;
    const Offers child = offers(end.other, end.link, !end.is_first);
    below.push_back(message(child, *end.link, !end.is_first));
  }
  const Entries upwards = above != nullptr ? entries_of(*above, is_first) : Entries{};
  const auto joined_with = [&](Front front, std::size_t option) {
    for (const Message& each : below) front = joined(front, each.at(option), kAnyGain);
    return front;
  };
  Offers result;
  std::vector<Front> together;
  std::vector<std::size_t> ordinary;
  for (std::size_t option = 0; option < sack_.sites[site].size(); ++option) {
    const bool is_alone = upwards.count(option) > 0;
    const bool is_special =
        is_alone || std::any_of(below.begin(), below.end(), [&](const Message& each) {
          return each.by_option.count(option) > 0;
        });
    if (!is_special) {
      ordinary.push_back(option);
      continue;
    }
    Front front = joined_with(leaves(site, {option}), option);
    if (is_alone) {
      result.alone[option] = std::move(front);
    } else {
      together.push_back(std::move(front));
    }
  }
  // Any of them stands for all: none has an entry.
  if (!ordinary.empty()) together.push_back(joined_with(leaves(site, ordinary), ordinary[0]));
  std::vector<Shifted> fronts;
  for (const Front& front : together) fronts.push_back({&front, {}});
  result.plain = merged(fronts);
  return result;
}

Front Solver::component(std::size_t root) {
  return offers(root, nullptr, false).plain;
}

std::vector<Chosen> Solver::solve() {
  is_met_.assign(sack_.sites.size(), false);
  std::vector<Front> parts;
  for (std::size_t site = 0; site < sack_.sites.size(); ++site) {
    if (!is_met_[site]) parts.push_back(component(site));
    if (parts.back().empty()) return {};
  }
  if (parts.empty()) return {};
  // The greatest gain of the parts that are still to come.
  std::vector<double> rest(parts.size() + 1, 0);
  for (std::size_t i = parts.size(); i > 0; --i) rest[i - 1] = rest[i] + parts[i - 1].back().gain;
  Front front = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    // The sums that lead to `least_gain` are made in another order than the bound on them.
    const double least = sack_.least_gain - rest[i + 1];
    const double slack = 1e-9 * (std::abs(rest[0]) + std::abs(sack_.least_gain));
    front = joined(front, parts[i], std::isfinite(least) ? least - slack : least);
  }
  return chosen(front);
}

Weighed Solver::sum_of(const std::vector<std::int32_t>& choice) const {
  Weighed sum;
  for (std::size_t site = 0; site < choice.size(); ++site) {
    const Weighed& own = sack_.sites[site][static_cast<std::size_t>(choice[site])];
    sum.cost += own.cost;
    sum.gain += own.gain;
  }
  for (std::size_t i = 0; i < more_.size(); ++i) {
    const SiteLink& link = sack_.links[i];
    const auto found = more_[i].find({choice[link.first], choice[link.second]});
    if (found == more_[i].end()) continue;
    sum.cost += found->second.cost;
    sum.gain += found->second.gain;
  }
  return sum;
}

// Summed again in the order of the sites, so that equal choices have equal sums to the last bit.
std::vector<Chosen> Solver::chosen(const Front& front) const {
  std::vector<Chosen> all;
  for (const Partial& partial : front) {
    Chosen one;
    one.choice.resize(sack_.sites.size());
    nodes_.read(partial.node, one.choice);
    one.sum = sum_of(one.choice);
    if (one.sum.gain >= sack_.least_gain) all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Chosen& a, const Chosen& b) {
    if (a.sum != b.sum)
      return std::pair(a.sum.cost, -a.sum.gain) < std::pair(b.sum.cost, -b.sum.gain);
    return a.choice < b.choice;
  });
  std::vector<Chosen> kept;
  for (Chosen& one : all) {
    if (kept.empty() || one.sum.gain > kept.back().sum.gain) kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace

std::vector<Chosen> front_of(const Knapsack& knapsack) {
  return Solver(knapsack).solve();
}

}  // namespace cambium::search
