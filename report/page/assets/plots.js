// Plots by uPlot in the colours of the theme, as wide as their frame.

page.plots = [];

// plot puts one into a frame. Colours are asked for when it is drawn, so that a
// change of the theme only draws again; prepare is called before.
page.plot = (frame, options, data, prepare) => {
  const axis = {stroke: () => page.colour("soft"), grid: {stroke: () => page.colour("grid"), width: 1}, ticks: {stroke: () => page.colour("line"), width: 1}, font: "12px system-ui, sans-serif"};
  const width = () => Math.max(240, frame.clientWidth - 18);
  const merged = {...options, width: width(), axes: options.axes.map(a => ({...axis, ...a, grid: {...axis.grid, ...a.grid}}))};
  merged.series = options.series.map(s => s.colour ? {...s, stroke: () => page.colour(s.colour), points: {fill: () => page.colour(s.colour), ...s.points}} : s);
  prepare?.();
  const p = {redraw: (...args) => p.u && p.u.redraw(...args), get bbox() { return p.u.bbox; }};
  p.u = new uPlot(merged, data, (u, init) => { p.u = u; frame.append(u.root); init(); });
  p.again = () => { prepare?.(); p.u.redraw(false, true); };
  p.frame = frame;
  let seen = frame.clientWidth;
  new ResizeObserver(() => { if (frame.clientWidth !== seen && frame.clientWidth > 0) { seen = frame.clientWidth; p.u.setSize({width: width(), height: options.height}); } }).observe(frame);
  page.plots.push(p);
  return p;
};

// figure is a frame with a caption.
page.figure = (host, caption) => {
  const f = page.make("figure", {}, page.make("figcaption", {}, caption));
  host.append(f);
  return f;
};

// steps turns events [time, change] into a curve that holds its value.
page.steps = (events, wall) => {
  events.sort((a, b) => a[0] - b[0]);
  const x = [0], y = [0];
  let sum = 0;
  for (const [t, change] of events) {
    sum += change;
    if (x[x.length - 1] === t) y[y.length - 1] = sum; else { x.push(t); y.push(sum); }
  }
  if (x[x.length - 1] < wall) { x.push(wall); y.push(sum); }
  return [x, y];
};

page.powers = Array.from({length: 50}, (_, i) => 2 ** i);
page.wholes = Array.from({length: 12}, (_, i) => [1, 2, 5].map(m => m * 10 ** i)).flat();

// curves plots stepped curves over the time of the build. Lines lie at whole
// numbers, or at the powers of two.
page.curves = (host, caption, list, values, binary) => {
  const joined = list.length > 1 ? uPlot.join(list.map(c => c.data)) : list[0].data;
  return page.plot(page.figure(host, caption), {
    height: 210, scales: {x: {time: false}, y: {range: (u, a, b) => [0, Math.max(b, 1) * 1.05]}},
    series: [{label: "time", value: (u, v) => v == null ? "" : page.time(Math.round(v))},
      ...list.map(c => ({label: c.label, colour: c.colour, width: 2, spanGaps: true, paths: uPlot.paths.stepped({align: 1}), points: {show: false},
        value: (u, v, s, i) => { if (i == null) return ""; const d = u.data[s]; while (i > 0 && d[i] == null) i--; return d[i] == null ? "" : values(d[i]); }}))],
    axes: [{incrs: page.spans, values: (u, t) => t.map(page.tick)}, {size: 74, incrs: binary ? page.powers : page.wholes, values: (u, t) => t.map(values)}],
  }, joined);
};

// scatter plots times against times, both logarithmic, with the line where they
// are equal. points: [x, y, name].
page.scatter = (host, caption, points, across, up) => {
  points.sort((a, b) => a[0] - b[0]);
  const x = points.map(p => p[0]), low = points.reduce((m, p) => Math.min(m, p[0], p[1]), Infinity), high = points.reduce((m, p) => Math.max(m, p[0], p[1]), 1);
  const range = () => [Math.max(1, low * .8), high * 1.25];
  const splits = (u, i, min, max) => {
    const out = [];
    for (let d = Math.pow(10, Math.floor(Math.log10(min))); d <= max; d *= 10) for (const m of [1, 2, 5]) if (d * m >= min && d * m <= max) out.push(d * m);
    return out;
  };
  return page.plot(page.figure(host, caption), {
    height: 300, cursor: {focus: {prox: 30}}, scales: {x: {time: false, distr: 3, range}, y: {distr: 3, range}},
    series: [{label: across, value: (u, v) => v == null ? "" : page.time(Math.round(v))},
      {label: up, colour: "s0", width: 0, paths: () => null, points: {show: true, size: 5}, value: (u, v, s, i) => i == null || v == null ? "" : page.time(Math.round(v)) + ", " + points[i][2]},
      {label: "equal", colour: "s1", width: 1, dash: [5, 5], points: {show: false}, value: () => ""}],
    axes: [{label: across, labelSize: 22, splits, filter: (u, t) => t, values: (u, t) => t.map(page.tick)}, {size: 74, splits, filter: (u, t) => t, values: (u, t) => t.map(page.tick)}],
  }, [x, points.map(p => p[1]), x]);
};

// strips plots a number of many things by groups: one place across for each name,
// one colour for each group. rows: {name, group, value}.
page.strips = (frame, rows, groups, values) => {
  const names = [...new Set(rows.map(r => r.name))], place = new Map(names.map((n, i) => [n, i]));
  const tables = groups.map((g, j) => {
    const own = rows.filter(r => r.group === g && r.value != null).map(r => [place.get(r.name) + (j - (groups.length - 1) / 2) * .7 / Math.max(groups.length, 1), r.value]).sort((a, b) => a[0] - b[0]);
    return [own.map(p => p[0]), own.map(p => p[1])];
  });
  const label = n => page.shorten(n, 30), longest = names.reduce((m, n) => Math.max(m, label(n).length), 0);
  return page.plot(frame, {
    height: 360, scales: {x: {time: false, range: [-.7, names.length - .3]}, y: {range: (u, a, b) => [0, Math.max(b || 0, 1) * 1.08]}},
    series: [{label: "of", value: (u, v) => v == null ? "" : names[Math.round(v)] || ""},
      ...groups.map((g, j) => ({label: g, colour: "s" + j % 8, width: 0, paths: () => null, points: {show: true, size: 7}, value: (u, v) => v == null ? "" : values(v)}))],
    axes: [{size: 20 + longest * 7, rotate: -90, space: 14, grid: {show: false},
      splits: u => { const {min, max} = u.scales.x, room = Math.max(1, Math.ceil((max - min) * 15 / Math.max(u.width - 80, 1))), out = []; for (let i = Math.max(0, Math.ceil(min)); i <= Math.min(names.length - 1, max); i += room) out.push(i); return out; },
      values: (u, t) => t.map(i => i in names ? label(names[i]) : "")}, {size: 62, values: (u, t) => t.map(values)}],
  }, uPlot.join(tables));
};
