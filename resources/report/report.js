// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the page of a report alive: zooming, hovering, selecting what is linked, playing steps, searching. What is drawn, where
// its parts stand and what they say was written beside this script by the views of the program.
(() => {
"use strict";

const parsed = id => JSON.parse(document.getElementById(id)?.textContent || "null");
const charts = parsed("charts") || { lines: [], charts: [] }, schedule = parsed("schedule");
const make = (name, text = "", attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const button = (parent, text, label, run) => {
  const b = parent.appendChild(make("button", text, { type: "button", "aria-label": label, title: label }));
  b.addEventListener("click", run);
  return b;
};
const number = n => n.toLocaleString("en", { maximumFractionDigits: 1 }).replace(/,/g, "\u202f");
/** Lines with cells parted by tabs, as rows of a table. */
const tableOf = lines => {
  const table = make("table");
  for (const [i, line] of lines.entries()) {
    const row = table.insertRow();
    const cells = line.split("\t");
    for (const cell of cells) row.insertCell().textContent = cell;
    if (cells.length === 1) row.cells[0].colSpan = 2;
    if (i === 0) row.className = "first";
  }
  return table;
};
const linesOf = indices => indices.map(i => charts.lines[i]);

// -- what is selected: names, the most special first; every chart and table lights what it has of them
let selected = [];
const followers = [];
const select = (keys, from) => {
  selected = keys;
  for (const follow of followers) follow(from);
};
/** Of things with names: those with the first name, where there are none those with any. */
const litOf = (things, keysOf) => {
  if (!selected.length) return [];
  const first = things.filter(t => keysOf(t).includes(selected[0]));
  return first.length ? first : things.filter(t => keysOf(t).some(k => selected.includes(k)));
};
const nameOf = key => {
  const index = Number(key.slice(1).split(".")[0]);
  switch (key[0]) {
  case "o": return schedule?.ops[index] ?? key;
  case "t": return schedule?.tensors[index] ?? key;
  case "s": return `subgraph ${index}` + (key.includes(".") ? `, step ${key.split(".")[1]}` : "");
  case "n": return `node ${index}`;
  default: return "several subgraphs";
  }
};

// -- the bar: what is selected, finding, the theme
const bar = make("div", "", { class: "bar", role: "toolbar", "aria-label": "Report" });
const finder = bar.appendChild(make("div", "", { class: "grow" }));
const status = bar.appendChild(make("span", "", { class: "status", role: "status", "aria-live": "polite", id: "status" }));
const clear = button(bar, "Clear", "Clear the selection", () => select([]));
clear.id = "clear";
const themes = ["auto", "light", "dark"];
const theme = button(bar, "", "Theme", () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
theme.id = "theme";
const setTheme = to => {
  document.documentElement.dataset.theme = to;
  theme.textContent = `Theme: ${to}`;
  theme.setAttribute("aria-label", `Theme: ${to}; press to change`);
};
setTheme("auto");
button(bar, "Print", "Print the report", () => window.print()).id = "print";
document.body.prepend(bar);
followers.push(() => {
  status.textContent = selected.length ? `Selected: ${selected.slice(0, 3).map(nameOf).join(", ")}` : "Nothing selected";
  clear.disabled = !selected.length;
});

const findable = schedule ? [
  ...schedule.ops.map((name, i) => ({ name, kind: "op", keys: [`o${i}`, ...schedule.opSubgraphs[i].map(s => `s${s}`)] })),
  ...schedule.tensors.map((name, i) => ({ name, kind: "tensor", keys: [`t${i}`] })),
  ...schedule.subgraphs.map((ops, i) => ({ name: `subgraph ${i}`, kind: ops, keys: [`s${i}`] })),
] : [];
if (findable.length) {
  const field = finder.appendChild(make("input", "", { type: "search", id: "find", placeholder: "Find an op, a tensor, a subgraph",
    "aria-label": "Find an op, a tensor or a subgraph", autocomplete: "off" }));
  const found = finder.appendChild(make("div", "", { class: "found", id: "found" }));
  const close = () => found.classList.remove("open");
  field.addEventListener("input", () => {
    found.replaceChildren();
    const text = field.value.trim().toLowerCase();
    const hits = text ? findable.filter(f => f.name.toLowerCase().includes(text)) : [];
    for (const hit of hits.slice(0, 30))
      button(found, `${hit.name} (${hit.kind})`, `Select ${hit.name}`, () => { close(); select(hit.keys); });
    if (text && !hits.length) found.append(make("p", "Nothing has this name.", { class: "note" }));
    if (hits.length > 30) found.append(make("p", `and ${number(hits.length - 30)} more`, { class: "note" }));
    found.classList.toggle("open", text !== "");
  });
  finder.addEventListener("keydown", event => {
    const buttons = [...found.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (event.key === "Enter" && event.target === field) buttons[0]?.click();
    else if (event.key === "ArrowDown") (buttons[at + 1] ?? buttons[0])?.focus();
    else if (event.key === "ArrowUp") (buttons[at - 1] ?? field).focus();
    else if (event.key === "Escape") { close(); field.focus(); }
    else return;
    event.preventDefault();
  });
  finder.addEventListener("focusout", event => { if (!finder.contains(event.relatedTarget)) close(); });
}

const nav = make("nav", "", { "aria-label": "Contents" }), contents = nav.appendChild(make("ul"));
for (const section of document.querySelectorAll("section[id]"))
  if (section.querySelector("h2"))
    contents.appendChild(make("li")).appendChild(make("a", section.querySelector("h2").textContent, { href: `#${section.id}` }));
bar.after(nav);

// -- tooltip
const tip = document.body.appendChild(make("div", "", { id: "tip", role: "tooltip" }));
const showTip = (lines, x, y) => {
  tip.replaceChildren(tableOf(lines));
  tip.style.display = "block";
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(4, y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18)}px`;
};
const hideTip = () => { tip.style.display = "none"; };

// -- charts
const kSvg = "http://www.w3.org/2000/svg";
const kFurthest = 40; // times as large

const insideOutline = (x, y, o) => {
  let inside = false;
  for (let i = 0, j = o.length - 2; i < o.length; j = i, i += 2)
    if ((o[i + 1] > y) !== (o[j + 1] > y) && x < (o[j] - o[i]) * (y - o[i + 1]) / (o[j + 1] - o[i + 1]) + o[i]) inside = !inside;
  return inside;
};

/** Boxes that touch in a row are one: a time is made of many. */
const joined = parts => parts.reduce((out, part) => {
  const last = out[out.length - 1], [x, y, w, h] = part.box;
  if (last && !part.outline && !last.outline && last.box[1] === y && last.box[3] === h && x >= last.box[0] &&
      x <= last.box[0] + last.box[2] + 1)
    last.box = [last.box[0], y, x + w - last.box[0], h];
  else out.push({ box: [x, y, w, h], outline: part.outline });
  return out;
}, []);

/** One picture: [x, y, width, height, keys, lines, outline] of its parts; zooming, pointing, what is lit. */
class Picture {
  constructor(figure, data, title) {
    this.figure = figure;
    this.data = data;
    this.svg = figure.querySelector("svg");
    this.all = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.view = [...this.all];
    this.parts = data.parts.map(p => ({ box: p, keys: p[4] ? p[4].split(" ") : [], lines: p[5], outline: p[6] }));
    this.current = -1;
    this.litGroup = this.layer();
    this.frameGroup = this.layer();
    this.hoverGroup = this.layer();
    figure.tabIndex = 0;
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-label", `${data.title || title}. Arrow keys go from part to part, Enter selects, plus and minus zoom.`);
    this.listen();
  }
  layer() { return this.svg.appendChild(document.createElementNS(kSvg, "g")); }
  mark(group, part, kind) {
    const [x, y, w, h] = part.box;
    const shape = document.createElementNS(kSvg, part.outline ? "polygon" : "rect");
    if (part.outline) shape.setAttribute("points", part.outline.join(" "));
    else for (const [key, value] of Object.entries({ x, y, width: w, height: h })) shape.setAttribute(key, value);
    shape.setAttribute("class", `mark ${kind}`);
    group.appendChild(shape);
  }
  light() {
    this.litGroup.replaceChildren();
    for (const part of joined(litOf(this.parts, p => p.keys))) this.mark(this.litGroup, part, "area");
  }
  toPicture(event) {
    const box = this.svg.getBoundingClientRect();
    return [this.view[0] + (event.clientX - box.left) / box.width * this.view[2],
      this.view[1] + (event.clientY - box.top) / box.height * this.view[3]];
  }
  partAt(x, y) {
    return this.parts.findIndex(({ box, outline }) => x >= box[0] && y >= box[1] && x < box[0] + box[2] && y < box[1] + box[3] &&
      (!outline || insideOutline(x, y, outline)));
  }
  hover(index) {
    this.hoverGroup.replaceChildren();
    if (index >= 0) this.mark(this.hoverGroup, this.parts[index], "hover");
  }
  setView(view) {
    const scale = Math.min(1, Math.max(view[2] / this.all[2], 1 / kFurthest));
    const [w, h] = [this.all[2] * scale, this.all[3] * scale];
    this.view = [Math.min(Math.max(view[0], this.all[0]), this.all[0] + this.all[2] - w),
      Math.min(Math.max(view[1], this.all[1]), this.all[1] + this.all[3] - h), w, h];
    this.svg.setAttribute("viewBox", this.view.join(" "));
    this.figure.classList.toggle("zoomed", scale < 1);
  }
  zoom(factor, at) {
    const [x, y] = at || [this.view[0] + this.view[2] / 2, this.view[1] + this.view[3] / 2];
    const by = Math.min(factor, kFurthest * this.view[2] / this.all[2]);
    this.setView([x - (x - this.view[0]) / by, y - (y - this.view[1]) / by, this.view[2] / by, this.view[3] / by]);
  }
  fit() { this.setView(this.all); }
  pan(dx, dy) { this.setView([this.view[0] + dx, this.view[1] + dy, this.view[2], this.view[3]]); }
  /** The part becomes the one that keys act on. */
  goTo(index) {
    this.current = (index + this.parts.length) % this.parts.length;
    const part = this.parts[this.current];
    const [x, y, w, h] = part.box;
    if (x < this.view[0] || y < this.view[1] || x + w > this.view[0] + this.view[2] || y + h > this.view[1] + this.view[3])
      this.setView([x + w / 2 - this.view[2] / 2, y + h / 2 - this.view[3] / 2, this.view[2], this.view[3]]);
    this.hover(this.current);
    const box = this.svg.getBoundingClientRect();
    showTip(linesOf(part.lines), box.left + (x + w / 2 - this.view[0]) / this.view[2] * box.width,
      box.top + (y + h - this.view[1]) / this.view[3] * box.height);
    status.textContent = linesOf(part.lines).slice(0, 3).join(". ").replace(/\t/g, " ");
  }
  listen() {
    const { svg, figure } = this;
    let from = null, moved = false; // where the button went down
    svg.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      from = [event.clientX, event.clientY];
      moved = false;
    });
    svg.addEventListener("pointermove", event => {
      if (from) {
        const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
        if (!moved && Math.hypot(dx, dy) < 4) return;
        if (!moved) svg.setPointerCapture?.(event.pointerId);
        moved = true;
        const box = svg.getBoundingClientRect();
        this.pan(-dx / box.width * this.view[2], -dy / box.height * this.view[3]);
        from = [event.clientX, event.clientY];
        figure.classList.add("moving");
        hideTip();
        return;
      }
      const index = this.partAt(...this.toPicture(event));
      this.hover(index);
      svg.style.cursor = index >= 0 && this.parts[index].keys.length ? "pointer" : "";
      if (index >= 0) showTip(linesOf(this.parts[index].lines), event.clientX, event.clientY);
      else hideTip();
    });
    svg.addEventListener("pointerup", event => {
      figure.classList.remove("moving");
      if (from && !moved) {
        this.current = this.partAt(...this.toPicture(event));
        select(this.current >= 0 ? this.parts[this.current].keys : [], this);
      }
      from = null;
    });
    svg.addEventListener("pointercancel", () => { from = null; figure.classList.remove("moving"); });
    svg.addEventListener("pointerleave", () => { if (!moved) from = null; this.hover(-1); hideTip(); });
    svg.addEventListener("dblclick", event => this.zoom(2, this.toPicture(event)));
    svg.addEventListener("wheel", event => { // the plain wheel scrolls the page
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.pow(1.0015, -event.deltaY), this.toPicture(event));
    }, { passive: false });
    figure.addEventListener("blur", () => { this.hover(-1); hideTip(); });
    figure.addEventListener("keydown", event => {
      if (event.target !== figure || event.altKey || event.metaKey || event.ctrlKey) return;
      const far = this.view[2] / 8;
      const keys = {
        "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), "0": () => this.fit(),
        Enter: () => this.current >= 0 && select(this.parts[this.current].keys, this),
        Escape: () => { select([]); hideTip(); this.hover(-1); },
      };
      if (event.shiftKey) Object.assign(keys, { ArrowLeft: () => this.pan(-far, 0), ArrowRight: () => this.pan(far, 0),
        ArrowUp: () => this.pan(0, -far), ArrowDown: () => this.pan(0, far) });
      else if (this.parts.length) Object.assign(keys, { ArrowLeft: () => this.goTo(this.current < 0 ? -1 : this.current - 1),
        ArrowUp: () => this.goTo(this.current < 0 ? -1 : this.current - 1), ArrowRight: () => this.goTo(this.current + 1),
        ArrowDown: () => this.goTo(this.current + 1), Home: () => this.goTo(0), End: () => this.goTo(-1) });
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }
}

/** Goes through the steps of a picture. */
class Player {
  constructor(chart, tools, panel) {
    this.chart = chart;
    this.panel = panel;
    this.at = 0;
    this.timer = null;
    button(tools, "«", "First step", () => this.go(0));
    button(tools, "‹", "Step before", () => this.go(this.at - 1));
    this.play = button(tools, "Play", "Play the steps", () => this.setPlaying(!this.timer));
    button(tools, "›", "Next step", () => this.go(this.at + 1));
    button(tools, "»", "Last step", () => this.go(Infinity));
    this.slider = tools.appendChild(make("input", "", { type: "range", min: 0, value: 0, "aria-label": "Step" }));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.count = tools.appendChild(make("span", "", { class: "count" }));
  }
  get frames() { return this.chart.picture.data.frames; }
  setPlaying(playing) {
    clearInterval(this.timer);
    this.timer = null;
    if (playing) {
      if (this.at >= this.frames.length - 1) this.go(0);
      this.timer = setInterval(() => {
        this.show(this.at + 1, true);
        if (this.at >= this.frames.length - 1) this.setPlaying(false);
      }, 125);
    }
    this.play.textContent = playing ? "Pause" : "Play";
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play the steps");
  }
  go(step) { this.setPlaying(false); this.show(step, true); }
  show(step, tell) {
    const { picture } = this.chart;
    const { frames, frameCount, key } = picture.data;
    this.at = Math.max(0, Math.min(frames.length - 1, step));
    const [x, y, w, h, lines] = frames[this.at];
    picture.frameGroup.replaceChildren();
    picture.mark(picture.frameGroup, { box: [x, y, w, h] }, "at");
    this.panel.replaceChildren(tableOf(linesOf(lines)));
    this.slider.max = frames.length - 1;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `step ${this.at + 1} of ${frameCount}`);
    this.count.textContent = `step ${number(this.at + 1)} of ${number(frameCount)}` +
      (frames.length < frameCount ? ` (the first ${number(frames.length)} are in this file)` : "");
    if (tell) select([`${key}.${this.at}`, key], this);
  }
}

class Chart {
  constructor(data) {
    this.section = document.getElementById(`view-${data.name}`);
    this.data = data;
    const figures = [...this.section.querySelectorAll("figure")];
    const tools = make("div", "", { class: "tools", role: "toolbar", "aria-label": `${data.title}: controls` });
    figures[0].before(tools);
    this.pictures = figures.map((figure, i) => new Picture(figure, data.pictures[i], data.title));
    button(tools, "−", "Zoom out", () => this.picture.zoom(1 / 1.4));
    button(tools, "+", "Zoom in", () => this.picture.zoom(1.4));
    button(tools, "Fit", "Show everything", () => this.picture.fit());
    if (this.pictures.length > 1 || !data.all) this.addChoice(tools);
    if (this.pictures.some(p => p.data.frames)) {
      const beside = make("div", "", { class: "beside" });
      figures[0].before(beside);
      beside.append(...figures);
      const panel = beside.appendChild(make("div", "", { class: "step" }));
      this.player = new Player(this, tools, panel);
    }
    this.show(0);
    followers.push(from => this.follow(from));
  }
  addChoice(tools) {
    this.choice = tools.appendChild(make("select", "", { "aria-label": `${this.data.title}: which one` }));
    for (const [i, p] of this.pictures.entries()) this.choice.appendChild(make("option", p.data.title, { value: i }));
    this.choice.addEventListener("change", () => select([this.pictures[this.choice.value].data.key]));
    if (!this.data.all) {
      const note = `The ${number(this.pictures.length)} that take longest are in this file; the program shows all.`;
      tools.after(make("p", note, { class: "note" }));
    }
  }
  show(index) {
    this.picture = this.pictures[index];
    for (const p of this.pictures) p.figure.hidden = p !== this.picture;
    if (this.choice) this.choice.value = index;
    if (this.player) this.player.show(0, false);
  }
  follow(from) {
    const wanted = this.pictures.findIndex(p => p.data.key && selected.includes(p.data.key));
    if (wanted >= 0 && this.pictures[wanted] !== this.picture) this.show(wanted);
    for (const p of this.pictures) if (p === this.picture) p.light();
    if (!this.player || from === this.player || !selected.length) return;
    this.player.setPlaying(false);
    const [key, step] = selected[0].split(".");
    if (key === this.picture.data.key && step !== undefined) this.player.show(Number(step), false);
  }
}

// -- tables
const kRowsShown = 200;
const filterField = (section, label, run) => {
  const tools = make("div", "", { class: "tools" });
  const field = tools.appendChild(make("input", "", { type: "search", placeholder: "Search", "aria-label": label }));
  const count = tools.appendChild(make("span", "", { class: "count", "aria-live": "polite" }));
  section.querySelector(".wide").before(tools);
  field.addEventListener("input", () => run(field.value.trim().toLowerCase().split(/\s+/).filter(Boolean)));
  return count;
};
const selectable = row => {
  row.tabIndex = 0;
  const choose = () => select(row.dataset.k.split(" "), row);
  row.addEventListener("click", choose);
  row.addEventListener("keydown", event => {
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (event.key === "Enter" || event.key === " ") choose();
    else if (next?.dataset.k) next.focus();
    else return;
    event.preventDefault();
  });
};
const lightRows = (rows, from) => {
  const lit = litOf(rows, row => row.dataset.k.split(" "));
  for (const row of rows) {
    const isLit = lit.includes(row);
    row.classList.toggle("lit", isLit);
    if (isLit) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  return lit[0] && !lit.includes(from) ? lit[0] : null;
};

/** A table that stands in the page. */
const addTable = section => {
  const title = section.querySelector("h2").textContent;
  const rows = [...section.querySelectorAll("tr")].slice(1);
  const linked = rows.filter(row => row.dataset.k);
  linked.forEach(selectable);
  if (linked.length) followers.push(from => lightRows(linked, from));
  if (rows.length < 10) return;
  const texts = rows.map(row => row.textContent.toLowerCase());
  const count = filterField(section, `Search in ${title}`, words => {
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every(word => texts[i].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${number(shown)} of ${number(rows.length)} rows`;
  });
  count.textContent = `${number(rows.length)} rows`;
};

/** The steps, of which the page holds more than a browser likes to lay out. */
const addSteps = section => {
  const wide = section.querySelector(".wide");
  const table = wide.appendChild(make("table"));
  const head = table.createTHead().insertRow();
  for (const [i, name] of schedule.stepColumns.entries())
    head.appendChild(make("th", name, { scope: "col", class: i < schedule.stepColumns.length - 1 ? "n" : "" }));
  const body = table.createTBody();
  const boundOf = step => step[6] > step[7] ? "compute" : step[6] < step[7] ? "memory" : "balanced";
  const keyOf = step => `s${step[0]}.${step[1]}`;
  const textOf = step => `subgraph ${step[0]} step ${step[1]} ${boundOf(step)} ${schedule.subgraphs[step[0]]}`.toLowerCase();
  let first = 0, hits = schedule.steps;
  const more = button(section, "More rows", "Show more rows", () => fill(body.rows.length + kRowsShown));
  const count = filterField(section, "Search in the steps", words => {
    hits = words.length ? schedule.steps.filter(step => words.every(word => textOf(step).includes(word))) : schedule.steps;
    first = 0;
    fill(kRowsShown);
  });
  const fill = most => {
    body.replaceChildren();
    for (const step of hits.slice(first, first + most)) {
      const row = body.insertRow();
      row.dataset.k = `${keyOf(step)} s${step[0]}`;
      for (const value of step) {
        const cell = row.insertCell();
        cell.className = "n";
        cell.textContent = number(value);
      }
      row.insertCell().textContent = boundOf(step);
      selectable(row);
    }
    const last = first + body.rows.length;
    count.textContent = hits.length ? `${number(first + 1)}–${number(last)} of ${number(hits.length)} steps` : "no step";
    more.hidden = last >= hits.length;
    lightRows([...body.rows]);
  };
  followers.push(from => {
    // What is selected comes into the part of the table that is shown.
    const step = selected.find(k => k.includes("."));
    const wanted = step ? hits.findIndex(s => keyOf(s) === step) : hits.findIndex(s => selected.includes(`s${s[0]}`));
    if (wanted >= 0 && (wanted < first || wanted >= first + body.rows.length)) {
      first = Math.max(0, wanted - 5);
      fill(kRowsShown);
    }
    const row = lightRows([...body.rows], from);
    if (row) wide.scrollTop = Math.max(0, row.offsetTop - wide.clientHeight / 3);
  });
  fill(kRowsShown);
};

charts.charts.forEach(data => new Chart(data));
for (const section of document.querySelectorAll("section.table")) addTable(section);
const steps = document.getElementById("steps");
if (steps && schedule) addSteps(steps);
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) {
    document.getElementById("find")?.focus();
    event.preventDefault();
  }
});
select([]);
})();
