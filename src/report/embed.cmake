# cmake -DOUT=source -DASSETS=folder -DVEGA="file;file" -DTOPOJSON=file -DLICENSE=file -P embed.cmake
#
# Writes a source with the texts of report/assets.h. Debian ships Vega as its modules, each of which
# expects `require` or overwrites the others: they become one script, each in a function of its own
# (assets/vega_modules.js says how).
set(source "// Made by src/report/embed.cmake.\n#include \"report/assets.h\"\n\nnamespace cambium::report {\n")

function(embed name text)
  if(text MATCHES "\\)asset\"")
    message(FATAL_ERROR "${name} holds the end of a raw string")
  endif()
  string(APPEND source "\nnamespace {\nconstexpr char text_of_${name}[] = R\"asset(${text})asset\";\n}\n"
                       "const std::string_view ${name}(text_of_${name}, sizeof(text_of_${name}) - 1);\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

foreach(pair kStyle=style.css kPlots=plots.js kTable=table.js kIndexScript=index.js)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  file(READ ${ASSETS}/${file} text)
  embed(${name} "${text}")
endforeach()

set(vega "")
if(VEGA)
  set(modules "")
  foreach(file IN LISTS VEGA TOPOJSON)
    cmake_path(GET file FILENAME name)
    string(REPLACE ".min.js" "" name ${name})
    file(READ ${file} text)
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
    string(APPEND modules "modules[\"${name}\"] = function (exports, module, require) {\n${text}\n}\n")
  endforeach()
  file(READ ${ASSETS}/vega_modules.js vega)
  string(REPLACE "/* MODULES */" "${modules}" vega "${vega}")
endif()
embed(kVega "${vega}")
set(license "Vega: https://vega.github.io (BSD, three clauses)\n")
if(LICENSE AND EXISTS ${LICENSE})
  file(READ ${LICENSE} license)
endif()
embed(kVegaLicense "${license}")

string(APPEND source "\n}  // namespace cambium::report\n")
file(WRITE ${OUT} "${source}")
