// Tells what is seen of a report; see seen in browser_test.go.
(() => {
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const colour = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const background = colour(getComputedStyle(document.body).backgroundColor);
  const chart = (figure) => {
    const svg = figure.querySelector("svg"), frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim() !== "");
    const boxes = texts.map((t) => t.getBoundingClientRect());
    const scale = frame.width / svg.viewBox.baseVal.width;
    const clipped = texts.filter((_, i) => boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1 ||
      boxes[i].top < frame.top - 2 || boxes[i].bottom > frame.bottom + 2);
    const overlaps = [];
    // The box of a text is higher than its letters.
    const touch = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 0.45 * a.height && b.top < a.bottom - 0.45 * b.height;
    boxes.forEach((a, i) => boxes.slice(0, i).forEach((b, j) => {
      if (touch(a, b)) overlaps.push(texts[j].textContent + " / " + texts[i].textContent);
    }));
    return {
      ID: figure.id, Width: frame.width, Height: frame.height,
      Drawn: [...svg.querySelectorAll("path, circle")].filter((p) => { const b = p.getBBox(); return b.width + b.height > 1; }).length,
      Smallest: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize) * scale)),
      Contrast: Math.min(...texts.map((t) => contrast(colour(getComputedStyle(t).fill), background))),
      Clipped: clipped.map((t) => t.textContent), Overlaps: overlaps,
    };
  };
  return {
    Text: document.body.innerText, Width: innerWidth, Overflow: document.documentElement.scrollWidth - innerWidth,
    Background: background, Charts: [...document.querySelectorAll("figure")].map(chart),
    Tables: document.querySelectorAll("table").length,
    Scripts: [...document.scripts].filter((s) => s.type !== "application/json").length,
  };
})()
