// The processes of the build by place and time, on a canvas. Drag to zoom, double
// click for all; by keyboard: arrows go from process to process, + and - zoom, 0
// shows all. The table of cells holds the same.
page.timeline = (host, D) => {
  const {make} = page, R = D.runs, C = D.cells, n = R.cell.length, lanes = D.lanes, wall = Math.max(D.build.wall, 1);
  const critical = new Map(D.path.map(s => [s.run, s]));
  const perLane = Array.from({length: lanes}, () => []);
  for (let r = 0; r < n; r++) perLane[R.lane[r]].push(r); // in order of start
  const cached = D.words.indexOf("cached");
  const hits = C.end.map((t, i) => C.state[i] === cached ? t : -1).filter(t => t >= 0).sort((a, b) => a - b);
  const rows = lanes + (hits.length ? 1 : 0);
  const legend = make("div", {class: "legend"});
  const key = (name, text) => { const i = make("i"); i.style.background = "var(--" + name + ")"; legend.append(make("span", {}, i, text)); };
  const used = new Set(R.cell.map(c => D.words[C.state[c]]));
  for (const w of D.words) if (used.has(w)) key(w, w);
  if (critical.size) key("critical", "on the critical path (upper edge)");
  if (hits.length) key("cached", "found in the cache (lowest row)");
  const said = make("div", {class: "said", role: "status"}, "Point at a process, or move with the arrow keys.");
  const frame = make("figure", {tabIndex: 0, role: "application", "aria-label": "Timeline of " + n + " processes in " + lanes + " places. Arrow keys go from process to process, plus and minus zoom, 0 shows all."});
  host.append(legend, frame, said);
  if (!n && !hits.length) { frame.replaceChildren("Nothing ran."); return; }

  let picked = -1, colours = {};
  const byStart = Array.from({length: n}, (_, i) => i).sort((a, b) => R.start[a] - R.start[b] || R.lane[a] - R.lane[b]);
  const why = {start: "nothing held it up", needs: "it needs the step before it", processor: "it waited for a processor", again: "it was killed for want of memory and ran again"};
  const pick = r => {
    picked = r;
    if (r >= 0) {
      const c = R.cell[r], s = critical.get(r);
      said.textContent = C.label[c] + ": " + D.words[C.state[c]] + ", began at " + page.time(R.start[r]) + ", took " + page.time(R.end[r] - R.start[r]) +
        ", place " + (R.lane[r] + 1) + (C.rss[c] ? ", " + page.bytes(C.rss[c] * 1024) : "") + (s ? "; on the critical path: " + why[s.why] : "");
    }
    plot.redraw(false);
  };
  // firstAt is the first run of a lane that ends after a time.
  const firstAt = (list, t) => { let a = 0, b = list.length; while (a < b) { const m = (a + b) >> 1; if (R.end[list[m]] <= t) a = m + 1; else b = m; } return a; };
  const band = () => { const h = plot.bbox.height / rows; return {h, thick: Math.max(1, h - Math.min(4, h / 4))}; };

  function draw(u) {
    const ctx = u.ctx, {left, top, width} = u.bbox, {h, thick} = band();
    const min = u.scales.x.min, max = u.scales.x.max, at = t => left + (t - min) / (max - min) * width;
    ctx.save();
    ctx.beginPath(); ctx.rect(left, top, width, u.bbox.height); ctx.clip();
    for (let lane = 0; lane < lanes; lane++) {
      const list = perLane[lane], y = top + lane * h + (h - thick) / 2;
      let last = -1;
      for (let k = firstAt(list, min); k < list.length && R.start[list[k]] < max; k++) {
        const r = list[k], x0 = Math.max(at(R.start[r]), left - 2), x1 = Math.max(at(R.end[r]), x0 + 1);
        if (x1 - last < 1 && r !== picked && !critical.has(r)) continue; // the pixel is drawn
        last = x1;
        ctx.fillStyle = colours[D.words[C.state[R.cell[r]]]];
        ctx.fillRect(x0, y, x1 - x0 > 3 ? x1 - x0 - 1 : x1 - x0, thick);
        if (critical.has(r)) { ctx.fillStyle = colours.critical; ctx.fillRect(x0, y, Math.max(x1 - x0 - 1, 2), Math.max(3, thick / 5)); }
        if (r === picked) { ctx.strokeStyle = colours.text; ctx.lineWidth = 2 * devicePixelRatio; ctx.strokeRect(x0, y, x1 - x0, thick); }
        else if (x1 - x0 > 60 * devicePixelRatio && thick > 11 * devicePixelRatio) {
          ctx.save(); ctx.beginPath(); ctx.rect(x0, y, x1 - x0 - 6, thick); ctx.clip();
          ctx.fillStyle = colours.bg; ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif"; ctx.textBaseline = "middle"; ctx.textAlign = "left";
          ctx.fillText(C.label[R.cell[r]], x0 + 5 * devicePixelRatio, y + thick / 2 + devicePixelRatio);
          ctx.restore();
        }
      }
    }
    if (hits.length) {
      const y = top + lanes * h + (h - thick) / 2;
      ctx.fillStyle = colours.cached;
      let last = -1;
      for (const t of hits) { const x = Math.round(at(t)); if (x !== last && x >= left) { last = x; ctx.fillRect(x, y, Math.max(1, devicePixelRatio), thick); } }
    }
    ctx.restore();
  }
  const height = Math.min(620, Math.max(150, rows * 22 + 60));
  const plot = page.plot(frame, {
    height, legend: {show: false}, cursor: {y: false, drag: {x: true, y: false}, points: {show: false}},
    scales: {x: {time: false, range: (u, a, b) => a == null || a === b ? [0, wall] : [a, b]}, y: {range: [0, rows]}},
    series: [{}, {}],
    axes: [{incrs: page.spans, values: (u, t) => t.map(page.tick)}, {show: true, size: 44, grid: {show: false}, splits: () => [], values: () => []}],
    hooks: {draw: [draw]},
  }, [[0, wall], [null, null]], () => { for (const c of [...D.words, "critical", "text", "bg"]) colours[c] = page.colour(c); });

  frame.addEventListener("mousemove", e => {
    const u = plot.u, box = u.over.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    const lane = Math.floor(y / box.height * rows), t = u.posToVal(x, "x"), slack = u.posToVal(x + 2, "x") - t;
    if (lane < 0 || lane >= lanes) return;
    const list = perLane[lane], k = firstAt(list, t - slack);
    if (k < list.length && R.start[list[k]] <= t + slack && list[k] !== picked) pick(list[k]);
  });
  const zoom = factor => {
    const {min, max} = plot.u.scales.x, mid = picked >= 0 ? (R.start[picked] + R.end[picked]) / 2 : (min + max) / 2, half = (max - min) * factor / 2;
    plot.u.setScale("x", {min: Math.max(0, mid - half), max: Math.min(wall, Math.max(mid + half, mid - half + 10))});
  };
  frame.addEventListener("keydown", e => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
    if (step && n) {
      const k = picked < 0 ? (step > 0 ? 0 : n - 1) : Math.min(n - 1, Math.max(0, byStart.indexOf(picked) + step));
      pick(byStart[k]);
      const {min, max} = plot.u.scales.x, r = byStart[k];
      if (R.start[r] < min || R.end[r] > max) zoom(1);
    } else if (e.key === "+" || e.key === "=") zoom(1 / 2);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0" || e.key === "Home") plot.u.setScale("x", {min: 0, max: wall});
    else return;
    e.preventDefault();
  });
};
