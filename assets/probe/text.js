// text.js: what is written on canvases, as exact strings and places.
//
// In:  core.js's T and natives; the page's calls of 2D contexts, on screen and off.
// Out: `T.bareCanvas(canvas, part)`: a copy without what beneath.js takes away.
//      `T.canvasTexts()`: `[{text, x, y, w, h, canvas}]`, boxes in the canvas's backing pixels, of what has not been
//      painted over since; text drawn on an off-screen canvas is found on the canvases that one was drawn to.
// Must never know: what the words mean, where a canvas is on the page.
//
// A page may write and paint thousands of times a frame. So: until something is written painting costs nothing; then it is
// weighed against texts only where it is large enough to cover one.
{
  /** Texts remembered a canvas; the oldest go first. */
  const MAX_TEXTS = 300;
  /** Widths remembered by font and string. */
  const MAX_WIDTHS = 2000;
  /** A text is gone when so much of its box has been painted over ... */
  const COVERED = 0.6;
  /** ... by what lets less than this through. */
  const FAINT = 0.15;
  /** Depth to which save() is followed. */
  const MAX_SAVED = 256;
  /** Draws between two tests whether a canvas that is drawn on others is opaque. */
  const OPACITY_LIFE = 60;

  /** canvas -> { list, smallest: the area of the smallest text box, matrix: the context's transform if known, saved: the same for each save() } */
  const sheets = new WeakMap();
  const references = [];
  const natives = T.native.context2d;
  const getTransform = natives.getTransform;
  const measureText = natives.measureText;
  const offscreen = W.OffscreenCanvasRenderingContext2D;
  const offscreenNatives = T.native.offscreen2d;
  // Asking for the transform costs as much as ten fills; it is kept until something changes it.
  const transformOf = (context, sheet) =>
    (sheet.matrix ??= Reflect.apply(offscreen && context instanceof offscreen ? offscreenNatives.getTransform : getTransform, context, []));

  /** Has anything been written on any canvas? Until then painting is none of our business. */
  let lettered = false;
  const sheetOf = (canvas) => {
    let sheet = sheets.get(canvas);
    if (!sheet) {
      sheet = { list: [], smallest: Infinity, matrix: null, saved: [] };
      lettered = true;
      sheets.set(canvas, sheet);
      references.push(new WeakRef(canvas));
    }
    return sheet;
  };
  const wipe = (sheet) => {
    sheet.list = [];
    sheet.smallest = Infinity;
    sheet.matrix = null;
  };

  /** The bounding box of a rectangle of user space in backing pixels. */
  const mapped = (m, x, y, w, h) => {
    const x0 = m.a * x + m.c * y + m.e;
    const y0 = m.b * x + m.d * y + m.f;
    const ax = m.a * w;
    const ay = m.b * w;
    const bx = m.c * h;
    const by = m.d * h;
    const left = x0 + Math.min(0, ax, bx, ax + bx);
    const top = y0 + Math.min(0, ay, by, ay + by);
    return { x: left, y: top, w: Math.abs(ax) + Math.abs(bx), h: Math.abs(ay) + Math.abs(by) };
  };
  const overlap = (a, b) => {
    const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
    const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
    return w > 0 && h > 0 ? w * h : 0;
  };

  const widths = new Map();
  /** Advance and vertical extent of a string, with the offsets that the context's alignment gives it. */
  const measured = (context, text) => {
    const key = `${context.font}|${context.textAlign}|${context.textBaseline}|${context.letterSpacing}|${text}`;
    let box = widths.get(key);
    if (box) return box;
    const own = offscreen && context instanceof offscreen ? offscreenNatives.measureText : measureText;
    const m = Reflect.apply(own, context, [text]);
    const left = -m.actualBoundingBoxLeft;
    const top = -m.actualBoundingBoxAscent;
    box = { left, top, w: m.actualBoundingBoxRight - left, h: m.actualBoundingBoxDescent - top };
    if (widths.size >= MAX_WIDTHS) widths.clear();
    widths.set(key, box);
    return box;
  };

  /** What is drawn again at the same place (a shadow, an outline, a new value) takes the old one's place. */
  const replaces = (item, old) => {
    const near = Math.abs(old.ax - item.ax) <= 3 && Math.abs(old.ay - item.ay) <= 3;
    return near || overlap(old, item) > 0.7 * Math.min(old.w * old.h, item.w * item.h);
  };

  const put = (sheet, item) => {
    const { list } = sheet;
    for (let i = list.length - 1; i >= 0; i--) if (replaces(item, list[i])) list.splice(i, 1);
    list.push(item);
    if (list.length > MAX_TEXTS) list.shift();
    sheet.smallest = Math.min(sheet.smallest, item.w * item.h);
    sheet.over ||= !!item.beneath;
  };

  /** What is about to be written; null where it will not be seen. */
  const written = (context, given, x, y, maxWidth) => {
    const text = String(given);
    if (!text.trim()) return null;
    const box = measured(context, text);
    if (!(box.w > 0 && box.h > 0)) return null;
    const { canvas } = context;
    const sheet = sheetOf(canvas);
    const m = transformOf(context, sheet);
    const squeeze = maxWidth > 0 && box.w > maxWidth ? maxWidth / box.w : 1;
    const place = mapped(m, x + box.left * squeeze, y + box.top, box.w * squeeze, box.h);
    if (!Number.isFinite(place.x + place.y + place.w + place.h)) return null;
    // Text that is wholly outside was drawn to be hidden.
    if (place.x >= canvas.width || place.y >= canvas.height || place.x + place.w <= 0 || place.y + place.h <= 0) return null;
    // Its strokes and its shadow go beyond its letters.
    const far = context.shadowBlur + Math.max(Math.abs(context.shadowOffsetX), Math.abs(context.shadowOffsetY)) + context.lineWidth * Math.hypot(m.a, m.b) + 2;
    const around = { x: place.x - far, y: place.y - far, w: place.w + 2 * far, h: place.h + 2 * far };
    const item = { text, ...place, ax: m.a * x + m.c * y + m.e, ay: m.b * x + m.d * y + m.f, shows: context.globalAlpha, beneath: null };
    item.beneath = T.beneath.copy(canvas, around, sheet.list, (old) => replaces(item, old));
    return item;
  };

  /** Something was painted at `area` of a canvas, or somewhere on it. */
  const painted = (sheet, area) => {
    if (!sheet || !sheet.over) return;
    T.beneath.painted(sheet.list, area);
    sheet.over = sheet.list.some((item) => item.beneath);
  };

  /** Something was painted over `area`; `letsThrough()` says how much of what lies under it can still be seen. */
  const cover = (sheet, area, letsThrough) => {
    painted(sheet, area);
    const size = area.w * area.h;
    if (size < COVERED * sheet.smallest) return;
    let through = -1;
    let gone = false;
    for (const item of sheet.list) {
      const box = item.w * item.h;
      if (size < COVERED * box || overlap(area, item) < COVERED * box) continue;
      if (through < 0) through = letsThrough();
      item.shows *= through;
      gone ||= item.shows < FAINT;
    }
    if (!gone) return;
    sheet.list = sheet.list.filter((item) => item.shows >= FAINT);
    sheet.smallest = sheet.list.reduce((least, item) => Math.min(least, item.w * item.h), Infinity);
  };

  /** How much of what lies under it a fill of the context's style lets through. */
  const fillLetsThrough = (context) => {
    const style = context.fillStyle;
    let alpha = context.globalAlpha;
    // A translucent colour reads as rgba(r, g, b, a), an opaque one as #rrggbb, a gradient or a pattern as an object.
    if (typeof style === "string" && style[0] !== "#") {
      const parts = /[,/]\s*([\d.]+)\)$/.exec(style);
      if (parts && (style.startsWith("rgba") || style.includes("/"))) alpha *= Number(parts[1]);
    }
    return context.globalCompositeOperation === "destination-over" ? 1 : 1 - alpha;
  };

  const paintOver = (context, x, y, w, h, letsThrough) => {
    const sheet = sheets.get(context.canvas);
    if (!sheet || sheet.list.length === 0) return;
    cover(sheet, mapped(transformOf(context, sheet), x, y, w, h), () => letsThrough(context));
  };

  // Whether a picture hides what it is drawn over. Asked of a small copy, and remembered.
  const opacities = new WeakMap();
  let probe;
  const isOpaque = (source) => {
    const known = opacities.get(source);
    if (known && known.life-- > 0) return known.opaque;
    let opaque = true;
    try {
      probe ??= Reflect.apply(T.native.getOffscreenContext, new T.native.OffscreenCanvas(8, 8), ["2d", { willReadFrequently: true }]);
      Reflect.apply(offscreenNatives.clearRect, probe, [0, 0, 8, 8]);
      Reflect.apply(offscreenNatives.drawImage, probe, [source, 0, 0, 8, 8]);
      const { data } = Reflect.apply(offscreenNatives.getImageData, probe, [0, 0, 8, 8]);
      let solid = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 200) solid++;
      opaque = solid >= 60;
    } catch {
      probe = undefined; // a picture of another origin taints the probe; such are backgrounds, as a rule
    }
    opacities.set(source, { opaque, life: OPACITY_LIFE });
    return opaque;
  };

  const drawn = (context, source, args) => {
    let [sx, sy, sw, sh, x, y, w, h] = args;
    if (args.length < 8) {
      [x, y, w, h] = args;
      sx = sy = 0;
      sw = source.naturalWidth ?? source.videoWidth ?? source.displayWidth ?? source.width;
      sh = source.naturalHeight ?? source.videoHeight ?? source.displayHeight ?? source.height;
      if (w === undefined) [w, h] = [sw, sh];
    }
    const inscribed = sheets.get(source);
    const carried = inscribed && inscribed.list.length && sw && sh ? inscribed.list : null;
    if (!carried && !sheets.has(context.canvas)) return;
    paintOver(context, x, y, w, h, () => (isOpaque(source) ? 1 - context.globalAlpha : 1));
    if (!carried) return;
    const from = { x: sx, y: sy, w: sw, h: sh };
    const target = sheetOf(context.canvas);
    const m = transformOf(context, target);
    for (const item of [...carried]) {
      if (overlap(from, item) < COVERED * item.w * item.h) continue;
      const kx = w / sw;
      const ky = h / sh;
      const place = mapped(m, x + (item.x - sx) * kx, y + (item.y - sy) * ky, item.w * kx, item.h * ky);
      put(target, { ...place, text: item.text, shows: item.shows * context.globalAlpha, ax: place.x, ay: place.y });
    }
  };

  /** Keeps `sheet.matrix` true, or null where that would take more than a sum. */
  const followTransform = (prototype) => {
    const follow = (name, change) =>
      replaceMethod(prototype, name, (original) => ({
        follow(x, y) {
          const sheet = lettered && sheets.get(this.canvas);
          if (sheet) change(sheet, +x, +y);
          return Reflect.apply(original, this, arguments);
        },
      }).follow);
    follow("save", (sheet) => {
      if (sheet.saved.length < MAX_SAVED) sheet.saved.push(sheet.matrix);
      else sheet.saved = []; // what is missing here is asked for again
    });
    follow("restore", (sheet) => (sheet.matrix = sheet.saved.pop() ?? null));
    follow("translate", (sheet, x, y) => {
      const m = sheet.matrix;
      if (m) sheet.matrix = { a: m.a, b: m.b, c: m.c, d: m.d, e: m.e + m.a * x + m.c * y, f: m.f + m.b * x + m.d * y };
    });
    follow("scale", (sheet, x, y) => {
      const m = sheet.matrix;
      if (m) sheet.matrix = { a: m.a * x, b: m.b * x, c: m.c * y, d: m.d * y, e: m.e, f: m.f };
    });
    for (const name of ["rotate", "transform", "setTransform", "resetTransform"])
      follow(name, (sheet) => (sheet.matrix = null));
  };

  const wrap = (prototype) => {
    if (!prototype) return;
    for (const name of ["fillText", "strokeText"])
      replaceMethod(prototype, name, (original) => ({
        text(text, x, y, maxWidth) {
          const item = written(this, text, Number(x), Number(y), maxWidth);
          Reflect.apply(original, this, arguments);
          if (item) put(sheetOf(this.canvas), item);
        },
      }).text);
    replaceMethod(prototype, "clearRect", (original) => ({
      clearRect(x, y, w, h) {
        Reflect.apply(original, this, arguments);
        if (lettered) paintOver(this, +x, +y, +w, +h, () => 0);
      },
    }).clearRect);
    replaceMethod(prototype, "fillRect", (original) => ({
      fillRect(x, y, w, h) {
        Reflect.apply(original, this, arguments);
        if (lettered) paintOver(this, +x, +y, +w, +h, fillLetsThrough);
      },
    }).fillRect);
    replaceMethod(prototype, "drawImage", (original) => ({
      drawImage(source, ...args) {
        Reflect.apply(original, this, arguments);
        if (lettered) drawn(this, source, args);
      },
    }).drawImage);
    replaceMethod(prototype, "putImageData", (original) => ({
      putImageData(data, x, y) {
        Reflect.apply(original, this, arguments);
        const sheet = sheets.get(this.canvas);
        if (sheet && sheet.list.length) cover(sheet, { x: +x, y: +y, w: data.width, h: data.height }, () => 0);
      },
    }).putImageData);
    // A panel is often a path of one rectangle. Only the path's last one is followed.
    const panels = new WeakMap();
    for (const name of ["rect", "roundRect"])
      replaceMethod(prototype, name, (original) => ({
        rect(x, y, w, h) {
          Reflect.apply(original, this, arguments);
          const sheet = lettered && sheets.get(this.canvas);
          if (sheet && sheet.list.length) panels.set(this, [+x, +y, +w, +h]);
        },
      }).rect);
    replaceMethod(prototype, "beginPath", (original) => ({
      beginPath() {
        if (lettered) panels.delete(this);
        return Reflect.apply(original, this, arguments);
      },
    }).beginPath);
    replaceMethod(prototype, "fill", (original) => ({
      fill() {
        Reflect.apply(original, this, arguments);
        if (!lettered) return;
        painted(sheets.get(this.canvas), null);
        const panel = panels.get(this);
        if (panel) paintOver(this, ...panel, fillLetsThrough);
      },
    }).fill);
    for (const name of ["stroke", "strokeRect"])
      replaceMethod(prototype, name, (original) => ({
        stroke() {
          Reflect.apply(original, this, arguments);
          if (lettered) painted(sheets.get(this.canvas), null);
        },
      }).stroke);
    replaceMethod(prototype, "reset", (original) => ({
      reset() {
        Reflect.apply(original, this, arguments);
        const sheet = sheets.get(this.canvas);
        if (sheet) wipe(sheet);
      },
    }).reset);
    followTransform(prototype);
  };
  wrap(W.CanvasRenderingContext2D && W.CanvasRenderingContext2D.prototype);
  wrap(offscreen && offscreen.prototype);

  // A new size empties a canvas, the same size too.
  for (const owner of [W.HTMLCanvasElement, W.OffscreenCanvas])
    for (const name of ["width", "height"])
      replaceSetter(owner && owner.prototype, name, (original) => ({
        set(value) {
          Reflect.apply(original, this, [value]);
          const sheet = sheets.get(this);
          if (sheet) wipe(sheet);
        },
      }).set);

  // A canvas that gave its drawing away shows what the off-screen one draws; a bitmap takes its texts along.
  const shownBy = new WeakMap();
  replaceMethod(W.HTMLCanvasElement.prototype, "transferControlToOffscreen", (original) => ({
    transferControlToOffscreen() {
      const drawing = Reflect.apply(original, this, arguments);
      shownBy.set(drawing, this);
      return drawing;
    },
  }).transferControlToOffscreen);
  replaceMethod(W.OffscreenCanvas && W.OffscreenCanvas.prototype, "transferToImageBitmap", (original) => ({
    transferToImageBitmap() {
      const bitmap = Reflect.apply(original, this, arguments);
      const sheet = sheets.get(this);
      if (sheet && sheet.list.length) {
        sheets.set(bitmap, { ...sheet });
        wipe(sheet);
      }
      return bitmap;
    },
  }).transferToImageBitmap);

  /** Letters and digits written one by one, joined where they stand close in one line. */
  const joined = (list) => {
    const out = [];
    const isLetter = (item) => [...item.text].length === 1;
    for (const item of [...list].sort((p, q) => p.ay - q.ay || p.x - q.x)) {
      const before = out[out.length - 1];
      const gap = before ? item.x - (before.x + before.w) : Infinity;
      const inLine = before && Math.abs(before.ay - item.ay) < 1 && gap > -0.3 * item.h && gap < 0.45 * Math.max(item.h, before.h);
      if (inLine && isLetter(item) && before.letters) {
        const top = Math.min(before.y, item.y);
        before.h = Math.max(before.y + before.h, item.y + item.h) - top;
        before.y = top;
        before.w = item.x + item.w - before.x;
        before.text += item.text;
      } else out.push({ ...item, letters: isLetter(item) });
    }
    return out;
  };

  /** A copy of a canvas without what was written over its part [x, y, w, h] that shows the board; null where that is how
   *  it is. */
  T.bareCanvas = (canvas, [x, y, w, h]) => T.beneath.bare(canvas, { x, y, w, h }, sheets.has(canvas) ? sheets.get(canvas).list : []);

  /** Text on this frame's canvases. */
  T.canvasTexts = () => {
    const found = [];
    for (let i = references.length - 1; i >= 0; i--) {
      const drawing = references[i].deref();
      if (!drawing) {
        references.splice(i, 1);
        continue;
      }
      const canvas = shownBy.get(drawing) ?? drawing;
      for (const { text, x, y, w, h } of joined(sheets.get(drawing).list)) found.push({ text, x, y, w, h, canvas });
    }
    return found;
  };
}
