// The parts of the page, from its data.
(() => {
  const D = JSON.parse(document.getElementById("data").textContent), B = D.build, C = D.cells, R = D.runs, O = D.objects;
  const {make, time, group, bytes, section, table} = page;
  const main = document.getElementById("main");
  const state = i => D.words[C.state[i]], cls = v => "st-" + v;
  const signed = n => n > 0 ? " (+" + group(n) + ")" : n < 0 ? " (\u2212" + group(-n) + ")" : "";

  const theme = document.getElementById("theme"), themes = [["", "as the system"], ["light", "light"], ["dark", "dark"]];
  let chosen = 0;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    chosen = (chosen + 1) % themes.length;
    if (themes[chosen][0]) document.documentElement.dataset.theme = themes[chosen][0]; else delete document.documentElement.dataset.theme;
    theme.textContent = "Theme: " + themes[chosen][1];
    page.plots.forEach(p => p.again());
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.plots.forEach(p => p.again()));

  const tile = (value, text) => document.getElementById("numbers").append(make("div", {class: "tile"}, make("b", {}, value), make("span", {}, text)));
  tile(time(B.wall), "from begin to end");
  tile(group(B.total), "cells and helpers");
  tile(group(B.built), "built");
  tile(group(B.cached), "from the cache" + (B.total ? ", " + Math.round(B.cached / B.total * 100) + " %" : ""));
  if (B.failed) tile(group(B.failed), "failed");
  if (B.skipped) tile(group(B.skipped), "skipped for it");
  if (B.stopped + B.open) tile(group(B.stopped + B.open), "stopped or never begun");
  if (B.ran) {
    tile(B.wall ? Math.round(B.busy / (B.jobs || 1) / B.wall * 100) + " %" : "", "of the processors' time in use");
    tile(time(Math.max(B.work, B.chain)), "at least, by any schedule: the longest chain takes " + time(B.chain) + ", all work " + time(B.work));
  }

  const timeline = section("timeline", "Timeline", "Every process by the place that it had and its time. Drag to zoom, double click for all.");
  page.timeline(timeline, D);
  if (C.label.length) {
    const curves = make("div", {class: "plots"}), done = [], hit = [];
    timeline.append(curves);
    C.label.forEach((_, i) => { if (C.end[i] >= 0 && (state(i) === "built" || state(i) === "cached")) { done.push([C.end[i], 1]); if (state(i) === "cached") hit.push([C.end[i], 1]); } });
    page.curves(curves, "Cells done", [{label: "done", colour: "s0", data: page.steps(done, B.wall)}, {label: "of them from the cache", colour: "s2", data: page.steps(hit, B.wall)}], v => group(Math.round(v)));
    const running = [], memory = [];
    R.cell.forEach((c, r) => { running.push([R.start[r], 1], [R.end[r], -1]); if (C.rss[c]) memory.push([R.start[r], C.rss[c]], [R.end[r], -C.rss[c]]); });
    if (R.cell.length) page.curves(curves, "Processes at once, " + B.jobs + " allowed", [{label: "processes", colour: "s0", data: page.steps(running, B.wall)}], v => String(Math.round(v * 10) / 10));
    if (memory.length) page.curves(curves, "Memory, if each process had its peak all the time", [{label: "memory", colour: "s3", data: page.steps(memory, B.wall)}], v => bytes(v * 1024), true);
  }

  if (D.path.length) {
    const why = {start: "nothing before it", needs: "needs the step before", processor: "waited for a processor", again: "killed for want of memory, again"};
    table(section("path", "Critical path", "What the end of the build waited for, from the first process to the last."), {
      name: "critical path", rows: D.path.length, filter: false,
      columns: [
        {name: "step", num: true, width: 6, get: i => i + 1},
        {name: "cell", names: true, get: i => C.label[R.cell[D.path[i].run]]},
        {name: "began", num: true, get: i => R.start[D.path[i].run], text: time},
        {name: "took", num: true, get: i => R.end[D.path[i].run] - R.start[D.path[i].run], text: time},
        {name: "why then", width: 26, get: i => why[D.path[i].why]},
        {name: "waited", num: true, get: i => D.path[i].waited, text: time},
      ],
    });
  }

  const caching = section("cache", "Cache", group(B.cached) + " of " + page.count(B.total, "cell", "cells") + " came from the cache. " + (D.misses.length ? "The others, by reason:" : "Nothing was missing from it."));
  if (D.misses.length) page.plain(caching, "reasons for misses", ["cells", "reason", "with it"], D.misses.slice(0, 200).map(m => [group(m.count), m.reason, m.follows.join("; ")]));
  if (D.misses.length > 200) caching.append(make("p", {}, page.count(D.misses.length - 200, "more reason", "more reasons") + ": see the table of cells."));

  table(section("cells", "Cells", "Expected is what the build guessed before. Before is the median of the earlier builds in the logs that ran the cell."), {
    name: "cells", rows: C.label.length, sort: 2, descending: true,
    columns: [
      {name: "cell", names: true, get: i => C.label[i]},
      {name: "became", width: 11, get: state, cls},
      {name: "took", num: true, title: "time of its process; of one from the cache, when it was built", get: i => C.wall[i] || null, text: time},
      {name: "expected", num: true, width: 11, get: i => C.guess[i] || null, text: time},
      {name: "before", num: true, get: i => C.before[i] || null, text: time},
      {name: "ratio", num: true, width: 8, title: "took / before", get: i => C.before[i] && C.start[i] >= 0 ? C.wall[i] / C.before[i] : null, text: v => v == null ? "" : v.toFixed(2), cls: v => v > 1.25 ? "worse" : v && v < .8 ? "better" : ""},
      {name: "CPU", num: true, title: "user and system time", get: i => C.cpu[i] || null, text: time},
      {name: "memory", num: true, title: "peak of its largest process", get: i => C.rss[i] || null, text: v => v == null ? "" : bytes(v * 1024)},
      {name: "began", num: true, get: i => C.start[i] < 0 ? null : C.start[i], text: time},
      {name: "not in the cache because", width: 40, get: i => C.miss[i] < 0 ? "" : D.misses[C.miss[i]].reason},
    ],
  });

  const compared = C.label.map((_, i) => i).filter(i => C.start[i] >= 0 && C.wall[i] > 0 && (C.before[i] || C.guess[i]));
  if (compared.length || D.history.builds.length > 1) {
    const s = section("history", "Against history"), plots = make("div", {class: "plots"});
    s.append(plots);
    const before = compared.filter(i => C.before[i]), guessed = compared.filter(i => C.guess[i]);
    if (before.length) page.scatter(plots, "Time of each cell against its median before", before.map(i => [C.before[i], C.wall[i], C.label[i]]), "before", "now");
    if (guessed.length) page.scatter(plots, "Time of each cell against what was expected", guessed.map(i => [C.guess[i], C.wall[i], C.label[i]]), "expected", "took");
    const H = D.history.builds;
    if (H.length > 1) table(s, {
      name: "builds", rows: H.length, filter: false, sort: 0, descending: true,
      columns: [
        {name: "build", names: true, get: i => H[i].log, text: (v, i) => v + (i === H.length - 1 ? ", this one" : "")},
        {name: "wall", num: true, get: i => H[i].wall, text: time},
        {name: "processes", num: true, get: i => H[i].ran, text: group},
        {name: "their time", num: true, get: i => H[i].busy, text: time},
        {name: "cached", num: true, get: i => H[i].cached, text: group},
        {name: "failed", num: true, get: i => H[i].failed, text: group},
        {name: "cells of both", num: true, width: 13, title: "cells that ran there and in this build", get: i => H[i].shared, text: group},
        {name: "there", num: true, title: "their time there", get: i => H[i].shared ? H[i].same : null, text: time},
        {name: "here", num: true, title: "their time in this build", get: i => H[i].shared ? H[i].now : null, text: time},
      ],
    });
  }

  const numbers = [
    ["VGPRs", o => o.kernel.vgprs, "registers of a lane"], ["SGPRs", o => o.kernel.sgprs], ["spills", o => o.kernel.vgpr_spills + o.kernel.sgpr_spills, "of vector and scalar registers"],
    ["scratch", o => o.kernel.scratch, "bytes of a work-item"], ["LDS", o => o.kernel.lds, "bytes of a work-group"], ["waves", o => o.kernel.waves_per_simd, "at once on a SIMD"],
    ["code", o => o.kernel.code_bytes, "bytes of instructions"], ["group", o => o.kernel.max_workgroup, "most work-items of a work-group"],
  ];
  const total = e => Object.values(e.instructions || {}).reduce((a, b) => a + b, 0);
  if (O.some(o => o.emulated)) numbers.push(
    ["instructions", o => o.emulated ? total(o.emulated) : null, "executed by one seeded launch on the emulator, a wave each"], ["WMMA", o => o.emulated ? o.emulated.instructions.wmma || 0 : null, "of them"],
    ["LDS cycles", o => o.emulated ? o.emulated.lds_cycles : null, "by the emulator's model"], ["conflicts", o => o.emulated ? o.emulated.lds_conflicts : null, "cycles more for LDS bank conflicts"],
    ["moved", o => o.emulated ? o.emulated.global.loaded + o.emulated.global.stored + o.emulated.scalar_loaded : null, "bytes of global memory"]);
  if (O.length) {
    const s = section("resources", "Resources", "Of each kernel in the objects that this build made or found, as their notes and descriptors say."), select = make("select", {"aria-label": "number to plot"}, ...numbers.map(([n, , about], i) => make("option", {value: String(i)}, about ? n + ": " + about : n)));
    const frame = make("figure", {}, make("figcaption", {}, "By cell without its GPU; a colour for each GPU. ", select));
    s.append(frame);
    const targets = [...new Set(O.map(o => o.target))].sort();
    const main = O.filter(o => !o.prep).map(o => ({o, name: o.label.replace(/@[^+]*/, "")})).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    let plot;
    const show = () => {
      if (plot) { plot.u.destroy(); page.plots.splice(page.plots.indexOf(plot), 1); }
      plot = page.strips(frame, main.map(m => ({name: m.name, group: m.o.target, value: numbers[select.value][1](m.o)})), targets, v => group(Math.round(v)));
    };
    select.addEventListener("change", show);
    if (main.length) show();
    table(s, {
      name: "resources", rows: O.length, sort: 0,
      columns: [
        {name: "cell", names: true, get: i => O[i].label},
        {name: "kernel", names: true, get: i => O[i].kernel.name},
        ...numbers.map(([name, get, about]) => ({name, num: true, width: Math.max(9, name.length + 4), title: about, get: i => get(O[i]), text: group, cls: v => (name === "spills" || name === "scratch") && v > 0 ? "worse" : ""})),
        {name: "object", num: true, title: "bytes of the file", get: i => O[i].size, text: group},
      ],
    });
  }

  const E = D.equal;
  if (E.rows.length) {
    const s = section("equal", "Equal objects", page.count(E.objects, "object is", "objects are") + " " + page.count(E.files, "different file", "different files") + " with " + page.count(E.codes, "different sequence", "different sequences") +
      " of instructions. In a row the same letter is the same instructions; numbers tell files apart whose instructions are equal and whose other bytes are not.");
    table(s, {
      name: "equal objects", rows: E.rows.length, sort: 0,
      columns: [
        {name: "kernel and mode", names: true, get: i => E.rows[i].name},
        {name: "different", num: true, title: "sequences of instructions in the row", get: i => E.rows[i].codes},
        ...E.targets.map((t, n) => ({name: t, width: 10, get: i => E.rows[i].cells[n], cls: v => "eq" + (v ? " eq" + (v.charCodeAt(0) - 65) % 8 : "")})),
      ],
    });
  }

  if (D.against) {
    const A = D.against, s = section("against", "Before and now", "The objects of this build against " + A.name + ": " + (A.kinds.map(k => group(k.count) + " " + k.word).join(", ") || "none in common") +
      (A.gone ? ". It has " + page.count(A.gone, "object", "objects") + " more, which this build says nothing of." : "."));
    const pair = (name, get) => ({name, num: true, width: Math.max(13, name.length + 4), get: i => get(A.rows[i].is), text: (v, i) => { const was = A.rows[i].was; return group(v) + (was ? signed(v - get(was)) : ""); },
      cls: (v, i) => { const was = A.rows[i].was; if (!was || get(was) === v) return ""; return (v > get(was)) === (name === "waves") ? "better" : "worse"; }});
    const likeness = ["identical", "metadata only", "new", "constants changed", "changed", "ISA changed"]; // among equal numbers, the more changed first
    const worse = r => r.was ? (r.is.vgpr_spills + r.is.sgpr_spills - r.was.vgpr_spills - r.was.sgpr_spills) * 1e6 + (r.is.scratch - r.was.scratch) * 1e3 + (r.was.waves_per_simd - r.is.waves_per_simd) * 1e3 + r.is.vgprs - r.was.vgprs : 0;
    table(s, {
      name: "before and now", rows: A.rows.length, sort: 2, descending: true,
      columns: [
        {name: "cell", names: true, get: i => A.rows[i].label},
        {name: "kernel", names: true, get: i => A.rows[i].is.name},
        {name: "became", title: "spills count most, then scratch and waves, then registers", width: 11, get: i => worse(A.rows[i]) + likeness.indexOf(A.rows[i].word) / 100, text: v => v >= 1 ? "worse" : v <= -.5 ? "better" : "", cls: v => v >= 1 ? "worse" : v <= -.5 ? "better" : ""},
        {name: "object", width: 18, get: i => A.rows[i].word},
        pair("VGPRs", k => k.vgprs), pair("SGPRs", k => k.sgprs), pair("spills", k => k.vgpr_spills + k.sgpr_spills), pair("scratch", k => k.scratch), pair("LDS", k => k.lds), pair("waves", k => k.waves_per_simd), pair("code", k => k.code_bytes),
        {name: "bytes", num: true, width: 16, get: i => A.rows[i].sizes[1], text: (v, i) => group(v) + (A.rows[i].was ? signed(v - A.rows[i].sizes[0]) : "")},
      ],
    });
  }

  if (D.leftout.length) {
    const s = section("leftout", "Left out", "What the matrix of this checkout keeps out today, and why.");
    page.plain(s, "left out", ["rule", "reason", "cells", "issue", "until", "declared"], D.leftout.map(l => [l.rule, l.reason, group(l.cells), l.issue || "", l.until || "for good", l.declared || ""]));
    const all = D.leftout.flatMap(l => (l.addresses || []).map(a => [a, l.rule]));
    if (all.length) {
      const more = make("details", {}, make("summary", {}, "The " + page.count(all.length, "cell", "cells")));
      s.append(more);
      more.addEventListener("toggle", () => table(more, {name: "cells left out", rows: all.length, columns: [{name: "cell", names: true, get: i => all[i][0]}, {name: "rule", width: 40, get: i => all[i][1]}]}), {once: true});
    }
  }

  if (D.warnings.length + D.notes.length) {
    const s = section("notes", "Warnings and notes");
    s.append(make("ul", {}, ...D.notes.map(n => make("li", {}, n))));
    if (D.warnings.length) table(s, {name: "warnings", rows: D.warnings.length, columns: [{name: "at", num: true, get: i => D.warnings[i].at, text: time}, {name: "cell", names: true, get: i => D.warnings[i].label}, {name: "warning", width: 80, get: i => D.warnings[i].text}]});
  }

  document.getElementById("nav").append(...[...main.querySelectorAll("section > h2")].map(h => make("a", {href: "#" + h.parentElement.id}, h.textContent)));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
