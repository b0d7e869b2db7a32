// Owner: the name under which a running search claims evaluations of a shared study. Of an owner on
// this machine we can tell whether it still runs. Refuses nothing. Used by Claims.
#pragma once

#include <string>

namespace cambium::search {

// A new name for each call: machine and container, process, number.
std::string new_owner();
// Whether the owner's process is certainly gone. Only known for this machine and container; claims
// of other machines end when they expire.
bool is_gone(const std::string& owner);

}  // namespace cambium::search
