// The plots of the first page.
"use strict";
(function () {
const study = cambium.study, metrics = study.metrics;
const NAME = 0, TITLE = 1, VALUES = 2, ESTIMATES = VALUES + metrics.length, PAGE = ESTIMATES + 1, EPOCHS = PAGE + 1, SPREADS = EPOCHS + 1, TAKES_PART = SPREADS + 1;
const epochsText = epochs => epochs + (epochs === 1 ? " epoch" : " epochs");

function go(name, page) {
  if (page) location.href = "c/" + name + ".html";
  else cambium.showInTable(name);
}

// ---- the front

const better = (metric, a, b) => metric.more ? a > b : a < b;

// The points that no other beats in both axes. As in study/scores.cpp, estimates are compared only with estimates.
function frontOf(points, mx, my) {
  const order = points.filter(point => point.takesPart);
  order.sort((a, b) => a.x === b.x ? (my.more ? b.y - a.y : a.y - b.y) : (mx.more ? b.x - a.x : a.x - b.x));
  const front = [], last = {};
  for (const point of order) {
    if (point.kind in last && !better(my, point.y, last[point.kind].y)) continue;
    last[point.kind] = point;
    front.push(point);
  }
  return front;
}

function pointsFor(x, y) {
  const points = [];
  for (const row of study.points) {
    const vx = row[VALUES + x], vy = row[VALUES + y];
    if (vx === null || vy === null) continue;
    const kind = 2 * (row[ESTIMATES] >> x & 1) + (row[ESTIMATES] >> y & 1);
    const trained = metrics[x].training || metrics[y].training;
    points.push({name: row[NAME], page: row[PAGE] === 1, original: row[NAME] === study.original, takesPart: row[TAKES_PART] === 1,
                 kind, estimate: kind > 0, brief: trained && row[EPOCHS] > 0 && row[EPOCHS] < study.longest, x: vx, y: vy, row});
    const spread = metric => row[SPREADS] ? Math.min(row[SPREADS][metric], 0.99) : 0;
    Object.assign(points[points.length - 1], {sx: spread(x), sy: spread(y)});
  }
  return points;
}

function tipOf(row) {
  const lines = [];
  metrics.forEach((metric, i) => {
    if (row[VALUES + i] === null) return;
    const about = (row[ESTIMATES] >> i & 1) ? "≈ " : "";
    const training = metric.training && row[EPOCHS] ? " after " + epochsText(row[EPOCHS]) + (row[EPOCHS] < study.longest ? " (brief)" : "") : "";
    const spread = row[SPREADS] ? " " + cambium.spreadText(metric.unit, row[VALUES + i], row[SPREADS][i]) : "";
    lines.push([metric.label, about + cambium.textOf(metric.unit, row[VALUES + i]) + spread + training]);
  });
  return {title: row[NAME].slice(0, 8) + " " + row[TITLE], lines};
}

function scaleFor(name, values, range) {
  const low = Math.min(...values), high = Math.max(...values);
  const log = low > 0 && high / low > 30;
  return {name, type: log ? "log" : "linear", range, nice: true, zero: false, domain: low === high ? [low * 0.9, high * 1.1 || 1] : [low, high]};
}

let zoom = null;  // {x: [from, to], y: [from, to]} in units of the axes

function paretoSpec(x, y, width, colors) {
  const mx = metrics[x], my = metrics[y];
  const points = pointsFor(x, y);
  const largest = key => points.reduce((most, point) => Math.max(most, Math.abs(point[key])), 0);
  const ux = cambium.unitFor(mx.unit, largest("x")), uy = cambium.unitFor(my.unit, largest("y"));
  for (const point of points) { point.x *= ux.factor; point.y *= uy.factor; point.tip = tipOf(point.row); delete point.row; }
  const front = frontOf(points, mx, my);
  for (const point of front) point.front = true;
  // The spread over seeds or measurements, drawn only for the front and the original.
  const bars = points.filter(p => (p.front || p.original) && (p.sx > 0 || p.sy > 0)).map(p => ({
    x: p.x, y: p.y, left: p.x * (1 - p.sx), right: p.x * (1 + p.sx), low: p.y * (1 - p.sy), high: p.y * (1 + p.sy), original: p.original}));
  const sx = scaleFor("x", points.map(p => p.x), "width"), sy = scaleFor("y", points.map(p => p.y), "height");
  if (zoom) for (const [scale, domain] of [[sx, zoom.x], [sy, zoom.y]]) { scale.domain = domain; scale.nice = false; }
  const title = (metric, unit) => metric.label + (unit.suffix ? " (" + unit.suffix + ")" : "") + (metric.more ? " →" : "");
  const place = {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}};
  const symbol = (data, color, size, more) => ({
    type: "symbol", from: {data},
    encode: {
      update: {...place, shape: [{test: "datum.brief", value: "triangle-up"}, {value: "circle"}], size: {value: size}, stroke: {value: color}, strokeWidth: {value: 1.4},
               fill: {value: color}, fillOpacity: [{test: "datum.estimate", value: 0}, {value: 1}],
               cursor: {value: "pointer"}, tooltip: {field: "tip"}, ...more},
      hover: {size: {value: size * 1.9}},
    }});
  const bar = ends => ({
    type: "rule", from: {data: "bars"}, interactive: false,
    encode: {update: {...ends, stroke: [{test: "datum.original", value: colors.original}, {value: colors.accent}],
                      strokeWidth: {value: 2}, strokeOpacity: {value: 0.55}}}});
  return {
    width, height: 450, autosize: {type: "fit", contains: "padding"}, padding: 4,
    signals: [
      {name: "down", value: null, on: [{events: "mousedown", update: "xy()"}]},
      {name: "drag", value: null, on: [
        {events: "mousedown", update: "null"},
        {events: "[mousedown, window:mouseup] > window:mousemove",
         update: "[clamp(down[0], 0, width), clamp(down[1], 0, height), clamp(x(), 0, width), clamp(y(), 0, height)]"}]},
      {name: "dragged", value: null, on: [{events: "window:mouseup", update: "drag"}]},
    ],
    data: [
      {name: "others", values: points.filter(p => !p.front && !p.original)},
      {name: "line", values: front.slice().sort((a, b) => a.x - b.x)},
      {name: "onFront", values: front.filter(p => !p.original)},
      {name: "base", values: points.filter(p => p.original)},
      {name: "bars", values: bars},
    ],
    scales: [sx, sy],
    axes: [
      {scale: "x", orient: "bottom", title: title(mx, ux), grid: true, tickCount: 7},
      {scale: "y", orient: "left", title: title(my, uy), grid: true, tickCount: 7},
    ],
    marks: [{
      type: "group", clip: true, interactive: true,
      encode: {update: {width: {signal: "width"}, height: {signal: "height"}}},
      marks: [
        symbol("others", colors.others, 32, {opacity: [{test: "datum.brief", value: 0.55}, {value: 1}]}),
        {type: "group", from: {facet: {name: "step", data: "line", groupby: "kind"}}, marks: [
        {type: "line", from: {data: "step"}, interactive: false,
         encode: {update: {...place, interpolate: {value: mx.more ? "step-before" : "step-after"}, stroke: {value: colors.accent},
                           strokeWidth: {value: 1.3}, strokeOpacity: {value: 0.6}}}}]},
        bar({x: {scale: "x", field: "x"}, y: {scale: "y", field: "low"}, y2: {scale: "y", field: "high"}}),
        bar({y: {scale: "y", field: "y"}, x: {scale: "x", field: "left"}, x2: {scale: "x", field: "right"}}),
        symbol("onFront", colors.accent, 70, {fillOpacity: [{test: "datum.estimate", value: 0}, {test: "datum.brief", value: 0.35}, {value: 1}]}),
        symbol("base", colors.original, 130, {shape: {value: "diamond"}}),
        {type: "text", from: {data: "base"}, interactive: false,
         encode: {update: {...place, dx: [{test: "scale('x', datum.x) > width - 70", value: -11}, {value: 11}], dy: {value: 4}, text: {value: "original"}, fill: {value: colors.original},
                           fontSize: {value: 12.5}, fontWeight: {value: 600}, align: [{test: "scale('x', datum.x) > width - 70", value: "right"}, {value: "left"}]}}},
        {type: "rect", interactive: false,
         encode: {update: {x: {signal: "drag ? min(drag[0], drag[2]) : 0"}, x2: {signal: "drag ? max(drag[0], drag[2]) : 0"},
                           y: {signal: "drag ? min(drag[1], drag[3]) : 0"}, y2: {signal: "drag ? max(drag[1], drag[3]) : 0"},
                           fill: {value: colors.accent}, fillOpacity: {value: 0.12}}}},
      ],
    }],
  };
}

function legendOf(element, keys) {
  element.className = "legend";
  element.replaceChildren();
  for (const [kind, text] of keys) {
    const key = element.appendChild(document.createElement("span"));
    key.className = kind;
    key.textContent = text;
  }
}

function showPareto() {
  const element = document.getElementById("pareto"), note = document.getElementById("pareto-note");
  const selects = [document.getElementById("axis-x"), document.getElementById("axis-y")];
  const zoomOut = document.getElementById("zoom-out");
  selects.forEach((select, axis) => {
    metrics.forEach((metric, i) => { if (metric.known) select.add(new Option(metric.label, i)); });
    select.value = axis === 0 ? study.cost : study.quality;
    if (select.selectedIndex < 0) select.selectedIndex = Math.min(axis, select.options.length - 1);
    select.addEventListener("change", () => { zoom = null; draw(); });
  });
  const setZoom = to => { zoom = to; zoomOut.hidden = !to; draw(); };
  zoomOut.addEventListener("click", () => setZoom(null));

  function wire(view) {
    cambium.paretoView = view;
    let moved = false;
    view.addSignalListener("dragged", (name, drag) => {
      moved = Boolean(drag) && Math.abs(drag[0] - drag[2]) > 5 && Math.abs(drag[1] - drag[3]) > 5;
      if (!moved) return;
      const sides = (axis, a, b) => [a, b].map(v => view.scale(axis).invert(v)).sort((p, q) => p - q);
      setTimeout(() => setZoom({x: sides("x", drag[0], drag[2]), y: sides("y", drag[1], drag[3])}));
    });
    view.addEventListener("click", (event, item) => {
      if (!moved && item && item.datum && item.datum.name) go(item.datum.name, item.datum.page);
    });
    view.addEventListener("dblclick", () => { if (zoom) setTimeout(() => setZoom(null)); });
  }

  function draw() {
    const x = Number(selects[0].value), y = Number(selects[1].value);
    if (!selects[0].options.length || !pointsFor(x, y).length) {
      element.className = "empty";
      element.textContent = "No candidate has a value on both axes yet.";
      return;
    }
    element.className = "plot tall";
    zoomOut.hidden = !zoom;
    cambium.plot(element, (width, colors) => paretoSpec(x, y, width, colors), "canvas", wire);
    const points = pointsFor(x, y);
    const front = new Set(frontOf(points, metrics[x], metrics[y]).map(p => p.name));
    const has = (brief, onFront) => points.some(p => !p.original && p.brief === brief && front.has(p.name) === onFront);
    const until = study.longest ? ", trained for " + epochsText(study.longest) : "";
    const mixed = points.some(p => p.brief);  // then the legend says who was trained how long
    const keys = [["base", "the original"]];
    if (has(false, true)) keys.push(["front dot", "on the front of these axes" + (mixed ? until : "")]);
    if (has(true, true)) keys.push(["front triangle", "on the front, trained briefly"]);
    if (has(false, false)) keys.push(["others dot", "other candidates" + (mixed ? until : "")]);
    if (has(true, false)) keys.push(["others triangle", "other candidates, trained briefly"]);
    if (points.some(p => p.estimate)) keys.push(["hollow dot", "estimated"]);
    keys.push(["count", points.length.toLocaleString("en") + " candidates with values on both axes"]);
    legendOf(note, keys);
  }
  draw();
}

// ---- progress

function progressSpec(index, against, width, colors) {
  const metric = metrics[index], column = against === "seconds" ? 2 : 1;
  const steps = study.progress.filter(step => step[0] === index);
  const base = study.points.find(row => row[NAME] === study.original);
  const original = base ? base[VALUES + index] : null;
  const unit = cambium.unitFor(metric.unit, Math.max(...steps.map(step => step[3]), original || 0));
  const hours = against === "seconds" && study.seconds > 7200;
  const fx = against === "seconds" ? (hours ? 1 / 3600 : study.seconds > 120 ? 1 / 60 : 1) : 1;
  const values = steps.map(step => ({x: step[column] * fx, y: step[3] * unit.factor,
    tip: {title: cambium.textOf(metric.unit, step[3]), lines: [["after", step[1].toLocaleString("en") + " candidates"]]}}));
  const end = {x: (against === "seconds" ? study.seconds : study.evaluated) * fx, y: values[values.length - 1].y};
  const ys = values.map(value => value.y).concat(original === null ? [] : [original * unit.factor]);
  return {
    width, height: 205, autosize: {type: "fit", contains: "padding"}, padding: 4,
    title: metric.label + (unit.suffix ? " (" + unit.suffix + ")" : ""),
    data: [{name: "steps", values}, {name: "line", values: values.concat([end])},
           {name: "base", values: original === null ? [] : [{y: original * unit.factor}]}],
    scales: [
      {name: "x", type: "linear", range: "width", zero: true, nice: false, domain: [0, end.x || 1]},
      scaleFor("y", ys, "height"),
    ],
    axes: [
      {scale: "x", orient: "bottom", grid: false, tickCount: 4, title: against === "seconds" ? (hours ? "Hours" : fx < 1 ? "Minutes" : "Seconds") : "Candidates"},
      {scale: "y", orient: "left", grid: true, domain: false, tickCount: 4},
    ],
    marks: [
      {type: "rule", from: {data: "base"}, encode: {update: {x: {value: 0}, x2: {signal: "width"}, y: {scale: "y", field: "y"},
        stroke: {value: colors.original}, strokeDash: {value: [5, 4]}, strokeWidth: {value: 1.3}}}},
      {type: "line", from: {data: "line"}, interactive: false, encode: {update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"},
        interpolate: {value: "step-after"}, stroke: {value: colors.accent}, strokeWidth: {value: 1.8}}}},
      {type: "symbol", from: {data: "steps"}, encode: {update: {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"},
        fill: {value: colors.accent}, size: {value: 26}, tooltip: {field: "tip"}}, hover: {size: {value: 70}}}},
    ],
  };
}

function showProgress() {
  const box = document.getElementById("progress-plots"), select = document.getElementById("progress-x");
  const shown = metrics.map((metric, i) => i).filter(i => study.progress.some(step => step[0] === i));
  if (!shown.length) {
    box.className = "empty";
    box.textContent = "Nothing was measured yet.";
    return;
  }
  const elements = shown.map(() => box.appendChild(document.createElement("div")));
  const draw = () => shown.forEach((metric, i) =>
    cambium.plot(elements[i], (width, colors) => progressSpec(metric, select.value, width, colors)));
  select.addEventListener("change", draw);
  draw();
}

showPareto();
showProgress();
cambium.showCurves(study.curves, metrics[study.quality]);
cambium.showTable();
})();
