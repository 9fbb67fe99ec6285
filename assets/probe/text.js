// Texts that are drawn on canvases, word for word: fillText and strokeText with the transform applied.
// Goes out: `T.canvasTexts()`, in backing pixels of each canvas. What is painted over is forgotten.
{
  const MOST = 400;
  const drawn = new Map();
  const listOf = (canvas) => {
    let list = drawn.get(canvas);
    if (!list) {
      if (drawn.size > 60) drawn.delete(drawn.keys().next().value);
      drawn.set(canvas, (list = []));
    }
    return list;
  };
  const box = (c, x, y, w, h) => {
    const t = c.getTransform();
    const xs = [];
    const ys = [];
    for (const [px, py] of [[x, y], [x + w, y], [x, y + h], [x + w, y + h]]) {
      xs.push(t.a * px + t.c * py + t.e);
      ys.push(t.b * px + t.d * py + t.f);
    }
    const left = Math.min(...xs);
    const top = Math.min(...ys);
    return { x: left, y: top, w: Math.max(...xs) - left, h: Math.max(...ys) - top };
  };
  const cover = (canvas, r) => {
    const list = drawn.get(canvas);
    if (!list || !list.length) return;
    const kept = list.filter((i) => {
      const cx = i.x + i.w / 2;
      const cy = i.y + i.h / 2;
      return !(cx >= r.x && cx <= r.x + r.w && cy >= r.y && cy <= r.y + r.h);
    });
    if (kept.length !== list.length) drawn.set(canvas, kept);
  };
  for (const name of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D']) {
    const proto = window[name] && window[name].prototype;
    if (!proto) continue;
    const measure = proto.measureText;
    for (const verb of ['fillText', 'strokeText']) {
      T.wrap(proto, verb, (native) => function (text, x, y) {
        try {
          const words = String(text).slice(0, 200);
          if (words.trim()) {
            const m = measure.call(this, words);
            const left = x - (m.actualBoundingBoxLeft || 0);
            const top = y - (m.actualBoundingBoxAscent || 0);
            const r = box(this, left, top, (m.actualBoundingBoxLeft || 0) + (m.actualBoundingBoxRight || m.width), (m.actualBoundingBoxAscent || 0) + (m.actualBoundingBoxDescent || 0));
            cover(this.canvas, r);
            const list = listOf(this.canvas);
            if (list.length >= MOST) list.shift();
            list.push({ text: words, ...r, canvas: this.canvas });
          }
        } catch {
          // A text that can't be measured is drawn all the same.
        }
        return native.apply(this, arguments);
      });
    }
    for (const verb of ['fillRect', 'clearRect']) {
      T.wrap(proto, verb, (native) => function (x, y, w, h) {
        const list = drawn.get(this.canvas);
        // A translucent or striped fill still hides most of what is under it; only what is drawn again stays.
        if (list && list.length) cover(this.canvas, box(this, x, y, w, h));
        return native.apply(this, arguments);
      });
    }
    T.wrap(proto, 'drawImage', (native) => function (image, ...at) {
      const out = native.apply(this, arguments);
      const to = at.length >= 8 ? at.slice(4) : at;
      const w = to[2] ?? image.width;
      const h = to[3] ?? image.height;
      if (drawn.get(this.canvas)?.length && w && h) cover(this.canvas, box(this, to[0], to[1], w, h));
      const list = drawn.get(image);
      if (list && list.length && at.length < 8) {
        // A text drawn aside and copied over is a text of the visible canvas.
        const mine = listOf(this.canvas);
        for (const i of list) {
          const r = box(this, to[0] + i.x * (w / image.width), to[1] + i.y * (h / image.height), i.w * (w / image.width), i.h * (h / image.height));
          if (mine.length < MOST) mine.push({ text: i.text, ...r, canvas: this.canvas });
        }
      }
      return out;
    });
  }
  for (const side of ['width', 'height']) {
    const d = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
    if (d && d.set) {
      Object.defineProperty(HTMLCanvasElement.prototype, side, {
        ...d,
        set(value) {
          drawn.delete(this);
          d.set.call(this, value);
        },
      });
    }
  }
  T.canvasTexts = () => {
    const out = [];
    for (const [canvas, list] of drawn) if (canvas.isConnected) out.push(...list);
    return out;
  };
}
