// Owner: the name under which a running search claims evaluations of a study that it may share with
// others. Of one on this machine it can be told whether it is still alive. Used by Evaluations.
#pragma once

#include <string>

namespace cambium::search {

// Another one for each call: machine with its container, process, number.
std::string new_owner();
// Whether the owner's process is surely gone. It can be told of this machine and container alone;
// the claims of others end with their time.
bool is_gone(const std::string& owner);

}  // namespace cambium::search
