(() => {
  let figure, svg, plot;
  const select = (id) => {
    figure = document.getElementById(id);
    svg = figure.querySelector("svg");
    plot = JSON.parse(svg.dataset.plot);
  };
  const send = (type, share, button = 0) => {
    const at = new DOMPoint(plot.left + (plot.right - plot.left) * share, (plot.top + plot.bottom) / 2).matrixTransform(svg.getScreenCTM());
    svg.dispatchEvent(new PointerEvent(type, {clientX: at.x, clientY: at.y, pointerId: 1, button, bubbles: type !== "pointerenter"}));
  };
  const shown = (name) => { const e = figure.querySelector(name); return e.hidden ? "" : e.textContent; };
  const curve = () => Math.max(...[...svg.querySelectorAll("g[clip-path] path")].filter((p) => p.getAttribute("style").includes("--c0"))
    .map((p) => p.getBoundingClientRect().width));
  const texts = () => [...svg.querySelectorAll("text")];
  const selection = () => svg.querySelector(".selection").getAttribute("visibility");
  const page = {};
  select("chart-throughput-over-time");
  send("pointerenter", 0.5);
  send("pointermove", 0.5);
  page.Hover = shown(".values");
  page.CurveBefore = curve();
  send("pointerdown", 0.25);
  send("pointermove", 0.4);
  send("pointerup", 0.5);
  page.Zoomed = shown(".zoomed");
  send("pointermove", 0.53);
  page.ZoomedHover = shown(".values");
  page.CurveAfter = curve();
  page.MovedTicks = texts().filter((t) => t.style.transform && !t.style.transform.startsWith("translateX(0px)")).length;
  page.HiddenTicks = texts().filter((t) => t.style.visibility === "hidden").length;
  svg.dispatchEvent(new MouseEvent("dblclick"));
  page.Reset = shown(".zoomed");
  page.CurveReset = curve();
  page.StillHidden = texts().filter((t) => t.style.visibility === "hidden").length;
  send("pointerdown", 0.25, 2);
  send("pointermove", 0.4);
  send("pointerup", 0.5, 2);
  page.OtherButton = shown(".zoomed");
  send("pointerdown", 0.25);
  send("pointermove", 0.4);
  page.Selecting = selection();
  send("pointercancel", 0.4);
  page.Cancelled = selection();
  send("pointerup", 0.5);
  page.AfterCancel = shown(".zoomed");
  select("chart-latency-over-time");
  send("pointerenter", 0.5);
  send("pointerdown", 0.25);
  send("pointerup", 0.5);
  send("pointermove", 0.53);
  page.LatencyHover = shown(".values");
  page.LatencyZoomed = shown(".zoomed");
  figure.querySelector("button").click();
  page.LatencyReset = shown(".zoomed");
  return page;
})()
