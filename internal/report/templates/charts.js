// Crosshair with values, and zoom by dragging, for the charts. A chart describes its plot in data-plot.
"use strict";
const create = (name, parent, attributes) => {
  const element = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const format = (v) => String(Math.abs(v) >= 1e5 ? Math.round(v) : Number(v.toPrecision(4)));
const valueAt = (axis, share) => axis.log ? axis.min * (axis.max / axis.min) ** share : axis.min + (axis.max - axis.min) * share;

function enhance(svg) {
  const plot = JSON.parse(svg.dataset.plot), figure = svg.closest("figure"), screen = svg.getScreenCTM().inverse();
  const width = plot.right - plot.left;
  const boxOf = (element) => {
    const b = element.getBBox(), m = screen.multiply(element.getScreenCTM());
    const [a, c] = [[b.x, b.y], [b.x + b.width, b.y + b.height]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(m));
    return {left: Math.min(a.x, c.x), right: Math.max(a.x, c.x), top: Math.min(a.y, c.y), bottom: Math.max(a.y, c.y)};
  };
  const marks = [...svg.querySelectorAll("path, text")].map((element) => ({element, box: boxOf(element)}));
  const inPlot = ({element, box}) => element.tagName === "path" && box.left > plot.left - 2 && box.right < plot.right + 2 &&
    box.top > plot.top - 2 && box.bottom < plot.bottom + 2;
  const drawn = marks.filter(inPlot);
  const below = marks.filter((m) => m.box.top > plot.bottom - 2 && !inPlot(m) && m.box.right - m.box.left < width * 0.6);
  const labels = below.filter((m) => m.element.tagName === "text");
  const firstRow = Math.min(...labels.map((m) => m.box.top));
  const ticks = below.filter((m) => m.element.tagName === "path" || m.box.top < firstRow + 3);

  // Legend samples have the style of their curves and are left of their name.
  const nameOf = (style) => {
    const sample = marks.find((m) => m.element.tagName === "path" && m.box.bottom < plot.top && m.element.getAttribute("style") === style);
    const name = sample && marks.find((m) => m.element.tagName === "text" && m.box.left > sample.box.right &&
      m.box.left < sample.box.right + 10 && m.box.top < sample.box.bottom + 1 && m.box.bottom > sample.box.top - 1);
    return name && name.element.textContent;
  };
  const curves = new Map();
  for (const {element} of drawn) {
    const style = element.getAttribute("style"), d = element.getAttribute("d");
    if (!/fill:\s*none/.test(style) || /[AZ]/.test(d) || /var\(--(grid|faint)\)/.test(style) && !nameOf(style)) continue;
    const m = screen.multiply(element.getScreenCTM()), curve = curves.get(style) || {name: nameOf(style), parts: []};
    for (const part of d.split(/(?=M)/)) {
      const points = [...part.matchAll(/[ML]([-+\d.e]+),([-+\d.e]+)/g)].map(([, x, y]) => new DOMPoint(+x, +y).matrixTransform(m));
      if (points.length) curve.parts.push(points);
    }
    curves.set(style, curve);
  }
  const shown = [...curves.values()].filter((c) => c.name || curves.size === 1);

  let zoom = {left: plot.left, right: plot.right}, start = null;
  const text = figure.appendChild(document.createElement("p")), showAll = figure.appendChild(document.createElement("button"));
  text.className = "values";
  showAll.className = "zoomed";
  showAll.type = "button";
  text.hidden = showAll.hidden = true;
  const line = create("line", svg, {class: "crosshair", y1: plot.top, y2: plot.bottom, visibility: "hidden"});
  const selection = create("rect", svg, {class: "selection", y: plot.top, height: plot.bottom - plot.top, visibility: "hidden"});
  const original = (x) => zoom.left + (x - plot.left) / width * (zoom.right - zoom.left);
  const xValue = (x) => format(valueAt(plot.x, (x - plot.left) / width));
  const yValue = (y) => format(valueAt(plot.y, (plot.bottom - y) / (plot.bottom - plot.top)));
  const pointerX = (event) => {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return Math.min(plot.right, Math.max(plot.left, p.x));
  };
  const nearest = (points, x) => points.reduce((best, p) => Math.abs(p.x - x) < Math.abs(best.x - x) ? p : best);
  // pointAt returns the nearest end of the lines that cross a position, or a single point close to it; undefined if there is none.
  const pointAt = (curve, at) => {
    const isCrossed = (p, q) => p && q && (p.x - at) * (q.x - at) <= 0;
    const isClose = (p) => Math.abs(p.x - at) < (zoom.right - zoom.left) * 0.02;
    const found = curve.parts.flatMap((points) => points.length === 1 ? points.filter(isClose) :
      points.filter((p, i) => isCrossed(points[i - 1], p) || isCrossed(p, points[i + 1])));
    return found.length ? nearest(found, at) : undefined;
  };
  const hide = () => { text.hidden = true; line.setAttribute("visibility", "hidden"); };

  const hover = (event) => {
    const x = pointerX(event), at = original(x), lines = plot.x.named ? [] : [`${plot.x.label}: ${xValue(at)}`];
    for (const curve of plot.y.named ? [] : shown) {
      const p = pointAt(curve, at);
      if (p) lines.push(`${curve.name || plot.y.label}: ${yValue(p.y)}`);
    }
    text.textContent = lines.join("\n");
    text.hidden = lines.length === 0;
    text.style[x < (plot.left + plot.right) / 2 ? "right" : "left"] = "4%";
    text.style[x < (plot.left + plot.right) / 2 ? "left" : "right"] = "auto";
    for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    line.setAttribute("visibility", "visible");
    if (start === null) return;
    selection.setAttribute("x", Math.min(start, x));
    selection.setAttribute("width", Math.abs(x - start));
    selection.setAttribute("visibility", "visible");
  };

  const id = `clip-${figure.id}`, group = drawn.length ? drawn[0].element.parentNode.insertBefore(create("g", svg, {"clip-path": `url(#${id})`}), drawn[0].element) : null;
  create("rect", create("clipPath", svg, {id}), {x: plot.left, width, y: svg.viewBox.baseVal.height - plot.bottom, height: plot.bottom - plot.top});
  for (const {element} of drawn) { group.append(element); element.style.vectorEffect = "non-scaling-stroke"; }
  const apply = () => {
    const scale = width / (zoom.right - zoom.left), moved = (x) => plot.left + (x - zoom.left) * scale;
    for (const {element, box} of drawn) {
      const centre = (box.left + box.right) / 2, isDot = /[AZ]/.test(element.getAttribute("d")) && box.right - box.left < 12 && box.bottom < plot.bottom - 1;
      element.setAttribute("transform", isDot ? `translate(${moved(centre) - centre}, 0)` : `translate(${plot.left - zoom.left * scale}, 0) scale(${scale}, 1)`);
    }
    for (const {element, box} of ticks) {
      const centre = (box.left + box.right) / 2, to = moved(centre);
      element.style.transform = `translateX(${to - centre}px)` + (element.tagName === "text" ? " scale(1, -1)" : "");
      element.style.visibility = to < plot.left - 1 || to > plot.right + 1 ? "hidden" : "visible";
    }
    showAll.hidden = scale === 1;
    showAll.textContent = (plot.x.named ? "Part of the chart" : `${plot.x.label}: ${xValue(zoom.left)} to ${xValue(zoom.right)}`) + "; show all";
  };
  svg.addEventListener("pointermove", hover);
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = pointerX(event);
    svg.setPointerCapture(event.pointerId);
  });
  const endSelection = () => { start = null; selection.setAttribute("visibility", "hidden"); };
  svg.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [left, right] = [start, pointerX(event)].sort((a, b) => a - b).map(original);
    if (right - left > (zoom.right - zoom.left) * 0.02) { zoom = {left, right}; apply(); }
    endSelection();
  });
  svg.addEventListener("pointercancel", endSelection);
  const reset = () => { zoom = {left: plot.left, right: plot.right}; apply(); };
  svg.addEventListener("dblclick", reset);
  showAll.addEventListener("click", reset);
}

for (const svg of document.querySelectorAll("svg[data-plot]")) svg.addEventListener("pointerenter", () => enhance(svg), {once: true});
