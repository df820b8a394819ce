"use strict";
// What every part of the page uses: making elements and writing numbers.
const page = {};

// make is an element with properties and children; text goes in as text.
page.make = (tag, props, ...children) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (name === "class") e.className = value;
    else if (name in e && typeof value !== "string") e[name] = value;
    else e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
};

// time writes microseconds.
page.time = us => {
  if (us == null || us < 0) return "";
  if (us < 1000) return us + " µs";
  if (us < 1e6) return (us / 1e3).toFixed(us < 1e5 ? 1 : 0) + " ms";
  if (us < 60e6) return (us / 1e6).toFixed(2) + " s";
  const s = Math.round(us / 1e6);
  return s < 3600 ? Math.floor(s / 60) + " min " + s % 60 + " s" : Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
};

// tick writes a time beside an axis: short, and without decimals that say nothing.
page.tick = us => {
  if (us < 60e6) return us === 0 ? "0" : us < 1e3 ? us + " µs" : us < 1e6 ? +(us / 1e3).toFixed(1) + " ms" : +(us / 1e6).toFixed(2) + " s";
  const s = Math.round(us / 1e6), two = n => String(n).padStart(2, "0");
  return (s < 3600 ? "" : Math.floor(s / 3600) + ":") + (s < 3600 ? Math.floor(s / 60) : two(Math.floor(s % 3600 / 60))) + ":" + two(s % 60);
};

// spans are the steps between ticks of time: 1, 2 and 5, from seconds on those of clocks.
page.spans = [1, 10, 100, 1e3, 1e4, 1e5].flatMap(n => [n, 2 * n, 5 * n])
  .concat([1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400].map(s => s * 1e6));

page.group = n => n == null ? "" : String(n).replace(/\B(?=(\d{3})+$)/g, "\u2009");

// bytes writes a number of bytes.
page.bytes = n => {
  if (!n) return n === 0 ? "0" : "";
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (n < 1024 || unit === "GiB") return (unit === "B" || n >= 100 ? Math.round(n) : n.toFixed(1)) + " " + unit;
    n /= 1024;
  }
};

// colour is the value of one of the page's colours in the theme that is shown.
page.colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// shorten leaves out the middle of a text: names that belong together differ at the end.
page.shorten = (text, most) => text.length <= most ? text : text.slice(0, most >> 2) + "\u2026" + text.slice(text.length - (most - (most >> 2) - 1));

page.count = (n, one, many) => page.group(n) + " " + (n === 1 ? one : many);

// section adds a part of the page with a heading and a link to it.
page.section = (id, title, about) => {
  const s = page.make("section", {id, "aria-labelledby": id + "-h"}, page.make("h2", {id: id + "-h"}, title));
  if (about) s.append(page.make("p", {class: "soft"}, about));
  document.getElementById("main").append(s);
  return s;
};
