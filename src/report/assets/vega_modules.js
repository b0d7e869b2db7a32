// Vega, as Debian's package libjs-vega has it: one function a module, called when first required.
// See vega.LICENSE.txt.
(function () {
"use strict";
const modules = {}, ready = {};
function require(name) {
  if (name === "vega-selections") name = "vega-selection";
  if (!(name in ready)) {
    const module = {exports: (ready[name] = {})};
    modules[name].call(globalThis, module.exports, module, require);
    ready[name] = module.exports;
  }
  return ready[name];
}
/* MODULES */
const dataflow = require("vega-dataflow");
for (const name of ["vega-transforms", "vega-view-transforms", "vega-encode"])
  Object.assign(dataflow.transforms, require(name));
globalThis.vega = {parse: require("vega-parser").parse, View: require("vega-view").View};
})();
