// Draws the charts with uPlot, which draws axes and handles size, pointer and zoom. Everything becomes an SVG, so that
// charts follow the color scheme, are sharp on paper, and can be saved.
"use strict";
const documentData = JSON.parse(document.getElementById("data").textContent);
const charts = JSON.parse(document.getElementById("plots").textContent);
const fontFamily = '"Liberation Sans", Arial, Helvetica, sans-serif', font = `11px ${fontFamily}`;
const legendLine = 17, savedWidth = 640, savedHeading = 30;
const canvasContext = HTMLCanvasElement.prototype.getContext;
const ruler = canvasContext.call(document.createElement("canvas"), "2d");
ruler.font = font;
const widthOf = (text) => ruler.measureText(text).width;

const create = (name, parent, attributes) => {
  const element = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const short = (n) => Math.round(n * 100) / 100;

// SVGContext has the methods of a canvas context that uPlot calls for axes.
class SVGContext {
  constructor() {
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    Object.assign(this, {x: 0, y: 0, turn: 0, saved: [], path: "", dashes: []});
  }
  clearRect() { this.svg.replaceChildren(); }
  save() { this.saved.push([this.x, this.y, this.turn]); }
  restore() { [this.x, this.y, this.turn] = this.saved.pop(); }
  translate(x, y) { this.x += x; this.y += y; }
  rotate(angle) { this.turn += angle * 180 / Math.PI; }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${short(x + this.x)} ${short(y + this.y)}`; }
  lineTo(x, y) { this.path += `L${short(x + this.x)} ${short(y + this.y)}`; }
  setLineDash(dashes) { this.dashes = dashes; }
  stroke() {
    if (this.path) create("path", this.svg, {d: this.path, style: `fill:none;stroke:${this.strokeStyle};stroke-width:${this.lineWidth};stroke-dasharray:${this.dashes}`});
  }
  fillText(text, x, y) {
    const anchor = {left: "start", right: "end"}[this.textAlign] || "middle", dy = {top: ".8em", middle: ".35em"}[this.textBaseline] || "-.2em";
    create("text", this.svg, {
      x: 0, y: 0, dy, transform: `translate(${short(x + this.x)} ${short(y + this.y)}) rotate(${this.turn})`,
      style: `font:${this.font};fill:${this.fillStyle};text-anchor:${anchor}`,
    }).textContent = text;
  }
}
HTMLCanvasElement.prototype.getContext = () => new SVGContext();

// formatNumber writes three significant digits or all integer digits, with thousands in groups.
const formatNumber = (v) => {
  const digits = v === 0 ? 0 : Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v)))));
  const [whole, fraction] = String(+v.toFixed(digits)).split(".");
  const grouped = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return (fraction ? `${grouped}.${fraction}` : grouped).replace("-", "−");
};

// readSeries returns the points of a series of the result document, with null for gaps.
const readSeries = ({path, seconds, divisor = 1, span = 0, steps = false}, end) => {
  let values = path.reduce((at, key) => at?.[key], documentData) || [];
  if (span) {
    values = values.map((_, i) => {
      const near = values.slice(Math.max(0, i - Math.floor(span / 2)), i + Math.floor(span / 2) + 1).filter((v) => v !== null);
      return near.length ? near.reduce((a, b) => a + b, 0) / near.length : null;
    });
  }
  return values.flatMap((v, i) => {
    if (v === null || steps && v <= 0) return [null];
    return steps ? [[i * seconds, v / divisor], [Math.min((i + 1) * seconds, end), v / divisor]] : [[Math.min((i + 1) * seconds, end) - 0.5, v / divisor]];
  });
};

// rangeOf returns the ends of an axis. Ends that the chart leaves open fit the values, with some space.
const rangeOf = (axis, values) => {
  const usable = values.filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
  let low = axis.min ?? Math.min(...usable), high = axis.max ?? Math.max(...usable);
  if (!Number.isFinite(low)) low = axis.log ? 1 : 0;
  if (!(high > low)) high = axis.log ? low * 10 : low + 1;
  const room = axis.log ? (high / low) ** 0.03 : (high - low) * 0.06;
  if (axis.min === undefined) low = axis.log ? low / room : low - room;
  if (axis.max === undefined) high = axis.log ? high * room : high + room;
  return [low, high];
};

// logTicks returns powers of ten, in a short range also 2 and 5 times them, in a very long range only some powers.
const logTicks = (low, high) => {
  const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high)), ticks = [];
  for (let power = first; power <= last; power += 1 + Math.floor((last - first) / 12)) {
    for (const factor of high / low > 300 ? [1] : [1, 2, 5]) {
      const v = +`${factor}e${power}`;
      if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) ticks.push(v);
    }
  }
  return ticks;
};

// linesOf returns the lines of a label, and widest the width of the longest.
const linesOf = (label) => (label || "").split("\n");
const widest = (label) => Math.max(...linesOf(label).map(widthOf));

// withoutOverlaps breaks labels after hyphens if two would touch, and then replaces those that still touch the one before by nothing.
const withoutOverlaps = (labels, positions) => {
  const touch = labels.some((label, i) => i && positions[i] - positions[i - 1] < (widthOf(label) + widthOf(labels[i - 1])) / 2 + 5);
  let end = -Infinity;
  return labels.map((whole, i) => {
    const label = touch ? whole.replace(/-(?=.)/g, "-\n") : whole, half = widest(label) / 2;
    if (positions[i] - half < end + 5) return "";
    end = positions[i] + half;
    return label;
  });
};

const axisOptions = (axis, scale, range, width) => ({
  scale, font, labelFont: font, stroke: "var(--faint)", label: axis.label || undefined, labelSize: 18, labelGap: 2, gap: 4,
  size: scale === "x" ? (u, values) => 8 + 16 * Math.max(1, ...(values || []).map((label) => linesOf(label).length)) : (u, values) => 12 + Math.max(0, ...(values || []).map(widthOf)),
  space: scale === "x" ? 70 : 36,
  grid: {show: scale === "y", stroke: "var(--grid)", width: 1}, ticks: {show: scale === "x", stroke: "var(--faint)", width: 1, size: 4},
  border: {show: scale === "x", stroke: "var(--faint)", width: 1},
  filter: (u, splits) => splits,
  splits: axis.ticks ? (u, i, low, high) => axis.ticks.map((t) => t.at).filter((v) => v >= low && v <= high) :
    axis.log ? (u, i, low, high) => { const ticks = logTicks(low, high); return ticks.length > 1 ? ticks : [low, high]; } : undefined,
  values: (u, splits) => {
    const labels = splits.map((v) => axis.ticks ? axis.ticks.find((t) => t.at === v).label : formatNumber(v));
    const {min, max} = u.scales[scale], share = (v) => axis.log ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min);
    return scale === "x" ? withoutOverlaps(labels, splits.map((v) => share(v) * (width - 80))) : labels;
  },
});

const stroke = (mark) => `fill:none;stroke:var(--${mark.color});stroke-width:${mark.width || 1};stroke-opacity:${mark.opacity || 1};` +
  `stroke-linejoin:round;stroke-linecap:${mark.dashes ? "butt" : "round"};stroke-dasharray:${mark.dashes || "none"}`;
const fill = (mark) => `fill:var(--${mark.color});fill-opacity:${mark.opacity || 1}`;
// halo keeps lines away from the letters of a text that crosses them.
const halo = "paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round";
const text = (parent, x, y, anchor, color, content) => {
  create("text", parent, {x: short(x), y: short(y), style: `font:${font};fill:var(--${color});text-anchor:${anchor};${halo}`}).textContent = content;
};

const drawDot = (parent, mark, x, y) => {
  const r = mark.size;
  switch (mark.shape) {
    case "square": create("path", parent, {d: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`, style: fill(mark)}); break;
    case "triangle": create("path", parent, {d: `M${x} ${y - 1.2 * r}L${x + 1.1 * r} ${y + 0.8 * r}H${x - 1.1 * r}Z`, style: fill(mark)}); break;
    case "ring": create("circle", parent, {cx: x, cy: y, r, style: `fill:none;stroke:var(--${mark.color});stroke-width:1`}); break;
    default: create("circle", parent, {cx: x, cy: y, r, style: fill(mark)});
  }
};

