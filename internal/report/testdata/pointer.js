(async () => {
  let figure, over;
  const select = (id) => {
    figure = document.getElementById(id);
    over = figure.querySelector(".u-over");
    over.scrollIntoView({block: "center"});
  };
  // uPlot draws after the handlers of an event.
  const send = async (type, share, button = 0) => {
    const box = over.getBoundingClientRect(), at = {clientX: box.left + box.width * share, clientY: box.top + box.height / 2};
    over.dispatchEvent(new MouseEvent(type, {...at, button, bubbles: true, movementX: 1}));
    await new Promise((drawn) => { setTimeout(drawn, 30); });
  };
  const touch = async (type, share) => {
    const box = over.getBoundingClientRect(), at = {clientX: box.left + box.width * share, clientY: box.top + box.height / 2};
    over.setPointerCapture = () => {};
    over.dispatchEvent(new PointerEvent(type, {...at, pointerId: 1, pointerType: "touch", bubbles: true}));
    await new Promise((drawn) => { setTimeout(drawn, 30); });
  };
  const shown = (name) => { const e = figure.querySelector(name); return e.hidden ? "" : e.textContent; };
  const curve = () => Math.max(...[...figure.querySelectorAll("g[clip-path] path")].filter((p) => p.getAttribute("style").includes("--c0"))
    .map((p) => p.getBoundingClientRect().width));
  const ticks = () => [...figure.querySelectorAll("svg > text")].map((t) => t.textContent).join(" ");
  const selection = () => figure.querySelector(".u-select").getBoundingClientRect().width;
  const page = {};
  select("chart-throughput-over-time");
  await send("mousemove", 0.5);
  page.Hover = shown(".values");
  page.CrosshairOffset = figure.querySelector(".u-cursor-x").getBoundingClientRect().left - over.getBoundingClientRect().left - over.clientWidth / 2;
  page.CurveBefore = curve();
  page.TicksBefore = ticks();
  await send("mousemove", 0.25);
  await send("mousedown", 0.25);
  await send("mousemove", 0.4);
  page.Selecting = selection();
  await send("mousemove", 0.5);
  await send("mouseup", 0.5);
  page.Zoomed = shown(".zoomed");
  page.TicksZoomed = ticks();
  await send("mousemove", 0.53);
  page.ZoomedHover = shown(".values");
  page.CurveAfter = curve();
  await send("dblclick", 0.5);
  page.Reset = shown(".zoomed");
  page.CurveReset = curve();
  await send("mousedown", 0.25, 2);
  await send("mousemove", 0.4);
  await send("mouseup", 0.5, 2);
  page.OtherButton = shown(".zoomed");
  await touch("pointerdown", 0.25);
  await touch("pointermove", 0.4);
  await touch("pointercancel", 0.4);
  page.AfterCancel = shown(".zoomed");
  page.Cancelled = selection();
  await touch("pointerdown", 0.25);
  await touch("pointermove", 0.5);
  await touch("pointerup", 0.5);
  page.Touched = shown(".zoomed");
  await send("dblclick", 0.5);
  select("chart-latency-over-time");
  await send("mousemove", 0.25);
  await send("mousedown", 0.25);
  await send("mousemove", 0.5);
  await send("mouseup", 0.5);
  await send("mousemove", 0.53);
  page.LatencyHover = shown(".values");
  page.LatencyZoomed = shown(".zoomed");
  page.LatencyTicks = ticks();
  figure.querySelector("button.zoomed").click();
  await new Promise((drawn) => { setTimeout(drawn, 30); });
  page.LatencyReset = shown(".zoomed");
  await send("mouseleave", 0.5);
  page.Left = shown(".values");
  page.Animations = document.getAnimations().length;
  return page;
})()
