// Draws one item of the display list on the scratch picture.
// Comes in: items (a box, a picture, a text, an SVG shape) with their rectangles. Goes out: pixels. Measures nothing.
{
  const { N, css } = L;
  const images = new Map();
  const waiting = new Set();
  // The picture behind a background's url: null while it loads, or when it would taint what it is drawn on.
  L.picture = (url, base) => {
    if (!images.has(url)) {
      if (images.size > 500) images.clear();
      let entry = { image: null, ok: false };
      images.set(url, entry);
      let target;
      try {
        target = new URL(url, base);
      } catch {
        return null;
      }
      const local = target.protocol === 'data:' || target.protocol === 'blob:' || target.origin === location.origin;
      if (local && target.protocol !== 'file:') {
        const image = N.load(target.href);
        entry.image = image;
        const done = () => {
          waiting.delete(image);
          L.touch();
        };
        waiting.add(image);
        N.addEvent(image, 'load', done);
        N.addEvent(image, 'error', done);
      }
    }
    const entry = images.get(url);
    return entry.image && N.imageComplete(entry.image) && N.imageWidth(entry.image) > 0 ? entry.image : null;
  };
  L.picturesWaiting = () => waiting.size;
  const drawings = new Map();
  // The document of a drawing in another file of the page's host: null while it loads, or where it cannot be had.
  L.drawing = (url, base) => {
    let target;
    try {
      target = new URL(url, base);
    } catch {
      return null;
    }
    if (target.origin !== location.origin) return null;
    target.hash = '';
    const { href } = target;
    if (!drawings.has(href)) {
      if (drawings.size > 50) return null;
      const entry = { document: null };
      drawings.set(href, entry);
      waiting.add(entry);
      N.drawing(href, (document) => {
        entry.document = document;
        waiting.delete(entry);
        L.touch();
      });
    }
    return drawings.get(href).document;
  };

  const trace = (c, x, y, w, h, look, inset) => {
    N.c_beginPath(c);
    if (!look.radius) N.c_rect(c, x, y, w, h);
    else {
      const r = [];
      for (let i = 0; i < 4; i++) {
        const v = css.length(look.radius[i].split(' ')[0], Math.min(w, h));
        r[i] = Math.max(0, (v === v ? v : 0) - inset);
      }
      N.c_roundRect(c, x, y, w, h, r);
    }
  };
  const fillShape = (c, x, y, w, h, look, inset) => {
    if (!look.radius) N.c_fillRect(c, x, y, w, h);
    else {
      trace(c, x, y, w, h, look, inset);
      N.c_fill(c);
    }
  };
  const tileSize = (layer, image, w, h) => {
    const nw = image ? N.imageWidth(image) : w;
    const nh = image ? N.imageHeight(image) : h;
    if (layer.size === 'cover' || layer.size === 'contain') {
      const f = layer.size === 'cover' ? Math.max(w / nw, h / nh) : Math.min(w / nw, h / nh);
      return image ? [nw * f, nh * f] : [w, h];
    }
    const words = layer.size.split(' ');
    let tw = css.length(words[0], w);
    let th = words.length > 1 ? css.length(words[1], h) : NaN;
    if (!(tw === tw) && !(th === th)) return image ? [nw, nh] : [w, h];
    if (!(tw === tw)) tw = image ? (nw * th) / nh : w;
    if (!(th === th)) th = image ? (nh * tw) / nw : h;
    return [tw, th];
  };
  // A layer of more parts (scan lines, a fine grid) is painted once and then copied: [key, canvas] by layer, of each as many
  // as there are pictures it is painted on in turn.
  const MANY_PARTS = 48;
  const COPIES = 6;
  const copies = new WeakMap();
  // Paints what `lay` paints within `box` [left, top, right, bottom] by a copy of it; false where it is turned.
  const fromPicture = (c, layer, key, box, lay) => {
    const m = N.c_getTransform(c);
    if (m.b !== 0 || m.c !== 0 || !(m.a > 0) || !(m.d > 0)) return false;
    const left = Math.max(0, Math.floor(box[0] * m.a + m.e));
    const top = Math.max(0, Math.floor(box[1] * m.d + m.f));
    const w = Math.min(c.canvas.width, Math.ceil(box[2] * m.a + m.e)) - left;
    const h = Math.min(c.canvas.height, Math.ceil(box[3] * m.d + m.f)) - top;
    if (!(w > 0 && h > 0)) return true;
    key += ';' + [m.a, m.d, m.e, m.f, w, h].join();
    let kept = copies.get(layer);
    if (!kept) copies.set(layer, (kept = []));
    let copy = null;
    for (let i = 0; i < kept.length; i++) if (kept[i][0] === key) copy = kept[i][1];
    if (!copy) {
      copy = new N.Offscreen(w, h);
      const p = N.context(copy);
      N.c_setTransform(p, m.a, 0, 0, m.d, m.e - left, m.f - top);
      lay(p);
      if (kept.length >= COPIES) kept.length = 0;
      L.push(kept, [key, copy]);
    }
    N.c_setTransform(c, 1, 0, 0, 1, 0, 0);
    N.c_drawImage(c, copy, left, top);
    N.c_setTransform(c, m.a, m.b, m.c, m.d, m.e, m.f);
    return true;
  };
  const paintLayer = (c, layer, x, y, w, h, clip, base) => {
    const image = layer.url ? L.picture(layer.url, base) : null;
    if (layer.url && !image) return;
    const size = tileSize(layer, image, w, h);
    const tw = size[0];
    const th = size[1];
    if (!(tw > 0.2) || !(th > 0.2)) return;
    const p = layer.position.split(' ');
    let px = css.length(p[0], w - tw);
    let py = css.length(p[1] || '50%', h - th);
    if (!(px === px)) px = 0;
    if (!(py === py)) py = 0;
    const rep = layer.repeat;
    const rx = rep !== 'no-repeat' && rep !== 'repeat-y' && !/^no-repeat /.test(rep);
    const ry = rep !== 'no-repeat' && rep !== 'repeat-x' && !/ no-repeat$/.test(rep);
    let x0 = x + px;
    let y0 = y + py;
    let x1 = x0 + tw;
    let y1 = y0 + th;
    if (rx) {
      x0 -= Math.ceil((x0 - clip[0]) / tw) * tw;
      x1 = clip[0] + clip[2];
    }
    if (ry) {
      y0 -= Math.ceil((y0 - clip[1]) / th) * th;
      y1 = clip[1] + clip[3];
    }
    if (rx || ry) {
      // Only the tiles that show.
      const v = L.view;
      if (rx) {
        x0 += Math.max(0, Math.floor((v[0] - x0) / tw)) * tw;
        x1 = Math.min(x1, v[0] + v[2]);
      }
      if (ry) {
        y0 += Math.max(0, Math.floor((v[1] - y0) / th)) * th;
        y1 = Math.min(y1, v[1] + v[3]);
      }
      if (!(x1 > x0 && y1 > y0)) return;
    }
    const tiles = ((x1 - x0) / tw) * ((y1 - y0) / th);
    if (tiles > 4000) return;
    // The last tile of a row may reach further than what is to be covered.
    const endX = x0 + Math.ceil((x1 - x0) / tw - 0.01) * tw;
    const endY = y0 + Math.ceil((y1 - y0) / th - 0.01) * th;
    const inside = x0 >= clip[0] - 0.01 && y0 >= clip[1] - 0.01 && endX <= clip[0] + clip[2] + 0.01 && endY <= clip[1] + clip[3] + 0.01;
    const one = tw >= x1 - x0 - 0.01 && th >= y1 - y0 - 0.01;
    const lay = (c) => {
      if (layer.gradient && one && inside && css.fillParts(c, layer.gradient, x0, y0, tw, th)) return;
      if (layer.gradient && one) {
        c.fillStyle = css.fill(c, layer.gradient, x0, y0, tw, th);
        const l = Math.max(x0, clip[0]);
        const t = Math.max(y0, clip[1]);
        N.c_fillRect(c, l, t, Math.min(x0 + tw, clip[0] + clip[2]) - l, Math.min(y0 + th, clip[1] + clip[3]) - t);
        return;
      }
      N.c_save(c);
      if (!inside) {
        N.c_beginPath(c);
        N.c_rect(c, clip[0], clip[1], clip[2], clip[3]);
        N.c_clip(c);
      }
      for (let ty = y0; ty < y1 - 0.01; ty += th) for (let tx = x0; tx < x1 - 0.01; tx += tw) {
        if (layer.gradient) {
          if (css.fillParts(c, layer.gradient, tx, ty, tw, th)) continue;
          c.fillStyle = css.fill(c, layer.gradient, tx, ty, tw, th);
          N.c_fillRect(c, tx, ty, tw, th);
        } else N.c_drawImage(c, image, tx, ty, tw, th);
      }
      N.c_restore(c);
    };
    if (layer.gradient && tiles * css.partsIn(layer.gradient, tw, th) > MANY_PARTS) {
      const l = Math.max(x0, clip[0]);
      const t = Math.max(y0, clip[1]);
      if (fromPicture(c, layer, [x0, y0, x1, y1, tw, th].concat(clip).join(), [l, t, Math.min(endX, clip[0] + clip[2]), Math.min(endY, clip[1] + clip[3])], lay)) return;
    }
    lay(c);
  };
  const boxShadow = (c, s, x, y, w, h, look) => {
    c.fillStyle = s.colour;
    if (!s.inset) {
      // What a shadow throws outside its box; the blur is taken as a wider, fainter rim.
      const g = s.spread + s.blur / 4;
      if (s.x === 0 && s.y === 0 && g <= 0) return;
      const a = c.globalAlpha;
      if (s.blur > 0) c.globalAlpha = a * 0.6;
      N.c_beginPath(c);
      N.c_rect(c, x + s.x - g, y + s.y - g, w + 2 * g, h + 2 * g);
      N.c_rect(c, x, y, w, h);
      N.c_fill(c, 'evenodd');
      c.globalAlpha = a;
      return;
    }
    const b = look.widths;
    const l = x + b[3];
    const t = y + b[0];
    const iw = w - b[1] - b[3];
    const ih = h - b[0] - b[2];
    // The hole of an inset shadow; a blur fades over its own width, drawn in steps.
    const steps = s.blur > 1 ? 4 : 1;
    const a = c.globalAlpha;
    c.globalAlpha = a / steps;
    for (let i = 0; i < steps; i++) {
      const g = s.spread + (steps > 1 ? s.blur * ((i + 0.5) / steps - 0.5) : 0);
      const hl = Math.min(l + iw, Math.max(l, l + g + s.x));
      const ht = Math.min(t + ih, Math.max(t, t + g + s.y));
      const hr = Math.max(hl, Math.min(l + iw, l + iw - g + s.x));
      const hb = Math.max(ht, Math.min(t + ih, t + ih - g + s.y));
      N.c_beginPath(c);
      N.c_rect(c, l, t, iw, ih);
      N.c_rect(c, hl, ht, hr - hl, hb - ht);
      N.c_fill(c, 'evenodd');
    }
    c.globalAlpha = a;
  };
  const border = (c, b, x, y, w, h, look) => {
    const [t, r, bo, l] = b.widths;
    if (b.plain) {
      c.fillStyle = b.colours[0];
      if (!look.radius) {
        N.c_beginPath(c);
        N.c_rect(c, x, y, w, h);
        N.c_rect(c, x + l, y + t, Math.max(0, w - l - r), Math.max(0, h - t - bo));
        N.c_fill(c, 'evenodd');
      } else {
        trace(c, x + l / 2, y + t / 2, w - (l + r) / 2, h - (t + bo) / 2, look, l / 2);
        c.strokeStyle = b.colours[0];
        c.lineWidth = l;
        N.c_stroke(c);
      }
      return;
    }
    const corners = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    const inner = [[x + l, y + t], [x + w - r, y + t], [x + w - r, y + h - bo], [x + l, y + h - bo]];
    const alpha = c.globalAlpha;
    for (let i = 0; i < 4; i++) {
      if (!b.widths[i] || !b.colours[i]) continue;
      const k = (i + 1) % 4;
      const style = b.styles[i];
      c.globalAlpha = style === 'dotted' || style === 'dashed' ? alpha * 0.55 : style === 'double' && b.widths[i] >= 3 ? alpha * 0.67 : alpha;
      c.fillStyle = b.colours[i];
      N.c_beginPath(c);
      N.c_moveTo(c, corners[i][0], corners[i][1]);
      N.c_lineTo(c, corners[k][0], corners[k][1]);
      N.c_lineTo(c, inner[k][0], inner[k][1]);
      N.c_lineTo(c, inner[i][0], inner[i][1]);
      N.c_closePath(c);
      N.c_fill(c);
    }
    c.globalAlpha = alpha;
  };
  L.drawBox = (c, item, x, y, w, h) => {
    const look = item.look;
    if (look.shadows) for (let i = look.shadows.length - 1; i >= 0; i--) if (!look.shadows[i].inset) boxShadow(c, look.shadows[i], x, y, w, h, look);
    if (look.colour && !item.bare) {
      c.fillStyle = look.colour;
      const last = look.layers && look.layers[look.layers.length - 1].clip;
      if (last === 'content-box' || last === 'padding-box') {
        const b = look.widths;
        N.c_fillRect(c, x + b[3], y + b[0], w - b[1] - b[3], h - b[0] - b[2]);
      } else if (!look.clipText) fillShape(c, x, y, w, h, look, 0);
    }
    if (look.layers && !look.clipText && !item.bare) {
      const b = look.widths;
      const clipped = look.radius !== null;
      if (clipped) {
        N.c_save(c);
        trace(c, x, y, w, h, look, 0);
        N.c_clip(c);
      }
      for (let i = look.layers.length - 1; i >= 0; i--) {
        const layer = look.layers[i];
        let ox = x + b[3];
        let oy = y + b[0];
        let ow = w - b[1] - b[3];
        let oh = h - b[0] - b[2];
        const p = look.padding;
        if (layer.fixed && !item.turn) [ox, oy, ow, oh] = [window.scrollX, window.scrollY, window.innerWidth, window.innerHeight];
        else if (layer.origin === 'border-box') [ox, oy, ow, oh] = [x, y, w, h];
        else if (layer.origin === 'content-box' && p) [ox, oy, ow, oh] = [ox + p[3], oy + p[0], ow - p[1] - p[3], oh - p[0] - p[2]];
        let clip = item.wide || [x, y, w, h];
        if (layer.clip === 'padding-box') clip = [x + b[3], y + b[0], w - b[1] - b[3], h - b[0] - b[2]];
        else if (layer.clip === 'content-box' && p) clip = [x + b[3] + p[3], y + b[0] + p[0], w - b[1] - b[3] - p[1] - p[3], h - b[0] - b[2] - p[0] - p[2]];
        paintLayer(c, layer, ox, oy, ow, oh, clip, item.base);
      }
      if (clipped) N.c_restore(c);
    }
    if (look.shadows) for (let i = look.shadows.length - 1; i >= 0; i--) if (look.shadows[i].inset) boxShadow(c, look.shadows[i], x, y, w, h, look);
    if (look.border) border(c, look.border, x, y, w, h, look);
    if (look.outline) {
      const o = look.outline;
      const g = o.offset + o.width;
      c.fillStyle = o.colour;
      N.c_beginPath(c);
      N.c_rect(c, x - g, y - g, w + 2 * g, h + 2 * g);
      N.c_rect(c, x - o.offset, y - o.offset, w + 2 * o.offset, h + 2 * o.offset);
      N.c_fill(c, 'evenodd');
    }
  };
  // A canvas, image or video in its content box.
  L.drawSource = (c, item, x, y, w, h) => {
    const look = item.look;
    const b = look.widths;
    const p = look.padding || [0, 0, 0, 0];
    x += b[3] + p[3];
    y += b[0] + p[0];
    w -= b[1] + b[3] + p[1] + p[3];
    h -= b[0] + b[2] + p[0] + p[2];
    const sw = item.sw;
    const sh = item.sh;
    if (!(sw > 0) || !(sh > 0) || !(w > 0) || !(h > 0)) return;
    let sx = 0;
    let sy = 0;
    let cw = sw;
    let ch = sh;
    if (look.fit === 'contain' || look.fit === 'scale-down') {
      const f = Math.min(w / sw, h / sh);
      x += (w - sw * f) / 2;
      y += (h - sh * f) / 2;
      w = sw * f;
      h = sh * f;
    } else if (look.fit === 'cover') {
      const f = Math.max(w / sw, h / sh);
      cw = w / f;
      ch = h / f;
      sx = (sw - cw) / 2;
      sy = (sh - ch) / 2;
    }
    const stand = item.canvas && T.root.clock && T.root.clock.stands.get(item.source);
    const part = stand && standIn(stand, sh);
    const [fx, fy] = [w / cw, h / ch];
    if (!part) {
      const r = item.board;
      const bare = r && !item.turn && bareOf(item.source, [sx + (r[0] - x) / fx, sy + (r[1] - y) / fy, r[2] / fx, r[3] / fy]);
      return L.shrink(c, bare || item.source, sx, sy, cw, ch, x, y, w, h, look.pixelated);
    }
    L.shrink(c, part.picture, 0, 0, stand.width, stand.height, x + (part.x - sx) * fx, y + (part.y - sy) * fy, part.w * fx, part.h * fy, look.pixelated);
  };
  // A canvas as it would be if nothing was written over the board on it; null where that is how it is.
  const bareOf = (canvas, part) => {
    const document = N.ownerDocument(canvas);
    const frames = T.frames();
    for (let f = 0; f < frames.length; f++) if (frames[f].doc === document) return frames[f].T.bareCanvas ? frames[f].T.bareCanvas(canvas, part) : null;
    return null;
  };
  // The part of a WebGL canvas that is as it should be, as a picture, and where in the canvas it is.
  const pictures = new WeakMap();
  const standIn = (stand, height) => {
    const bytes = stand.pixels();
    if (!bytes) return null;
    const [x, y, w, h] = stand.part;
    let picture = pictures.get(stand);
    if (!picture) {
      picture = new N.Offscreen(stand.width, stand.height);
      const shown = new ImageData(stand.width, stand.height);
      const row = stand.width * 4;
      for (let i = 0; i < stand.height; i++) shown.data.set(bytes.subarray(i * row, (i + 1) * row), (stand.height - 1 - i) * row);
      N.c_putImageData(N.context(picture), shown, 0, 0);
      pictures.set(stand, picture);
    }
    return { picture, x, y: height - y - h, w, h };
  };
  // drawImage, but thin lines survive: the browser's own filters take 2 or at best a power of 2 of the source's pixels
  // together and lose an outline of 1 px at 4:1 (a cell's mean is wrong by 7 to 24 levels). So a source that is more
  // than twice as fine as the picture is drawn at 2, 4 or 8 times the picture's size, aligned to its pixels, and
  // halved from there, which is an exact mean (wrong by 1 to 3 levels; 0.2 ms at 2, 0.8 ms at 4). One that is a little
  // more than a power of 2 as fine is halved first, which is as exact (0.35 ms at 4.5).
  const LITTLE = 1.3;
  const steps = new Map();
  const stage = (level, w, h) => {
    let s = steps.get(level);
    if (!s || s.canvas.width < w || s.canvas.height < h) {
      const canvas = new N.Offscreen(Math.max(w, s ? s.canvas.width : 0), Math.max(h, s ? s.canvas.height : 0));
      s = { canvas, c: N.context(canvas) };
      s.c.imageSmoothingQuality = 'low';
      steps.set(level, s);
    }
    N.c_setTransform(s.c, 1, 0, 0, 1, 0, 0);
    N.c_clearRect(s.c, 0, 0, w, h);
    return s;
  };
  // The part of a source, each `blocks` (a power of 2) by `blocks` pixels of it as one, in the upper left of a canvas.
  const halved = (source, sx, sy, w, h, blocks) => {
    let from = source;
    for (let k = 2; k <= blocks; k *= 2) {
      const s = stage(1 / k, Math.ceil(w / k), Math.ceil(h / k));
      N.c_drawImage(s.c, from, sx, sy, (w / k) * 2, (h / k) * 2, 0, 0, w / k, h / k);
      from = s.canvas;
      sx = sy = 0;
    }
    return from;
  };
  L.shrink = (c, source, sx, sy, cw, ch, x, y, w, h, pixelated) => {
    const m = N.c_getTransform(c);
    const fine = Math.max((cw / w) / Math.hypot(m.a, m.b), (ch / h) / Math.hypot(m.c, m.d));
    if (L.rough || !(fine > 1.3)) {
      c.imageSmoothingEnabled = !(pixelated && fine < 1);
      N.c_drawImage(c, source, sx, sy, cw, ch, x, y, w, h);
      c.imageSmoothingEnabled = true;
      return;
    }
    const level = fine <= 2.2 ? 1 : fine <= 4.4 ? 2 : fine <= 8.8 ? 4 : 8;
    const xs = [m.a * x + m.c * y, m.a * (x + w) + m.c * y, m.a * x + m.c * (y + h), m.a * (x + w) + m.c * (y + h)];
    const ys = [m.b * x + m.d * y, m.b * (x + w) + m.d * y, m.b * x + m.d * (y + h), m.b * (x + w) + m.d * (y + h)];
    const l = Math.max(0, Math.floor(Math.min(xs[0], xs[1], xs[2], xs[3]) + m.e));
    const t = Math.max(0, Math.floor(Math.min(ys[0], ys[1], ys[2], ys[3]) + m.f));
    const r = Math.min(c.canvas.width, Math.ceil(Math.max(xs[0], xs[1], xs[2], xs[3]) + m.e));
    const b = Math.min(c.canvas.height, Math.ceil(Math.max(ys[0], ys[1], ys[2], ys[3]) + m.f));
    const iw = r - l;
    const ih = b - t;
    if (iw <= 0 || ih <= 0) return;
    if (level === 1 || iw * ih * level * level > 3e7) {
      N.c_drawImage(c, source, sx, sy, cw, ch, x, y, w, h);
      return;
    }
    const blocks = 2 ** Math.floor(Math.log2(fine));
    const coarse = Math.min(cw / w / m.a, ch / h / m.d);
    if (level > 2 && fine < blocks * LITTLE && coarse > blocks * 0.9 && m.b === 0 && m.c === 0) {
      const [fx, fy] = [cw / w, ch / h];
      const from = (edge) => Math.max(0, Math.floor(edge / blocks - 1) * blocks);
      const [left, top] = [from(((l - m.e) / m.a - x) * fx), from(((t - m.f) / m.d - y) * fy)];
      const width = Math.min(cw, Math.ceil(((r - m.e) / m.a - x) * fx) + 2 * blocks) - left;
      const height = Math.min(ch, Math.ceil(((b - m.f) / m.d - y) * fy) + 2 * blocks) - top;
      const s = halved(source, sx + left, sy + top, width, height, blocks);
      c.imageSmoothingQuality = 'low';
      N.c_drawImage(c, s, 0, 0, width / blocks, height / blocks, x + left / fx, y + top / fy, width / fx, height / fy);
      c.imageSmoothingQuality = 'medium';
      return;
    }
    let s = stage(level, iw * level, ih * level);
    N.c_setTransform(s.c, m.a * level, m.b * level, m.c * level, m.d * level, (m.e - l) * level, (m.f - t) * level);
    N.c_drawImage(s.c, source, sx, sy, cw, ch, x, y, w, h);
    for (let k = level / 2; k > 1; k /= 2) {
      const next = stage(k, iw * k, ih * k);
      N.c_drawImage(next.c, s.canvas, 0, 0, iw * k * 2, ih * k * 2, 0, 0, iw * k, ih * k);
      s = next;
    }
    N.c_setTransform(c, 1, 0, 0, 1, 0, 0);
    c.imageSmoothingQuality = 'low';
    N.c_drawImage(c, s.canvas, 0, 0, iw * 2, ih * 2, l, t, iw, ih);
    c.imageSmoothingQuality = 'medium';
    N.c_setTransform(c, m);
  };
  L.drawText = (c, item) => {
    const look = item.look;
    c.font = look.font;
    c.letterSpacing = look.space === 'normal' ? '0px' : look.space || '0px';
    c.fillStyle = look.ink;
    for (let i = 0; i < item.runs.length; i++) {
      const run = item.runs[i];
      const m = N.c_measureText(c, run.text);
      const up = m.fontBoundingBoxAscent;
      const tall = up + m.fontBoundingBoxDescent;
      N.c_fillText(c, run.text, run.x, run.y + (run.h - tall) / 2 + up);
      const strange = L.asShown ? null : L.pictureless(run.text);
      if (!strange) continue;
      if (strange.length === 1 && strange[0].text === run.text.trim()) {
        // By itself it may be a block: as large as signs with a picture are, which are squares.
        c.fillStyle = strange[0].colour;
        N.c_fillRect(c, run.x + (run.w - tall) / 2, run.y + (run.h - tall) / 2, tall, tall);
      } else for (let k = 0; k < strange.length; k++) {
        c.fillStyle = strange[k].colour;
        const x = run.x + N.c_measureText(c, strange[k].before).width;
        N.c_fillRect(c, x, run.y, N.c_measureText(c, strange[k].text).width, run.h);
      }
      c.fillStyle = look.ink;
    }
    c.letterSpacing = '0px';
  };
}