// drawMark draws a mark in the plot. x and y convert values to positions. The text of a vertical line is in the given row.
const drawMark = (parent, mark, points, x, y, box, row) => {
  const right = box.left + box.width, bottom = box.top + box.height;
  const at = points.map((p) => p && [short(x(p[0])), short(y(p[1]))]);
  const pairs = at.flatMap((p, i) => i % 2 && p && at[i - 1] ? [[at[i - 1], p]] : []);
  switch (mark.kind) {
    case "line":
      create("path", parent, {d: at.map((p, i) => p ? (at[i - 1] ? "L" : "M") + p.join(" ") + (at[i - 1] || at[i + 1] ? "" : "h.01") : "").join(""), style: stroke(mark)});
      break;
    case "dots":
      for (const p of at) if (p) drawDot(parent, mark, ...p);
      break;
    case "boxes":
      for (const [[left, low], [right, high]] of pairs) create("path", parent, {d: `M${left} ${low}H${right}V${high}H${left}Z`, style: fill(mark)});
      break;
    case "intervals":
      for (const [[center, low], [, high]] of pairs) create("path", parent, {d: `M${center} ${low}V${high}M${center - 3} ${low}h6M${center - 3} ${high}h6`, style: stroke(mark)});
      break;
    case "shade":
      for (const [i, [x]] of at.entries()) {
        const start = Math.max(x, box.left), end = Math.min(at[i + 1]?.[0] ?? right, right), room = end - start - 8;
        if (i % 2 === 0 && end > start) create("path", parent, {d: `M${start} ${box.top}H${end}V${bottom}H${start}Z`, style: fill(mark)});
        if (mark.texts && room > 12) text(parent, start + 4, box.top + 10, "start", mark.color, shorten(mark.texts[i], room));
      }
      break;
    case "vertical":
      for (const [i, [x]] of at.entries()) {
        create("path", parent, {d: `M${x} ${box.top}V${bottom}`, style: stroke(mark)});
        const content = mark.texts?.[i] || "", fits = x + 4 + widthOf(content) < right;
        if (content) text(parent, fits ? x + 4 : x - 4, box.top + 10 + 12 * row, fits ? "start" : "end", mark.color, content);
      }
      break;
    case "horizontal":
      for (const [i, [, y]] of at.entries()) {
        create("path", parent, {d: `M${box.left} ${y}H${right}`, style: stroke(mark)});
        text(parent, mark.atStart ? box.left + 4 : right - 2, y < box.top + 14 ? y + 12 : y - 4, mark.atStart ? "start" : "end", mark.color, mark.texts[i]);
      }
      break;
    case "texts": {
      let last = [-Infinity, 0];
      for (const [i, p] of at.entries()) {
        if (!p || Math.abs(p[0] - last[0]) < widthOf(mark.texts[i]) + 4 && Math.abs(p[1] - last[1]) < 12) continue;
        last = p;
        const fits = p[0] + 6 + widthOf(mark.texts[i]) < right;
        text(parent, fits ? p[0] + 6 : p[0] - 6, p[1] + 12, fits ? "start" : "end", mark.color, mark.texts[i]);
      }
    }
  }
};

