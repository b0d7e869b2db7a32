// The table of all candidates: filtered, sorted and shown in pages. Its rows load as scripts, one part after the other,
// so the page can be read before all rows are there.
"use strict";
(function () {
const PAGE = 50;
const rows = [];  // {name, title, ticket, space, strategy, status, values, estimates, page, text}
let shown = [], at = 0, sort = {column: -1, up: true}, waiting = 0;

cambium.addRows = function (texts, part) {
  const metrics = cambium.study.metrics.length;
  for (const row of part) {
    const one = {name: row[0], title: row[1], ticket: row[2], space: texts[row[3]], strategy: texts[row[4]],
                 status: texts[row[5]], values: row.slice(6, 6 + metrics), estimates: row[6 + metrics], page: row[7 + metrics]};
    one.text = (one.title + "\n" + one.name + "\n" + one.space + "\n" + one.strategy + "\n" + one.status).toLowerCase();
    rows.push(one);
  }
};

function columns() {
  const metrics = cambium.study.metrics;
  return [
    {label: "Candidate", kind: "title", of: row => row.name.slice(0, 8) + " " + row.title},
    {label: "Ticket", kind: "number", of: row => row.ticket},
    {label: "Last stage", kind: "status", of: row => row.status},
    ...metrics.map((metric, i) => ({label: metric.label, kind: "number", metric, index: i, of: row => row.values[i]}))
      .filter(column => column.metric.known),
  ];
}

const el = id => document.getElementById(id);

// After rows were added, the page that is being read stays.
function choose(keep) {
  const words = el("filter").value.toLowerCase().split(/\s+/).filter(Boolean), status = el("filter-status").value;
  shown = rows.filter(row => (!status || row.status === status) && words.every(word => row.text.includes(word)));
  if (sort.column >= 0) {
    const of = columns()[sort.column].of, sign = sort.up ? 1 : -1;
    shown.sort((a, b) => {
      const x = of(a), y = of(b);
      if (x === y) return a.ticket - b.ticket;
      if (x === null) return 1;  // what is unknown stays at the end
      if (y === null) return -1;
      return x < y ? -sign : sign;
    });
  }
  if (keep !== true) at = 0;
  render();
}

function cellOf(row, column) {
  const cell = document.createElement("td");
  if (column.kind === "title") {
    const text = column.of(row);
    cell.title = text + (row.space ? "\n" + row.space : "");
    const id = cell.appendChild(document.createElement(row.page ? "a" : "span"));
    if (row.page) id.href = "c/" + row.name + ".html";
    id.appendChild(document.createElement("code")).textContent = row.name.slice(0, 8);
    cell.append(" " + row.title);
  } else if (column.metric) {
    cell.className = "number" + (row.estimates >> column.index & 1 ? " estimate" : "");
    cell.textContent = cambium.textOf(column.metric.unit, column.of(row));
  } else {
    if (column.kind === "number") cell.className = "number";
    cell.textContent = column.of(row);
    cell.title = cell.textContent;
  }
  return cell;
}

function render() {
  const body = document.createDocumentFragment(), list = columns();
  for (const row of shown.slice(at, at + PAGE)) {
    const line = body.appendChild(document.createElement("tr"));
    line.dataset.name = row.name;
    if (row.name === cambium.study.original) line.className = "original";
    for (const column of list) line.appendChild(cellOf(row, column));
  }
  el("table").tBodies[0].replaceChildren(body);
  const number = n => n.toLocaleString("en");
  const loading = waiting ? ", " + number(cambium.study.candidates - rows.length) + " still loading" : "";
  el("page-text").textContent = shown.length
    ? number(at + 1) + "–" + number(Math.min(at + PAGE, shown.length)) + " of " + number(shown.length) + loading
    : (waiting ? "loading" : "no candidate matches");
  el("page-back").disabled = at === 0;
  el("page-on").disabled = at + PAGE >= shown.length;
}

// The best first.
function isUp(column) {
  return !(column.metric && column.metric.more);
}

function sortBy(column, up) {
  sort = {column, up};
  el("table").tHead.querySelectorAll("th").forEach((cell, i) => {
    if (i === column) cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  });
}

function head() {
  const line = document.createElement("tr");
  columns().forEach((column, i) => {
    const cell = line.appendChild(document.createElement("th"));
    cell.className = column.kind;
    const button = cell.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = column.label;
    button.addEventListener("click", () => {
      sortBy(i, sort.column === i ? !sort.up : isUp(column));
      choose();
    });
  });
  el("table").tHead.replaceChildren(line);
  // Most candidates of a long study were refused: the best ones come first.
  const list = columns(), quality = list.findIndex(column => column.metric && column.index === cambium.study.quality);
  if (quality >= 0) sortBy(quality, isUp(list[quality]));
}

function statuses() {
  const counts = new Map();
  for (const row of rows) counts.set(row.status, (counts.get(row.status) || 0) + 1);
  const select = el("filter-status"), kept = select.value;
  select.replaceChildren(new Option("any", ""));
  for (const [status, count] of [...counts].sort((a, b) => b[1] - a[1]))
    select.add(new Option(status + " (" + count.toLocaleString("en") + ")", status));
  select.value = kept;
}

cambium.showInTable = function (text) {
  el("filter").value = text;
  el("filter-status").value = "";
  choose();
  el("candidates").scrollIntoView();
};

cambium.showTable = function () {
  head();
  let delay = 0;
  el("filter").addEventListener("input", () => { clearTimeout(delay); delay = setTimeout(choose, rows.length > 20000 ? 150 : 0); });
  el("filter-status").addEventListener("change", () => choose());
  const turn = by => { at = Math.max(0, at + by); render(); };
  el("page-back").addEventListener("click", () => turn(-PAGE));
  el("page-on").addEventListener("click", () => turn(PAGE));
  waiting = cambium.study.rowParts;
  if (!waiting) render();
  // One part after the other, so that the page stays alive between them.
  const load = part => {
    if (part >= cambium.study.rowParts) return;
    const script = document.createElement("script");
    script.src = "data/rows-" + part + ".js";
    script.onload = script.onerror = () => {
      --waiting;
      if (part === 0 || !waiting) { statuses(); choose(true); }
      setTimeout(() => load(part + 1));
    };
    document.head.appendChild(script);
  };
  load(0);
};
})();
