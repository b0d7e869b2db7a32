// Owner: the name under which a running search claims evaluations of a study that it may share with
// others. Of one on this machine it can be told whether it is still alive. Used by Evaluations.
#pragma once

#include <string>

namespace cambium::search {

// Another one for each call: machine, process, number.
std::string new_owner();
// Whether this process is surely gone: it was on this machine. Of others time will tell.
bool is_gone(const std::string& owner);

}  // namespace cambium::search
