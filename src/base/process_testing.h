// Whether a process ends. For tests of who kills what.
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace cambium {

// Of the process with this number (with or without the end of its line). Whoever kills it does not
// wait for that, and init reaps it in its own time: what is gone or a zombie is dead. A minute is
// enough on any machine.
inline bool comes_to_its_end(const std::string& number) {
  const std::string file = "/proc/" + number.substr(0, number.find('\n')) + "/stat";
  const auto is_running = [&file] {
    std::ifstream stat(file);
    std::string its_number, name, state;
    return static_cast<bool>(stat >> its_number >> name >> state) && state != "Z";
  };
  for (int i = 0; i < 6000 && is_running(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return !is_running();
}

}  // namespace cambium
