// store_crash_writer FILE FIRST: adds the trials FIRST, FIRST+1 .. to a database and says the
// number of each once add() has returned, until it is killed. For crash_test.cpp.
#include <cstdlib>

#include <unistd.h>

#include "store/store_testing.h"

int main(int argc, char** argv) {
  using namespace cambium::store;
  if (argc != 3) return 2;
  auto store = TuningStore::open(argv[1]);
  if (!store.ok()) return 3;
  for (std::uint64_t number = std::strtoull(argv[2], nullptr, 10);; ++number) {
    if (!store->add(key_number(0), trial_number(number)).ok()) return 4;
    const std::string line = std::to_string(number) + "\n";
    // One write: what the parent reads is whole lines, but for the last.
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return 5;
  }
}
