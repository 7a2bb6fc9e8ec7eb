// SPDX-License-Identifier: GPL-3.0-or-later
// Uses every control of a report as a person does, and writes what came of it into the page. Runs after the page's own script.
(async () => {
"use strict";
const results = [];
const check = (name, ok, detail = "") => results.push({ name, ok: Boolean(ok), detail: String(detail) });
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const data = JSON.parse($("#charts").textContent) || { lines: [], charts: [] };
const schedule = JSON.parse($("#schedule").textContent);
const wait = ms => new Promise(done => setTimeout(done, ms));
const boxOf = svg => svg.getAttribute("viewBox").split(" ").map(Number);
const key = (element, name, more = {}) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
const at = (svg, x, y) => {
  const [vx, vy, vw, vh] = boxOf(svg), box = svg.getBoundingClientRect();
  return { clientX: box.left + (x - vx) / vw * box.width, clientY: box.top + (y - vy) / vh * box.height, bubbles: true, button: 0, pointerId: 1 };
};
const pointer = (svg, type, x, y) => svg.dispatchEvent(new PointerEvent(type, at(svg, x, y)));
const click = (svg, x, y) => { pointer(svg, "pointerdown", x, y); pointer(svg, "pointerup", x, y); };
const press = (root, label) => $$("button", root).find(b => b.getAttribute("aria-label").startsWith(label)).click();
const shown = section => $$("figure", section).find(f => !f.hidden);
const type = (field, text) => { field.value = text; field.dispatchEvent(new Event("input", { bubbles: true })); };
/** A point of the part that is no other part's. */
const pointOf = (parts, index) => {
  const [x, y, w, h] = parts[index];
  for (const [fx, fy] of [[.5, .5], [.25, .25], [.75, .75], [.1, .5], [.9, .5], [.5, .1], [.5, .9]]) {
    const [px, py] = [x + w * fx, y + h * fy];
    const hit = parts.findIndex(p => px >= p[0] && py >= p[1] && px < p[0] + p[2] && py < p[1] + p[3]);
    if (hit === index && !parts[index][6]) return [px, py];
  }
  return null;
};
const lit = name => $$(".mark.area", $(`#view-${name}`)).length;
const clickPartOf = (name, wanted) => {
  const chart = data.charts.find(c => c.name === name);
  const figure = shown($(`#view-${name}`));
  const { parts } = chart.pictures[Number(figure.dataset.picture)];
  for (let i = 0; i < parts.length; ++i) {
    const point = wanted(parts[i][4].split(" ")) && pointOf(parts, i);
    if (point) { click($("svg", figure), ...point); return parts[i][4].split(" "); }
  }
  return null;
};

for (const chart of data.charts) {
  const section = $(`#view-${chart.name}`), name = chart.name;
  const figure = shown(section), svg = $("svg", figure);
  const { parts } = chart.pictures[Number(figure.dataset.picture)], whole = boxOf(svg);
  const isWhole = () => boxOf(svg).join() === whole.join();
  check(`${name}: a picture and its name`, figure.getAttribute("aria-label") && figure.tabIndex === 0 && svg.getAttribute("role") === "img");
  press(section, "Zoom in");
  check(`${name}: zoom in`, boxOf(svg)[2] < whole[2], boxOf(svg));
  const before = boxOf(svg), [cx, cy] = [before[0] + before[2] / 2, before[1] + before[3] / 2];
  pointer(svg, "pointerdown", cx, cy);
  svg.dispatchEvent(new PointerEvent("pointermove", { ...at(svg, cx + before[2] / 12, cy), pointerId: 1 }));
  pointer(svg, "pointerup", cx, cy);
  check(`${name}: drag`, boxOf(svg)[0] < before[0], boxOf(svg));
  press(section, "Zoom out");
  check(`${name}: zoom out`, isWhole(), boxOf(svg));
  key(figure, "+");
  check(`${name}: plus`, !isWhole());
  const keyed = boxOf(svg);
  key(figure, "ArrowRight", { shiftKey: true });
  check(`${name}: Shift+right`, boxOf(svg)[0] > keyed[0]);
  key(figure, "-");
  key(figure, "0");
  check(`${name}: minus and 0`, isWhole());
  svg.dispatchEvent(new WheelEvent("wheel", { ...at(svg, whole[2] / 2, whole[3] / 2), deltaY: -300, ctrlKey: true, cancelable: true }));
  check(`${name}: Ctrl+wheel`, !isWhole());
  press(section, "Show everything");
  check(`${name}: fit`, isWhole());
  svg.dispatchEvent(new MouseEvent("dblclick", at(svg, whole[2] / 2, whole[3] / 2)));
  check(`${name}: double click`, !isWhole());
  press(section, "Show everything");
  if (!parts.length) continue;
  const first = parts.findIndex((p, i) => pointOf(parts, i));
  pointer(svg, "pointermove", ...pointOf(parts, first));
  const line = data.lines[parts[first][5][0]].split("\t")[0];
  check(`${name}: hover`, $("#tip").style.display === "block" && $("#tip").textContent.includes(line), $("#tip").textContent);
  check(`${name}: what is hovered is framed`, $$(".mark.hover", section).length === 1);
  pointer(svg, "pointerleave", 0, 0);
  check(`${name}: leaving`, $("#tip").style.display === "none" && !$$(".mark.hover", section).length);
  figure.focus();
  key(figure, "ArrowRight");
  check(`${name}: right`, $$(".mark.hover", section).length === 1 && $("#status").textContent.length > 3, $("#status").textContent);
  key(figure, "End");
  key(figure, "Home");
  key(figure, "Enter");
  if (parts[0][4]) check(`${name}: Enter selects`, lit(name) > 0 && !$("#clear").disabled);
  key(figure, "Escape");
  check(`${name}: Escape`, lit(name) === 0 && $("#clear").disabled);
}

if (schedule && schedule.subgraphs.length > 1 && data.charts.length) {
  // A subgraph that all charts have room for, the second of them.
  const has = (chart, key) => data.charts.find(c => c.name === chart).pictures[0].parts.some(p => p[4].split(" ").includes(key));
  const common = schedule.subgraphs.map((_, i) => i).filter(i => ["latency", "memory", "graph"].every(chart => has(chart, `s${i}`)));
  const wanted = common[1], name = `s${wanted}`;
  check("latency: a click", clickPartOf("latency", keys => keys[0] === name), name);
  for (const chart of ["latency", "memory", "graph"]) check(`linked: ${chart}`, lit(chart) > 0);
  const rows = $$("#subgraphs tr.lit");
  check("linked: row of the subgraph", rows.length === 1 && rows[0].dataset.k === name, rows.length);
  const steps = $$("#steps tr.lit");
  check("linked: rows of its steps", steps.length && steps.every(row => row.dataset.k.split(" ")[1] === name), steps.length);
  check("linked: status", $("#status").textContent.includes(`subgraph ${wanted}`), $("#status").textContent);
  const tiles = data.charts.find(c => c.name === "tiles");
  const grid = tiles.pictures.findIndex(p => p.key === name);
  if (grid >= 0) check("linked: tile grid", Number(shown($("#view-tiles")).dataset.picture) === grid);
  $("#clear").click();
  check("clear", lit("latency") === 0 && !$$("tr.lit").length && $("#clear").disabled);
  const opKeys = clickPartOf("graph", keys => keys[0][0] === "o" || keys[0][0] === "g" || keys[0][0] === "s");
  check("graph: a click", opKeys && lit("graph") > 0 && lit("latency") > 0 && $$("#subgraphs tr.lit").length > 0, opKeys);
  const moment = clickPartOf("memory", keys => keys[0].includes("."));
  check("memory: a click on a step", lit("memory") > 0 && (lit("latency") > 0) === has("latency", moment[0].split(".")[0]) && $$("#subgraphs tr.lit").length === 1, moment);
  const dot = clickPartOf("roofline", keys => keys[0][0] === "s");
  check("roofline: a click", lit("roofline") > 0 && $$("#subgraphs tr.lit").length === 1 && (lit("memory") > 0) === has("memory", dot[0]), dot);

  // The player of the tile grids, and the table of steps.
  const section = $("#view-tiles"), slider = $("input[type=range]", section), count = $(".count", section);
  const longest = tiles.pictures.reduce((a, p, i) => p.frames.length > tiles.pictures[a].frames.length ? i : a, 0);
  const choice = $("select", section);
  if (choice) {
    choice.value = longest;
    choice.dispatchEvent(new Event("change"));
  }
  const picture = tiles.pictures[choice ? longest : 0], frames = picture.frames.length;
  check("player: the grid that is chosen", Number(shown(section).dataset.picture) === (choice ? longest : 0) && Number(slider.max) === frames - 1);
  if (frames > 2) {
    press(section, "Next step");
    check("player: next", slider.value === "1" && count.textContent.startsWith("step 2 of"), count.textContent);
    const stepRow = $$("#steps tr.lit");
    const listed = schedule.steps.some(s => `s${s[0]}.${s[1]}` === `${picture.key}.1`);
    check("player: its step in the table", stepRow.length === 1 && stepRow[0].dataset.k.startsWith(`${picture.key}.${listed ? 1 : 0} `), stepRow.length);
    check("player: its step in memory", (lit("memory") > 0) === has("memory", picture.key));
    press(section, "Last step");
    check("player: last", slider.value === String(frames - 1));
    press(section, "Step before");
    check("player: before", slider.value === String(frames - 2));
    press(section, "First step");
    check("player: first", slider.value === "0");
    check("player: says what happens", $(".step", section).textContent.includes("working set") && $$(".mark.at", shown(section)).length === 1);
    slider.value = 2;
    slider.dispatchEvent(new Event("input"));
    check("player: slider", count.textContent.startsWith("step 3 of"));
    press(section, "Play");
    await wait(700);
    check("player: plays", Number(slider.value) > 2 || frames === 3, slider.value);
    if (Number(slider.value) < frames - 1) press(section, "Pause");
    const stopped = slider.value;
    await wait(400);
    check("player: pauses", slider.value === stopped);
  }
  const row = $$("#steps tbody tr")[0];
  row.click();
  check("steps: a click on a row", row.classList.contains("lit") && (lit("memory") > 0) === has("memory", row.dataset.k.split(" ")[1]));
  row.focus();
  key(row, "ArrowDown");
  check("steps: down", document.activeElement === row.nextElementSibling || !row.nextElementSibling);
  key(document.activeElement, "Enter");
  check("steps: Enter", document.activeElement.classList.contains("lit"));
  $$("#subgraphs tr[data-k]")[1].click();
  check("subgraphs: a click on a row", lit("graph") > 0 && lit("latency") > 0);
}

if (schedule) {
  const search = $("#steps input[type=search]");
  type(search, `subgraph 0`);
  const some = $$("#steps tbody tr").map(r => r.cells[0].textContent);
  check("steps: search", some.length && $("#steps .count").textContent.includes("of"), $("#steps .count").textContent);
  type(search, "no such words");
  check("steps: search finds nothing", !$$("#steps tbody tr").length && $("#steps .count").textContent === "no step");
  type(search, "");
  const all = $$("#steps tbody tr").length;
  const more = $$("#steps button").find(b => b.textContent === "More rows");
  check("steps: all again", all === Math.min(200, schedule.steps.length), all);
  if (schedule.steps.length > 200) {
    more.click();
    check("steps: more rows", $$("#steps tbody tr").length === Math.min(400, schedule.steps.length), $$("#steps tbody tr").length);
  } else {
    check("steps: no more rows", more.hidden);
  }
  const find = $("#find");
  key(document.body, "/");
  check("find: /", document.activeElement === find);
  type(find, schedule.ops[0]);
  check("find: lists", $$("#found button").some(b => b.textContent.startsWith(schedule.ops[0])));
  key(find, "ArrowDown");
  check("find: down", document.activeElement === $("#found button"));
  key(document.activeElement, "Escape");
  check("find: Escape", !$("#found").classList.contains("open") && document.activeElement === find);
  type(find, schedule.ops[0]);
  key(find, "Enter");
  check("find: Enter", $("#status").textContent.startsWith("Selected:"), $("#status").textContent);
  type(find, "no such name");
  check("find: nothing", $("#found").textContent.includes("Nothing"));
  type(find, "");
}

for (const section of $$("section.table")) {
  const field = $("input[type=search]", section);
  if (!field) continue;
  const rows = $$("tr", section).slice(1), words = rows[rows.length - 1].textContent.trim().split(/\s+/)[0];
  type(field, words);
  check(`${section.id}: search`, !rows[rows.length - 1].hidden);
  type(field, "no such words");
  check(`${section.id}: search finds nothing`, rows.every(row => row.hidden));
  type(field, "");
  check(`${section.id}: all again`, rows.every(row => !row.hidden));
}

const look = () => getComputedStyle(document.body).backgroundColor;
const paper = () => $$("figure svg").length ? $$("figure svg :is(rect, path, text)").filter(e => e.getClientRects().length).slice(0, 60).map(e => getComputedStyle(e).fill).join() : look();
const seen = {};
for (let i = 0; i < 3; ++i) {
  $("#theme").click();
  const chosen = document.documentElement.dataset.theme;
  seen[chosen] = [look(), paper()];
  const hidden = $$(".in-light, .in-dark").filter(e => getComputedStyle(e).display !== "none")
    .filter(e => e.getAttribute("class") === (chosen === "dark" ? "in-light" : "in-dark"));
  if (chosen !== "auto") check(`theme ${chosen}: only its own images`, !hidden.length, hidden.length);
}
check("theme: three states", Object.keys(seen).length === 3 && document.documentElement.dataset.theme === "auto", Object.keys(seen));
check("theme: page and pictures change", seen.light[0] !== seen.dark[0] && seen.light[1] !== seen.dark[1], JSON.stringify(seen));
let printed = 0;
window.print = () => { ++printed; };
$("#print").click();
check("print", printed === 1);
check("contents", $$("nav a").length > 0 && $$("nav a").every(a => document.getElementById(a.getAttribute("href").slice(1))));
for (const b of $$("button")) if (!["print"].includes(b.id)) b.click(); // no order of use may break it
await wait(300);
check("every control has a name", $$("button, input, select, figure").every(e => e.getAttribute("aria-label")), $$("button, input, select, figure").filter(e => !e.getAttribute("aria-label")).map(e => e.outerHTML.slice(0, 80)));
check("texts are not in a serif face", $$("svg text").every(t => /sans-serif|monospace/.test(getComputedStyle(t).fontFamily)));
check("nothing is asked from elsewhere", performance.getEntriesByType("resource").length === 0, performance.getEntriesByType("resource").map(r => r.name));
check("the page is not wider than its window", document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollWidth);
check("no errors", window.tilewrightErrors.length === 0, window.tilewrightErrors.join("; "));
const out = document.createElement("script"); // not laid out, not parsed
out.type = "application/json";
out.id = "results";
out.textContent = JSON.stringify(results).replace(/</g, "\\u003c");
document.body.append(out);
})().catch(error => {
  const out = document.createElement("script");
  out.type = "application/json";
  out.id = "results";
  out.textContent = JSON.stringify([{ name: "the exercise", ok: false, detail: `${error} ${error.stack}` }]).replace(/</g, "\\u003c");
  document.body.append(out);
});
