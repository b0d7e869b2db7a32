// cambium-peers: what the vendor libraries need for one operator. The model comes on standard
// input, a line of JSON per library goes to standard output; engine/peers.h has the protocol and
// asks. Refuses what is no model; an operator that no library has is an answer, not a refusal.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "measure/timing.h"
#include "model/text.h"
#include "peers/peer.h"
#include "peers/shape_of.h"

namespace cambium::bench {
namespace {

constexpr int kRounds = 3;

void answer(const nlohmann::json& line) {
  fmt::print("{}\n", json_text(line));
}

// The best of a few rounds in which they take turns.
void answer_times(const std::vector<std::unique_ptr<Peer>>& peers, int threads) {
  std::map<const Peer*, measure::Burst> best;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& peer : peers) {
      const measure::Burst burst = measure::time_burst([&peer] { peer->run(); });
      const auto [found, is_new] = best.emplace(peer.get(), burst);
      if (!is_new && burst.seconds < found->second.seconds) found->second = burst;
      if (threads > 1) ::usleep(50'000);  // their threads spin after a call
    }
  }
  for (const auto& peer : peers) {
    const measure::Burst& burst = best.at(peer.get());
    answer({{"peer", peer->name},
            {"implementation", peer->implementation},
            {"seconds", burst.seconds},
            {"spread", burst.spread}});
  }
}

int run(int threads) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto model = model::parse_text(text);
  if (!model.ok()) {
    fmt::print(stderr, "{}\n", terminal_text(model.rejection().message()));
    return 2;
  }
  const auto shape = shape_of(*model);
  const VendorPeers all =
      shape.ok() ? vendor_peers(*shape, threads) : no_vendor_peers(shape.rejection().message());
  for (const auto& [library, why] : all.missing) answer({{"peer", library}, {"missing", why}});
  answer_times(all.peers, threads);
  return 0;
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Times the operator model on standard input with vendor libraries", "cambium-peers"};
  int threads = 1;
  app.add_option("--threads", threads, "threads that one run uses")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  CLI11_PARSE(app, argc, argv);
  return cambium::bench::run(threads);
}