// shorten cuts a text to a width.
const shorten = (content, width) => {
  let length = content.length;
  while (length > 1 && widthOf(content.slice(0, length)) > width - (length < content.length ? widthOf("…") : 0)) length--;
  return length < content.length ? content.slice(0, length) + "…" : content;
};

// legendOf places the entries of the legend in lines.
const legendOf = (marks, width) => {
  let x = 0, line = 0;
  return marks.filter((mark) => mark.legend).map((mark) => {
    const label = shorten(mark.legend, width - 24), needed = 22 + widthOf(label);
    if (x > 0 && x + needed > width) [x, line] = [0, line + 1];
    const entry = {mark, label, x, line};
    x += needed + 14;
    return entry;
  });
};

const drawLegend = (svg, entries) => {
  for (const {mark, label, x, line} of entries) {
    const y = line * legendLine + 9;
    if (mark.kind === "line" || mark.kind === "vertical") create("path", svg, {d: `M${x + 1} ${y}h16`, style: stroke(mark)});
    else create("rect", svg, {x: x + 1, y: y - 5, width: 16, height: 10, style: fill(mark)});
    if (mark.kind === "line" && mark.shape && mark.hasDots) drawDot(svg, mark, x + 9, y);
    text(svg, x + 22, y + 4, "start", "ink", label);
  }
};

// pointAt returns the nearest end of the lines that cross a position, or a single point close to it.
const pointAt = (points, at, reach) => {
  const crosses = (p, q) => p && q && (p[0] - at) * (q[0] - at) <= 0;
  return points.reduce((best, p, i) => {
    if (!p || best && Math.abs(best[0] - at) <= Math.abs(p[0] - at)) return best;
    const [before, after] = [points[i - 1], points[i + 1]];
    return crosses(before, p) || crosses(p, after) || !before && !after && Math.abs(p[0] - at) < reach ? p : best;
  }, null);
};

