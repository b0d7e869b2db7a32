# cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake: writes FILE, which tells the commit of DIR, unless it
# says so already. Run with every build, because a build is configured once and committed to often.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=40 --dirty=+ --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT
"#include \"base/commit.h\"

namespace cambium {

std::string_view commit() {
  return \"${commit}\";
}

}  // namespace cambium
")
