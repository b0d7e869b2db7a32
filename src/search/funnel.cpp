#include "search/funnel.h"

namespace cambium::search {

bool LimitText::is_relative() const {
  return is_drop || (!text.empty() && (text.back() == 'x' || text.back() == '%'));
}

}  // namespace cambium::search
