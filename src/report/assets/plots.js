// Plots of all pages. Texts of the study only ever become text nodes.
"use strict";
window.cambium = {};

(function () {
const drawn = new Map();  // element -> function that draws it again

// ---- values for people

// One unit for all values of an axis: {factor, suffix}.
cambium.unitFor = function (unit, largest) {
  const size = Math.abs(largest) || 1;
  const pick = table => table.find(row => size >= row[0]) || table[table.length - 1];
  if (unit === "share") return {factor: 100, suffix: "%"};
  if (unit === "seconds") {
    const [, factor, suffix] = pick([[1, 1, "s"], [1e-3, 1e3, "ms"], [1e-6, 1e6, "µs"], [0, 1e9, "ns"]]);
    return {factor, suffix};
  }
  if (unit === "count") {
    const [, factor, suffix] = pick([[1e9, 1e-9, "G"], [1e6, 1e-6, "M"], [1e3, 1e-3, "k"], [0, 1, ""]]);
    return {factor, suffix};
  }
  if (unit === "bytes") {
    const kib = 1024;
    const [, factor, suffix] = pick([[kib ** 3, kib ** -3, "GiB"], [kib ** 2, kib ** -2, "MiB"], [kib, 1 / kib, "KiB"], [0, 1, "B"]]);
    return {factor, suffix};
  }
  return {factor: 1, suffix: ""};
};

cambium.textOf = function (unit, value) {
  if (value === null || value === undefined) return "–";
  const {factor, suffix} = cambium.unitFor(unit, value);
  const scaled = value * factor;
  const digits = unit === "share" ? scaled.toFixed(2)
    : Math.abs(scaled) >= 1000 ? scaled.toFixed(0)
    : suffix && unit !== "seconds" ? scaled.toPrecision(3)
    : String(Number(scaled.toPrecision(3)));
  return suffix ? digits + " " + suffix : digits;
};

// A relative spread as a difference of the metric is written; empty for none.
cambium.spreadText = function (unit, value, spread) {
  if (!(spread > 0)) return "";
  return unit === "share" ? "±" + (Math.abs(value) * spread * 100).toFixed(2) + " points"
    : "±" + Number((spread * 100).toPrecision(2)) + " %";
};

// ---- drawing

cambium.colors = function () {
  const style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue("--" + name).trim();
  return {ink: color("ink"), quiet: color("quiet"), line: color("line"), accent: color("accent"),
          original: color("original"), others: color("others"), paper: color("paper")};
};

function config(colors) {
  const font = getComputedStyle(document.body).fontFamily;
  return {
    background: null,
    font,
    axis: {domainColor: colors.line, gridColor: colors.line, tickColor: colors.line,
           labelColor: colors.quiet, titleColor: colors.quiet, labelFont: font, titleFont: font,
           labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 500, titlePadding: 10, labelPadding: 6,
           gridOpacity: 0.7, tickSize: 0, labelFlush: false},
    text: {font},
    title: {font, color: colors.ink, fontSize: 13.5, fontWeight: 600, anchor: "start", offset: 10},
  };
}

// A view of what `make` gives for a width and colors; drawn again when either changes.
cambium.plot = function (element, make, renderer, onView) {
  let view = null, width = 0;
  const draw = function () {
    width = element.clientWidth;
    if (width === 0) return;
    const colors = cambium.colors();
    const spec = make(width, colors);
    if (view) view.finalize();
    view = new vega.View(vega.parse(spec, config(colors)), {renderer: renderer || "svg", container: element, hover: true});
    view.tooltip(showTooltip);
    element.dataset.ready = "";
    view.runAsync().then(() => { element.dataset.ready = "yes"; });
    if (onView) onView(view);
  };
  if (!drawn.has(element))
    new ResizeObserver(() => { if (Math.abs(element.clientWidth - width) > 1) drawn.get(element)(); }).observe(element);
  drawn.set(element, draw);
  draw();
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach(draw => draw()));

// `value`: {title, lines: [[name, text]...]}
let tooltip = null;
function showTooltip(handler, event, item, value) {
  if (!tooltip) {
    tooltip = document.body.appendChild(document.createElement("div"));
    tooltip.className = "tooltip";
  }
  tooltip.hidden = !value;
  if (!value) return;
  tooltip.replaceChildren();
  tooltip.appendChild(document.createElement("b")).textContent = value.title;
  for (const [name, text] of value.lines || []) {
    const line = tooltip.appendChild(document.createElement("span"));
    line.append(name);
    line.appendChild(document.createElement("em")).textContent = text;
  }
  const box = tooltip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const below = event.clientY + 16;
  tooltip.style.left = Math.max(8, x) + "px";
  tooltip.style.top = (below + box.height < innerHeight ? below : event.clientY - box.height - 12) + "px";
}

// ---- training curves, on the index page and on those of candidates

function curvesSpec(curves, metric, field, width, colors) {
  const column = field === "loss" ? 2 : 1;
  let largest = 0;
  for (const curve of curves) for (const point of curve.points) largest = Math.max(largest, point[column]);
  const unit = field === "loss" ? {factor: 1, suffix: ""} : cambium.unitFor(metric.unit, largest);
  const label = field === "loss" ? "Loss" : metric.label;
  const values = [];
  curves.forEach((curve, index) => curve.points.forEach(point => values.push({
    curve: index, x: point[0], y: point[column] * unit.factor, original: Boolean(curve.original),
    tip: {title: curve.title, lines: [["Epoch", String(point[0])],
          [label, field === "loss" ? point[2].toPrecision(4) : cambium.textOf(metric.unit, point[1])]]}})));
  const stroke = [{test: "datum.original", value: colors.original}, {value: colors.accent}];
  return {
    width, height: 300, autosize: {type: "fit", contains: "padding"}, padding: 4,
    data: [{name: "points", values}],
    scales: [
      {name: "x", type: "linear", range: "width", nice: true, zero: true, domain: {data: "points", field: "x"}},
      {name: "y", type: "linear", range: "height", nice: true, zero: false, domain: {data: "points", field: "y"}},
    ],
    axes: [
      {scale: "x", orient: "bottom", title: "Epochs", grid: false, tickCount: 8},
      {scale: "y", orient: "left", title: label + (unit.suffix ? " (" + unit.suffix + ")" : ""), grid: true, domain: false, tickCount: 6},
    ],
    marks: [{
      type: "group", from: {facet: {name: "one", data: "points", groupby: "curve"}},
      marks: [
        {type: "line", from: {data: "one"}, interactive: false,
         encode: {update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}, stroke,
                           strokeWidth: [{test: "datum.original", value: 2.2}, {value: 1.5}],
                           strokeOpacity: [{test: "datum.original", value: 1}, {value: 0.75}]}}},
        {type: "symbol", from: {data: "one"},
         encode: {update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}, fill: stroke, size: {value: 55},
                           fillOpacity: {value: 0}, tooltip: {field: "tip"}},
                  hover: {fillOpacity: {value: 1}}}},
      ],
    }],
  };
}

cambium.showCurves = function (curves, metric) {
  const element = document.getElementById("training"), select = document.getElementById("curves-y");
  if (!element) return;
  if (!curves.some(curve => curve.points.length)) {
    element.className = "empty";
    element.textContent = "No candidate has been trained yet.";
    return;
  }
  if (!curves.some(curve => curve.points.some(point => point[2] !== 0))) select.closest(".controls").hidden = true;
  const draw = () => cambium.plot(element, (width, colors) => curvesSpec(curves, metric, select.value, width, colors));
  select.addEventListener("change", draw);
  draw();
  const legend = document.createElement("p");
  legend.className = "legend";
  for (const [kind, text] of [["base dot", "the original"], ["front dot", curves.some(c => c.name) ? "on the front" : "this candidate"]])
    if (curves.some(curve => Boolean(curve.original) === kind.startsWith("base"))) {
      const key = legend.appendChild(document.createElement("span"));
      key.className = kind;
      key.textContent = text;
    }
  element.after(legend);
};
})();
