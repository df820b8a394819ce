// A table that sorts by any column, filters by a text, and holds only the rows
// that are seen, so that 100,000 rows cost what 40 do. It scrolls and sorts by
// keyboard: the frame and the heads can have the focus.
//
// columns: {name, get(i): value to sort by, text(value, i): what is shown,
// num: a number, names: as wide as they are, width: of others in ch, title: of the head, cls(value, i): a class}
// Values null, undefined and "" come last in either order.
page.table = (host, {name, columns, rows, sort, descending, filter = true}) => {
  const {make} = page, height = 28;
  const all = Array.from({length: rows}, (_, i) => i);
  let order = all, by = sort ?? -1, down = !!descending, wanted = "";

  const shown = (c, i) => { const v = c.get(i); return c.text ? c.text(v, i) : v == null ? "" : String(v); };
  const head = make("tr", {"aria-rowindex": "1"});
  const heads = columns.map((c, n) => {
    const button = make("button", {type: "button", title: c.title || "sort by " + c.name}, c.name);
    const th = make("th", {scope: "col", class: c.num ? "num" : ""}, button);
    button.addEventListener("click", () => { if (by === n) down = !down; else { by = n; down = !!c.num; } arrange(); });
    head.append(th);
    return th;
  });
  const body = make("tbody");
  // A column of names is as wide as its longest, up to so many characters that a
  // screen shows the next column, too; longer ones are told apart by their ends.
  const room = innerWidth < 640 ? 36 : 50;
  const limits = columns.map(c => !c.names ? Infinity : Math.min(room, all.reduce((most, i) => Math.max(most, shown(c, i).length), c.name.length + 2)));
  const widths = columns.map((c, n) => c.names ? 3 + limits[n] * .92 : c.width || (c.text === page.time ? 11 : 10));
  const total = widths.reduce((sum, w) => sum + w, 0);
  const cols = make("colgroup", {}, ...widths.map(w => { const col = make("col"); col.style.width = w / total * 100 + "%"; return col; }));
  const table = make("table", {class: "virtual", "aria-label": name}, cols, make("thead", {}, head), body);
  table.style.minWidth = total + "ch";
  const frame = make("div", {class: "scroller", tabIndex: 0, role: "region", "aria-label": name + ", scrolls"}, table);
  const said = make("span", {class: "soft", role: "status"});
  const bar = make("div", {class: "bar"});
  if (filter && rows > 8) {
    const input = make("input", {type: "search", placeholder: "filter", "aria-label": "filter " + name});
    input.addEventListener("input", () => { wanted = input.value.trim().toLowerCase(); arrange(); });
    bar.append(input);
  }
  bar.append(said);
  host.append(bar, frame);

  function arrange() {
    order = all;
    if (wanted) {
      const words = wanted.split(/\s+/);
      order = all.filter(i => { const text = columns.map(c => shown(c, i)).join(" ").toLowerCase(); return words.every(w => text.includes(w)); });
    }
    heads.forEach((th, n) => n === by ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
    if (by >= 0) {
      const values = new Map(order.map(i => [i, columns[by].get(i)])), none = v => v == null || v === "";
      order = order.slice().sort((a, b) => {
        const x = values.get(a), y = values.get(b);
        if (none(x) || none(y)) return none(x) - none(y) || a - b;
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a - b;
      });
    }
    table.setAttribute("aria-rowcount", order.length + 1);
    said.textContent = wanted ? page.group(order.length) + " of " + page.count(rows, "row", "rows") : page.count(rows, "row", "rows");
    frame.scrollTop = 0;
    first = -1;
    show();
  }
  const gap = px => { const td = make("td", {colSpan: columns.length}), tr = make("tr", {class: "gap", "aria-hidden": "true"}, td); td.style.height = tr.style.height = px + "px"; return tr; };
  let first = -1;
  function show() {
    const from = Math.max(0, Math.floor(frame.scrollTop / height) - 10), to = Math.min(order.length, from + 50);
    if (from === first) return;
    first = from;
    const list = [gap(from * height)];
    for (let n = from; n < to; n++) {
      const i = order[n];
      list.push(make("tr", {"aria-rowindex": String(n + 2)}, ...columns.map((c, k) => {
        const text = shown(c, i), cls = [c.num ? "num" : "", c.cls ? c.cls(c.get(i), i) : ""].join(" ").trim();
        return make("td", text.length > 12 ? {class: cls, title: text} : {class: cls}, page.shorten(text, limits[k]));
      })));
    }
    list.push(gap((order.length - to) * height));
    body.replaceChildren(...list);
  }
  frame.addEventListener("scroll", show, {passive: true});
  arrange();
  return frame;
};

// plain is a table of few rows, which wrap. cells: rows of texts.
page.plain = (host, name, heads, cells) => {
  const {make} = page;
  const table = make("table", {class: "plain", "aria-label": name},
    make("thead", {}, make("tr", {}, ...heads.map(h => make("th", {scope: "col"}, h)))),
    make("tbody", {}, ...cells.map(row => make("tr", {}, ...row.map(text => make("td", {}, text))))));
  host.append(make("div", {class: "scroller", tabIndex: 0, role: "region", "aria-label": name + ", scrolls"}, table));
};