// build draws a chart into an element and returns the uPlot and what is needed for values at the pointer.
const build = (chart, parent, width, hooks = {}) => {
  const marks = chart.marks.map((mark) => ({...mark, points: mark.series ? readSeries(mark.series, chart.x.max) : mark.points || []}));
  const across = {vertical: [0], horizontal: [1], shade: []};
  const values = (i) => marks.flatMap((mark) => (across[mark.kind] || [0, 1]).includes(i) ? mark.points.filter(Boolean).map((p) => p[i]) : []);
  const xRange = rangeOf(chart.x, values(0)), yRange = rangeOf(chart.y, values(1));
  const legend = legendOf(marks, width), lines = legend.length ? legend.at(-1).line + 1 : 0;
  const dotted = new Set(marks.filter((mark) => mark.kind === "dots").map((mark) => mark.color));
  for (const mark of marks) mark.hasDots = dotted.has(mark.color);
  const height = (chart.rows ? 75 + 22 * chart.rows : Math.min(360, Math.max(230, width * 0.5))) + lines * legendLine;
  const draw = (u) => {
    const svg = u.ctx.svg, box = u.bbox, id = `clip-${chart.name}`;
    create("rect", create("clipPath", svg, {id}), {x: box.left - 4, y: box.top - 4, width: box.width + 8, height: box.height + 8});
    const group = create("g", svg, {"clip-path": `url(#${id})`});
    const position = (scale, log) => (v) => u.valToPos(log ? Math.max(v, u.scales[scale].min * 1e-3) : v, scale, true);
    const named = marks.filter((mark) => mark.kind === "vertical" && mark.texts?.[0]);
    const firstRow = marks.some((mark) => mark.kind === "shade" && mark.texts) ? 1 : 0; // Below the names of bands.
    for (const mark of marks) drawMark(group, mark, mark.points, position("x", chart.x.log), position("y", chart.y.log), box, firstRow + named.indexOf(mark));
    drawLegend(svg, legend);
  };
  const u = new uPlot({
    width: Math.round(width), height: Math.round(height), pxAlign: 0, legend: {show: false}, padding: [lines * legendLine + (chart.rows ? 4 : 8), 14, 0, chart.y.label ? 0 : 8],
    scales: {
      x: {time: false, distr: chart.x.log ? 3 : 1, range: (_, low, high) => [low, high]},
      y: {distr: chart.y.log ? 3 : 1, range: () => yRange},
    },
    axes: [axisOptions(chart.x, "x", xRange, width), axisOptions(chart.y, "y", yRange, width)],
    series: [{}, {scale: "y", paths: () => null, points: {show: false}}],
    cursor: {y: false, points: {show: false}, drag: {x: true, y: false, dist: 5}},
    hooks: {draw: [draw], ...hooks},
  }, [xRange, [null, null]], parent);
  const svg = u.ctx.svg;
  u.root.querySelector("canvas").replaceWith(svg);
  for (const [key, value] of Object.entries({viewBox: `0 0 ${u.width} ${u.height}`, width: u.width, height: u.height, role: "img", "aria-label": chart.title})) {
    svg.setAttribute(key, value);
  }
  return {u, marks, xRange};
};

// valuesAt returns a line of text for each curve at a position of the horizontal axis.
const valuesAt = (chart, marks, u) => {
  const at = u.posToVal(u.cursor.left, "x"), reach = Math.abs(u.posToVal(u.cursor.left + 8, "x") - at);
  const curves = chart.y.ticks ? [] : marks.filter((mark) => mark.kind === "line" && mark.legend);
  const shown = curves.length ? curves : chart.y.ticks ? [] : marks.filter((mark) => mark.kind === "line");
  const values = shown.map((mark) => [mark.legend || chart.y.label, pointAt(mark.points, at, reach)]).filter(([, p]) => p);
  return [...(chart.x.ticks ? [] : [`${chart.x.label}: ${formatNumber(at)}`]), ...values.map(([name, p]) => `${name}: ${formatNumber(p[1])}`)].join("\n");
};

