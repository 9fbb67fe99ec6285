// Composes what the page shows of a region on a scratch picture.
// Comes in: a region of the page and the size of the picture. Goes out: RGBA bytes, and what they were made of.
// One reader for every renderer, by layout and not by screenshot: what is scrolled out, off-screen, transformed or
// drawn at another pixel ratio is painted the same.
{
  const { N } = L;
  // The layout is measured anew at least once in so many paintings, for what no observer tells (a rule changed in place).
  const RENEW = 64;
  // A board is painted in full at least once in so many looks, whatever a rough look says.
  const ROUGH_LOOKS = 8;
  // Rough looks that said nothing, one after the other, and how many paintings later it is tried again: then most looks at
  // it see something else.
  const ROUGH_IN_VAIN = 4;
  const ROUGH_AGAIN = 16;
  // And it, like any other part of the page, is looked at at least once in so many, whatever was or wasn't asked of its
  // canvases.
  const STILL_LOOKS = 16;
  const scratches = new Map();
  const tainted = new WeakSet();
  const EVERYWHERE = [-1e5, -1e5, 2e5, 2e5];

  const scratch = (w, h, quality = 'medium') => {
    const key = w + 'x' + h + quality;
    let s = scratches.get(key);
    if (!s) {
      if (scratches.size > 11) scratches.clear();
      const canvas = new N.Offscreen(w, h);
      s = { canvas, c: N.context(canvas) };
      s.c.imageSmoothingQuality = quality;
      scratches.set(key, s);
    }
    return s;
  };
  // Index of the first of `n` pixels that differ, or -1; apart, so that it is compiled once for all pictures.
  L.firstDifference = (a, b, n) => {
    for (let i = 0; i < n; i++) if (a[i] !== b[i]) return i;
    return -1;
  };
  // May the source be drawn without making our picture unreadable?
  const clean = (source) => {
    if (tainted.has(source)) return false;
    const probe = scratch(1, 1);
    try {
      N.c_drawImage(probe.c, source, 0, 0, 1, 1);
      N.c_getImageData(probe.c, 0, 0, 1, 1);
      return true;
    } catch {
      tainted.add(source);
      scratches.clear();
      return false;
    }
  };
  // Can it be painted? An empty one can.
  L.readable = (canvas) => !(N.canvasWidth(canvas) > 0 && N.canvasHeight(canvas) > 0) || clean(canvas);
  const checked = new WeakSet();
  const measureSource = (item) => {
    const source = item.source;
    if (item.canvas) {
      item.sw = N.canvasWidth(source);
      item.sh = N.canvasHeight(source);
    } else if (N.localName(source) === 'video') {
      item.sw = source.videoWidth;
      item.sh = source.videoHeight;
    } else {
      item.sw = N.imageComplete(source) ? N.imageWidth(source) : 0;
      item.sh = item.sw ? N.imageHeight(source) : 0;
    }
    if (!(item.sw > 0 && item.sh > 0)) return false;
    if (item.canvas && checked.has(source)) return true;
    if (!clean(source)) return false;
    if (item.canvas) checked.add(source);
    return true;
  };

  // Cells that look alike and lie on whole pixels of the picture are drawn once and then copied.
  const stamps = new WeakMap();
  const whole = (v) => Math.abs(v - Math.round(v)) < 0.002;
  const stamp = (c, item, x, y, w, h, B) => {
    const look = item.look;
    if (!(look.layers || look.border || look.shadows) || look.outline || item.bare || item.wide) return false;
    const px = B[0] * x + B[2];
    const py = B[1] * y + B[3];
    const pw = w * B[0];
    const ph = h * B[1];
    if (pw > 64 || ph > 64 || pw < 1 || ph < 1 || !whole(px) || !whole(py) || !whole(pw) || !whole(ph)) return false;
    if (look.layers) for (let i = 0; i < look.layers.length; i++) if (look.layers[i].fixed || (look.layers[i].url && !L.picture(look.layers[i].url, item.base))) return false;
    if (look.shadows) for (let i = 0; i < look.shadows.length; i++) if (!look.shadows[i].inset) return false;
    const iw = Math.round(pw);
    const ih = Math.round(ph);
    let s = stamps.get(look);
    if (!s || s.w !== w || s.h !== h || s.iw !== iw || s.ih !== ih) {
      const canvas = new N.Offscreen(iw, ih);
      const ctx = N.context(canvas);
      ctx.imageSmoothingQuality = 'medium';
      N.c_setTransform(ctx, B[0], 0, 0, B[1], 0, 0);
      const view = L.view;
      L.view = EVERYWHERE;
      L.drawBox(ctx, item, 0, 0, w, h);
      L.view = view;
      s = { w, h, iw, ih, canvas };
      stamps.set(look, s);
    }
    N.c_setTransform(c, 1, 0, 0, 1, 0, 0);
    N.c_drawImage(c, s.canvas, Math.round(px), Math.round(py));
    return true;
  };

  const drawItem = (c, item, B) => {
    let clipped = false;
    const k = item.clip;
    if (k) {
      const slack = 0.01;
      const over = item.kind === 'text' || item.kind === 'shape' || item.turn !== null || item.pseudo || (item.look && (item.look.shadows || item.look.outline));
      if (over || item.x < k[0] - slack || item.y < k[1] - slack || item.x + item.w > k[0] + k[2] + slack || item.y + item.h > k[1] + k[3] + slack) {
        clipped = true;
        N.c_save(c);
        N.c_setTransform(c, B[0], 0, 0, B[1], B[2], B[3]);
        N.c_beginPath(c);
        N.c_rect(c, k[0], k[1], k[2], k[3]);
        N.c_clip(c);
      }
    }
    c.globalAlpha = item.alpha;
    L.view = item.turn || item.origin ? EVERYWHERE : L.wideView;
    const kind = item.kind;
    if (kind === 'shape') {
      const m = item.matrix;
      N.c_setTransform(c, B[0] * m[0], B[1] * m[1], B[0] * m[2], B[1] * m[3], B[0] * m[4] + B[2], B[1] * m[5] + B[3]);
      L.drawShape(c, item);
    } else {
      let x = item.x;
      let y = item.y;
      let w = item.w;
      let h = item.h;
      const t = item.turn;
      if (item.origin) {
        // A pseudo-element: placed in the untransformed box of its element.
        const o = item.origin;
        const m = o.turn || [1, 0, 0, 1];
        N.c_setTransform(c, B[0] * m[0], B[1] * m[1], B[0] * m[2], B[1] * m[3], B[0] * o.cx + B[2], B[1] * o.cy + B[3]);
        if (t) {
          const cx = x - o.ox + w / 2;
          const cy = y - o.oy + h / 2;
          N.c_transform(c, t[0], t[1], t[2], t[3], cx, cy);
          x = -w / 2;
          y = -h / 2;
        } else {
          x -= o.ox;
          y -= o.oy;
        }
        if (kind === 'text') {
          const r = item.runs[0];
          L.drawText(c, { look: item.look, runs: [{ text: r.text, x: x + r.x - item.x, y: y + r.y - item.y, w: r.w, h: r.h }] });
          if (clipped) N.c_restore(c);
          return;
        }
      } else if (t && kind !== 'flood') {
        const cx = x + w / 2;
        const cy = y + h / 2;
        N.c_setTransform(c, B[0] * t[0], B[1] * t[1], B[0] * t[2], B[1] * t[3], B[0] * cx + B[2], B[1] * cy + B[3]);
        if (kind === 'text') {
          L.drawTurnedText(c, item, B);
          if (clipped) N.c_restore(c);
          return;
        }
        const s = L.localSize(t, w, h, item.element);
        w = s[0];
        h = s[1];
        x = -w / 2;
        y = -h / 2;
      } else N.c_setTransform(c, B[0], 0, 0, B[1], B[2], B[3]);
      if (kind === 'box') {
        if (item.origin || t || !stamp(c, item, x, y, w, h, B)) L.drawBox(c, item, x, y, w, h);
      }
      else if (kind === 'source') {
        if (measureSource(item)) L.drawSource(c, item, x, y, w, h, c.canvas);
      } else if (kind === 'text') L.drawText(c, item, x, y);
      else if (kind === 'flood') {
        c.fillStyle = item.colour;
        N.c_fillRect(c, x, y, w, h);
      } else if (kind === 'control' || kind === 'area') L.drawControl(c, item, x, y, w, h);
    }
    if (clipped) N.c_restore(c);
  };
  L.drawTurnedText = (c, item, B) => {
    const t = item.turn;
    for (let i = 0; i < item.runs.length; i++) {
      const run = item.runs[i];
      const s = L.localSize(t, run.w, run.h, null);
      N.c_setTransform(c, B[0] * t[0], B[1] * t[1], B[0] * t[2], B[1] * t[3], B[0] * (run.x + run.w / 2) + B[2], B[1] * (run.y + run.h / 2) + B[3]);
      L.drawText(c, { look: item.look, runs: [{ text: run.text, x: -s[0] / 2, y: -s[1] / 2, w: s[0], h: s[1] }] });
    }
  };
  L.drawControl = (c, item, x, y, w, h) => {
    const look = item.look;
    if (item.kind === 'control' && (item.type === 'checkbox' || item.type === 'radio')) {
      const accent = look.accent && look.accent !== 'auto' ? look.accent : 'rgb(0,117,255)';
      c.fillStyle = item.checked ? accent : 'rgb(118,118,118)';
      N.c_fillRect(c, x, y, w, h);
      if (item.checked) {
        c.strokeStyle = 'rgb(255,255,255)';
        c.lineWidth = w * 0.2;
        N.c_beginPath(c);
        N.c_moveTo(c, x + w * 0.2, y + h * 0.52);
        N.c_lineTo(c, x + w * 0.42, y + h * 0.72);
        N.c_lineTo(c, x + w * 0.82, y + h * 0.27);
        N.c_stroke(c);
      } else {
        c.fillStyle = 'rgb(255,255,255)';
        N.c_fillRect(c, x + 1, y + 1, w - 2, h - 2);
      }
      return;
    }
    if (!item.text) return;
    const b = look.widths;
    const p = look.padding;
    const line = look.lineHeight || look.fontSize * 1.2;
    const lines = item.kind === 'area' ? item.text.split('\n') : [item.text];
    N.c_save(c);
    N.c_beginPath(c);
    N.c_rect(c, x, y, w, h);
    N.c_clip(c);
    const runs = [];
    const top = item.kind === 'area' ? y + b[0] + p[0] - (item.top || 0) : y + (h - line) / 2;
    c.font = look.font;
    for (let i = 0; i < lines.length && i < 300; i++) {
      const tw = N.c_measureText(c, lines[i]).width;
      const room = w - b[1] - b[3] - p[1] - p[3];
      const middle = item.type === 'button' || item.type === 'submit' || item.type === 'reset' || look.align === 'center';
      L.push(runs, { text: lines[i], x: x + b[3] + p[3] + (middle ? (room - tw) / 2 : 0), y: top + i * line, w: room, h: line });
    }
    L.drawText(c, { look, runs });
    N.c_restore(c);
  };

  let lastError = null;
  // T.lastError(): why something could last not be drawn, for whoever debugs the painter.
  T.lastError = () => lastError;

  // Small glyphs are hinted and thin strokes that touch are blended twice when drawn small: with such in the region the
  // picture is painted finer, at about the page's own size, and halved.
  const shows = (item, r) => {
    if (item.clip && (item.clip[2] <= 0 || item.clip[3] <= 0)) return false;
    for (let i = 0; i < item.runs.length; i++) {
      const k = item.runs[i];
      if (item.origin || (k.x < r[0] + r[2] && k.y < r[1] + r[3] && k.x + k.w > r[0] && k.y + k.h > r[1])) return true;
    }
    return false;
  };
  const finer = (w, h, region) => {
    const scale = Math.min(w / region[2], h / region[3]);
    const m = scale >= 1 ? 1 : scale >= 0.5 ? 2 : 4;
    return w * h * m * m <= 4e6 ? m : 1;
  };
  // A board of elements has at least so many.
  const CELLS = 4;
  // Words laid over the canvas that is most of the region are no part of what is drawn on it, and those that stand outside
  // of an element that holds the board as others are none of its cells.
  const wordless = (items, region, anchor) => {
    let under = -1;
    for (let i = 0; i < items.length; i++) {
      const it = items[i];
      if (it.kind === 'source' && it.canvas && it.w * it.h * 2 >= region[2] * region[3]) under = i;
    }
    if (under < 0 && !(anchor && N.childElementCount(anchor) >= CELLS)) return items;
    // Nor are those that are written on it.
    if (under >= 0) items[under].board = region;
    const kept = [];
    const laidOver = (i) => (under < 0 ? !N.contains(anchor, items[i].element) : i >= under);
    for (let i = 0; i < items.length; i++) if (items[i].kind !== 'text' || !laidOver(i)) L.push(kept, items[i]);
    return kept;
  };
  // The canvas of a board that is turned at the moment is painted as if it was not: at [x, y, w, h].
  const setUpright = (items, canvas, [x, y, w, h]) => {
    for (let i = 0; i < items.length; i++) {
      const it = items[i];
      if (it.element !== canvas) continue;
      it.turn = null;
      [it.x, it.y, it.w, it.h] = [x, y, w, h];
    }
  };
  const pixels = (bytes) => new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // A painter of one region; keeps its list while nothing changes. A board, given by `watched()` as {anchor, upright}, is
  // painted whole, what is scrolled out of view too, and without words over its canvas.
  L.painter = (w, h, watched) => {
    const board = watched !== undefined;
    let list = null;
    let at = -1;
    let count = 0;
    let key = '';
    let roots = [document];
    let before = null;
    let rough = null;
    let roughLooks = 0;
    let inVain = 0;
    let stillLooks = 0;
    // What lies under all that is live, by the size it is painted at: {canvas, c, list, n}.
    const unders = new Map();
    // Items before the first live one, where painting them costs more than copying their picture.
    const still = () => {
      let costly = false;
      for (let i = 0; i < list.items.length; i++) {
        const it = list.items[i];
        if (it.kind === 'source') return costly ? i : 0;
        costly ||= it.kind === 'text' || it.kind === 'shape' || !!(it.look && (it.look.layers || it.look.shadows));
      }
      return 0;
    };
    const drawItems = (c, B, from, to) => {
      for (let i = from; i < to; i++) {
        try {
          drawItem(c, list.items[i], B);
        } catch (error) {
          // One thing that cannot be drawn must not cost the rest of the picture.
          lastError = String((error && error.stack) || error).slice(0, 500);
        }
      }
    };
    const clear = (c, w, h) => {
      N.c_setTransform(c, 1, 0, 0, 1, 0, 0);
      c.globalAlpha = 1;
      c.fillStyle = L.paper();
      N.c_fillRect(c, 0, 0, w, h);
    };
    // Paints what lies under the live things, from its picture if it was painted before, and says how many items that are.
    const underneath = (c, w, h, B) => {
      const key = w + 'x' + h + L.rough;
      let under = unders.get(key);
      if (!under || under.list !== list) {
        // A list that is used once only needs no picture.
        unders.set(key, (under = { canvas: under ? under.canvas : null, list, n: -1 }));
        return 0;
      }
      if (under.n < 0) under.n = L.picturesWaiting() === 0 ? still() : 0;
      if (under.n === 0) return 0;
      if (!under.drawn) {
        if (!under.canvas) under.canvas = new N.Offscreen(w, h);
        const u = N.context(under.canvas);
        u.imageSmoothingQuality = c.imageSmoothingQuality;
        clear(u, w, h);
        drawItems(u, B, 0, under.n);
        under.drawn = true;
      }
      N.c_setTransform(c, 1, 0, 0, 1, 0, 0);
      N.c_drawImage(c, under.canvas, 0, 0);
      return under.n;
    };
    const compose = (c, w, h, region) => {
      const B = [w / region[2], h / region[3], (-region[0] * w) / region[2], (-region[1] * h) / region[3]];
      L.view = region;
      L.wideView = region;
      clear(c, w, h);
      drawItems(c, B, underneath(c, w, h, B), list.items.length);
      c.globalAlpha = 1;
    };
    // Does a rough look say that nothing changed? Sources are drawn by a few of their pixels, a tenth of the work of
    // taking all of them together. Most looks at a game see what the one before saw.
    const looksSame = (region) => {
      const s = scratch(w, h, 'low');
      L.rough = true;
      let now;
      try {
        compose(s.c, w, h, region);
        now = new Int32Array(N.c_getImageData(s.c, 0, 0, w, h).data.buffer);
      } catch {
        now = null; // what taints it is found by painting in full
      }
      L.rough = false;
      const same = now !== null && rough !== null && roughLooks < ROUGH_LOOKS && L.firstDifference(now, rough, w * h) < 0;
      rough = now;
      roughLooks = same ? roughLooks + 1 : 0;
      inVain = same ? 0 : inVain + 1;
      return same;
    };
    const roughPays = () => {
      if (inVain < ROUGH_IN_VAIN) return true;
      rough = null;
      // The first one then has none to be compared with.
      if (++inVain >= ROUGH_AGAIN) inVain = ROUGH_IN_VAIN - 2;
      return false;
    };
    const seen = new WeakMap();
    const seenOf = (canvas) => {
      let of = seen.get(canvas);
      if (!of) seen.set(canvas, (of = {}));
      return of;
    };
    const looked = (same) => {
      for (let i = 0; list.canvases && i < list.canvases.length; i++) L.ink.looked(list.canvases[i], seenOf(list.canvases[i]), same);
    };
    // Do all the canvases in the region show what they did when last looked at?
    const isStill = () => {
      if (!list.canvases || stillLooks >= STILL_LOOKS) return false;
      for (let i = 0; i < list.canvases.length; i++) if (!L.ink.still(list.canvases[i], seenOf(list.canvases[i]))) return false;
      stillLooks++;
      return true;
    };
    // `same: true` when nothing can have changed since the last call; else bytes of w*h*4.
    const paint = (region) => {
      L.pump(roots, region);
      const k = region[0] + ',' + region[1] + ',' + region[2] + ',' + region[3] + ';' + L.scrolled(list);
      count++;
      const renew = count % RENEW === 0;
      if (renew) L.stale(null);
      const rebuilt = !list || renew || list.always || k !== key || (at !== L.version() && !(board && L.isAside(at, list, region)));
      // What lies aside need not be asked about again.
      if (!rebuilt) at = L.version();
      else {
        const of = board ? watched() : null;
        list = L.list(region, false, of && of.anchor);
        if (board) list.items = wordless(list.items, region, of && of.anchor);
        if (of && of.upright) setUpright(list.items, of.anchor, of.upright);
        const met = list.roots.some((root) => roots.indexOf(root) < 0);
        roots = list.roots;
        // Nothing of the page ran since: only what is met for the first time has to be taken in.
        if (met) L.pump(roots, region);
        at = L.version();
        L.clean();
        if (board) L.placed(list, region);
        key = region[0] + ',' + region[1] + ',' + region[2] + ',' + region[3] + ';' + L.scrolled(list);
        list.live = false;
        list.fine = false;
        list.canvases = [];
        for (let i = 0; i < list.items.length; i++) {
          const it = list.items[i];
          if (it.kind === 'source') {
            list.live = true;
            if (!it.canvas) list.canvases = null;
            else if (list.canvases) L.push(list.canvases, it.source);
          } else if (it.kind === 'area' || (it.kind === 'shape' && (it.stroke || it.geometry.text)) || (it.kind === 'text' && shows(it, region))) list.fine = true;
        }
      }
      if (!rebuilt && before && L.picturesWaiting() === 0 && (!list.live || isStill())) return { same: true, bytes: before };
      stillLooks = 0;
      if (rebuilt) rough = null;
      else if (board && roughPays() && looksSame(region)) {
        looked(true);
        return { same: true, bytes: before };
      }
      const m = list.fine ? finer(w, h, region) : 1;
      let s = scratch(w * m, h * m);
      let c = s.c;
      compose(c, w * m, h * m, region);
      for (let k = m / 2; k >= 1; k /= 2) {
        const half = scratch(w * k, h * k);
        N.c_setTransform(half.c, 1, 0, 0, 1, 0, 0);
        half.c.globalAlpha = 1;
        half.c.imageSmoothingQuality = 'low';
        N.c_drawImage(half.c, s.canvas, 0, 0, w * k, h * k);
        half.c.imageSmoothingQuality = 'medium';
        s = half;
        c = s.c;
      }
      let data;
      try {
        data = N.c_getImageData(c, 0, 0, w, h).data;
      } catch {
        scratches.clear();
        for (let i = 0; i < list.items.length; i++) if (list.items[i].kind === 'source') {
          checked.delete(list.items[i].source);
          clean(list.items[i].source);
        }
        list = null;
        return { same: false, bytes: null };
      }
      looked(!board && before !== null && before.length === data.length && L.firstDifference(pixels(data), pixels(before), w * h) < 0);
      before = data;
      return { same: false, bytes: data };
    };
    return { paint, list: () => list };
  };
  L.paper = () => {
    const root = N.documentElement(document);
    const scheme = root ? N.prop(N.style(root), 'color-scheme') : '';
    return /dark/.test(scheme) && !/light/.test(scheme) ? 'rgb(18,18,18)' : 'rgb(255,255,255)';
  };
}
