// The main of a fuzz target where libFuzzer is not: mutates the files of the given folders, mixes
// in random bytes, and stops after a number of cases. Prints the seed; a failure is one command
// away:
//   fuzz_data --seed 1 --cases 1000 [--only CASE] [--replay FILE] [FOLDER...]
// The body crashes on a bug; then --only CASE runs that case alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

using cambium::Rng;

constexpr std::int64_t kMaxSeedFile = 1 << 20;  // larger files make slow cases and no new ones
constexpr std::size_t kMaxInput = 1 << 20;

struct Options {
  std::uint64_t seed = 1;
  std::int64_t cases = 1000;
  std::int64_t only = -1;  // a case number, or -1 for all
  std::string replay;      // a file that is run once, as it is
  std::vector<std::string> folders;
};

std::int64_t number_after(std::span<char*> arguments, std::size_t i) {
  if (i < arguments.size()) {
    const auto number = cambium::parse_int(arguments[i], 0);
    if (number.ok()) return *number;
  }
  std::fprintf(stderr, "a number of 0 or more must follow\n");
  std::exit(1);
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--seed") {
      options.seed = static_cast<std::uint64_t>(number_after(arguments, ++i));
    } else if (argument == "--cases") {
      options.cases = number_after(arguments, ++i);
    } else if (argument == "--only") {
      options.only = number_after(arguments, ++i);
    } else if (argument == "--replay" && i + 1 < arguments.size()) {
      options.replay = arguments[++i];
    } else {
      options.folders.emplace_back(argument);
    }
  }
  return options;
}

std::vector<std::string> read_corpus(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_regular_file(error)) paths.push_back(it->path().string());
    }
  }
  std::sort(paths.begin(), paths.end());  // or the file system would choose the cases
  std::vector<std::string> corpus;
  for (const std::string& path : paths) {
    auto content = cambium::read_file(path, kMaxSeedFile);
    if (content.ok()) corpus.push_back(std::move(*content));
  }
  return corpus;
}

std::string random_bytes(Rng& rng, std::size_t most) {
  std::string out(static_cast<std::size_t>(rng.below(most + 1)), '\0');
  for (char& byte : out) byte = static_cast<char>(rng.below(256));
  return out;
}

std::size_t place_in(Rng& rng, const std::string& input) {
  return static_cast<std::size_t>(rng.below(input.size() + 1));
}

// One small damage: what happens to real files, and what an attacker tries first.
void mutate(Rng& rng, std::string& input, const std::vector<std::string>& corpus) {
  const std::size_t at = place_in(rng, input);
  const std::size_t length =
      std::min<std::size_t>(static_cast<std::size_t>(rng.below(16)) + 1, input.size() - at);
  switch (rng.below(8)) {
    case 0: input.erase(at, length); break;
    case 1: input.resize(at); break;
    case 2: input.insert(at, random_bytes(rng, 8)); break;
    case 3: input.insert(place_in(rng, input), input.substr(at, length)); break;
    case 4: {  // a number becomes an extreme one
      constexpr char kExtremes[] = {'\0', '\1', '\x7f', '\x80', '\xff'};
      std::fill_n(input.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::size_t>(length, 8),
                  kExtremes[rng.below(5)]);
      break;
    }
    case 5: {  // the end of another file
      const std::string& other = corpus[static_cast<std::size_t>(rng.below(corpus.size()))];
      input = input.substr(0, at) + other.substr(place_in(rng, other));
      break;
    }
    default:
      if (at < input.size())
        input[at] = static_cast<char>(input[at] ^ static_cast<char>(1U << rng.below(8)));
  }
  if (input.size() > kMaxInput) input.resize(kMaxInput);
}

std::string make_case(const Rng& root, std::int64_t number,
                      const std::vector<std::string>& corpus) {
  Rng rng = root.split(static_cast<std::uint64_t>(number));
  if (corpus.empty() || rng.below(16) == 0) return random_bytes(rng, 256);
  std::string input = corpus[static_cast<std::size_t>(rng.below(corpus.size()))];
  for (std::uint64_t left = rng.below(6); left > 0; --left) mutate(rng, input, corpus);
  return input;
}

void run_body(const std::string& input) {
  // A copy of the exact size, so that the address sanitizer sees one byte too far.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(std::span<char*>(argv, static_cast<std::size_t>(argc)));
  if (!options.replay.empty()) {
    const auto content = cambium::read_file(options.replay);
    if (!content.ok()) {
      std::fprintf(stderr, "%s\n", content.rejection().message().c_str());
      return 1;
    }
    run_body(*content);
    return 0;
  }
  const std::vector<std::string> corpus = read_corpus(options.folders);
  std::printf("seed %llu, %lld cases, %zu files to mutate\n",
              static_cast<unsigned long long>(options.seed), static_cast<long long>(options.cases),
              corpus.size());
  std::fflush(stdout);
  if (corpus.empty() && !options.folders.empty()) {
    std::fprintf(stderr, "the folders hold no file of at most %lld bytes\n",
                 static_cast<long long>(kMaxSeedFile));
    return 1;
  }
  const Rng root(options.seed);
  for (std::int64_t i = 0; i < options.cases; ++i) {
    if (options.only >= 0 && i != options.only) continue;
    if (options.only < 0) std::fprintf(stderr, "\rcase %lld", static_cast<long long>(i));
    run_body(make_case(root, i, corpus));
  }
  std::fprintf(stderr, "\n");
  std::printf("done\n");
  return 0;
}