// show draws a chart in its figure, with values at the pointer, and again when the figure gets another width.
const show = (chart) => {
  const figure = document.getElementById(`chart-${chart.name}`), parent = figure.querySelector(".chart");
  const add = (name, className, content) => Object.assign(figure.appendChild(document.createElement(name)), {className, hidden: true, textContent: content});
  const box = add("p", "values", ""), showAll = add("button", "zoomed", "");
  showAll.type = "button";
  let built = null;
  const hooks = {
    setCursor: [(u) => {
      const content = built && u.cursor.left >= 0 ? valuesAt(chart, built.marks, u) : "", isLeft = u.cursor.left < u.over.clientWidth / 2;
      box.textContent = content;
      box.hidden = content === "";
      box.style[isLeft ? "right" : "left"] = "4%";
      box.style[isLeft ? "left" : "right"] = "auto";
    }],
    setScale: [(u, key) => {
      if (key !== "x" || !built) return;
      const {min, max} = u.scales.x;
      showAll.hidden = min === built.xRange[0] && max === built.xRange[1];
      showAll.textContent = (chart.x.ticks ? "Part of the chart" : `${chart.x.label}: ${formatNumber(min)} to ${formatNumber(max)}`) + "; show all";
    }],
  };
  showAll.addEventListener("click", () => built.u.setScale("x", {min: built.xRange[0], max: built.xRange[1]}));
  const redraw = () => {
    if (parent.clientWidth === 0 || built?.u.width === Math.round(parent.clientWidth)) return;
    built?.u.destroy();
    box.hidden = showAll.hidden = true;
    built = build(chart, parent, parent.clientWidth, hooks);
    followTouch(built.u);
  };
  redraw();
  new ResizeObserver(redraw).observe(parent);
  const save = figure.appendChild(document.createElement("p"));
  save.className = "save";
  for (const format of ["svg", "png"]) {
    const button = Object.assign(save.appendChild(document.createElement("button")), {type: "button", textContent: format.toUpperCase(), title: `Save this chart as ${format.toUpperCase()}`});
    button.addEventListener("click", async () => {
      const content = await chartFile(chart, format), link = document.createElement("a");
      link.href = format === "svg" ? URL.createObjectURL(new Blob([content], {type: "image/svg+xml"})) : content;
      link.download = `${chart.name}.${format}`;
      link.click();
    });
  }
};

// followTouch gives uPlot, which follows a mouse that moves, the pointers of touch screens and pens.
const followTouch = (u) => {
  for (const [from, to] of [["pointerdown", "mousedown"], ["pointermove", "mousemove"], ["pointerup", "mouseup"], ["pointercancel", "mouseup"]]) {
    u.over.addEventListener(from, (event) => {
      if (event.pointerType === "mouse") return;
      if (from === "pointerdown") u.over.setPointerCapture(event.pointerId);
      if (from === "pointercancel") u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
      u.over.dispatchEvent(new MouseEvent(to, {clientX: event.clientX, clientY: event.clientY, bubbles: true, button: 0, movementX: 1}));
    });
  }
};

// chartFile returns a chart with its title on white: the text of an SVG, or the data URL of a PNG of twice the size.
const chartFile = async (chart, format) => {
  const parent = document.createElement("div"), {u} = build(chart, parent, savedWidth);
  await new Promise((drawn) => { setTimeout(drawn); });
  const svg = u.ctx.svg, height = u.height + savedHeading;
  svg.setAttribute("viewBox", `0 ${-savedHeading} ${savedWidth} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  text(svg, 8, -10, "start", "ink", chart.title);
  svg.lastChild.style.font = `bold 13px ${fontFamily}`;
  svg.prepend(create("rect", svg, {y: -savedHeading, width: savedWidth, height, style: "fill:var(--paper)"}));
  const light = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find((rule) => rule.selectorText === ":root").style;
  const content = new XMLSerializer().serializeToString(svg).replace(/var\((--\w+)\)/g, (_, name) => light.getPropertyValue(name).trim());
  u.destroy();
  if (format === "svg") return content;
  const image = new Image(), canvas = Object.assign(document.createElement("canvas"), {width: 2 * savedWidth, height: 2 * height});
  image.src = `data:image/svg+xml,${encodeURIComponent(content)}`;
  await image.decode();
  canvasContext.call(canvas, "2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
};

// With #svg or #png the page adds the files of all charts to itself, for kubectl benchnet report --charts.
const addFiles = async (format) => {
  const files = {};
  for (const chart of charts) files[chart.name] = await chartFile(chart, format);
  const element = Object.assign(document.createElement("script"), {type: "application/json", id: "files"});
  element.textContent = JSON.stringify(files).replaceAll("<", "\\u003c");
  document.body.append(element);
};

charts.forEach(show);
if (["#svg", "#png"].includes(location.hash)) addFiles(location.hash.slice(1));
