// The page as a list of things to draw, in the order in which they are painted.
// Comes in: the live frames. Goes out: items {kind, look, x, y, w, h (page pixels), turn, alpha, clip, ...} of a region.
// Knows no pixels. Order follows CSS 2.1 appendix E: stacking contexts, negative layers, flow, layers by z-index.
{
  const { N } = L;
  const MAX_ELEMENTS = 30000;
  const MAX_DEPTH = 400;
  const IDENTITY = null;
  const textCache = new WeakMap();

  // Where a frame's client pixels lie on the page.
  L.frameMap = (win, outer) => ({ sx: outer ? outer.sx : 1, sy: outer ? outer.sy : 1, tx: outer ? outer.tx : win.scrollX, ty: outer ? outer.ty : win.scrollY });

  const layer = (list, z) => {
    const l = { z, flow: [], sub: null };
    L.push(list, l);
    return l;
  };
  const context = () => ({ z: 0, flow: [], sub: [] });
  const flatten = (ctx, out) => {
    const sub = ctx.sub;
    let sorted = sub;
    if (sub && sub.length > 1) {
      let ordered = true;
      for (let i = 1; i < sub.length; i++) if (sub[i].z < sub[i - 1].z) ordered = false;
      if (!ordered) {
        sorted = [];
        for (let i = 0; i < sub.length; i++) sorted[i] = [sub[i].z, i, sub[i]];
        sorted.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        for (let i = 0; i < sorted.length; i++) sorted[i] = sorted[i][2];
      }
    }
    let i = 0;
    const n = sorted ? sorted.length : 0;
    // The context's own background lies under its negative layers.
    let own = 0;
    while (own < ctx.flow.length && ctx.flow[own].own) L.push(out, ctx.flow[own++]);
    for (; i < n && sorted[i].z < 0; i++) flatten(sorted[i], out);
    for (let k = own; k < ctx.flow.length; k++) L.push(out, ctx.flow[k]);
    for (; i < n; i++) flatten(sorted[i], out);
  };

  const cut = (a, x, y, w, h) => {
    if (!a) return [x, y, w, h];
    const l = Math.max(a[0], x);
    const t = Math.max(a[1], y);
    return [l, t, Math.max(0, Math.min(a[0] + a[2], x + w) - l), Math.max(0, Math.min(a[1] + a[3], y + h) - t)];
  };

  const walk = { region: null, count: 0, roots: null, always: false, scrollers: null, elements: null, wide: false, spread: null, through: null };
  const touches = (x, y, w, h, slack) => {
    const r = walk.region;
    return !r || (x < r[0] + r[2] + slack && y < r[1] + r[3] + slack && x + w > r[0] - slack && y + h > r[1] - slack);
  };
  const outside = (clip) => clip !== null && (clip[2] <= 0 || clip[3] <= 0 || !touches(clip[0], clip[1], clip[2], clip[3], 0));

  // The size before transforms of a box whose rectangle on the page is (w, h).
  const localSize = (turn, w, h, element) => {
    const a = Math.abs(turn[0]);
    const b = Math.abs(turn[1]);
    const c = Math.abs(turn[2]);
    const d = Math.abs(turn[3]);
    if (b < 1e-6 && c < 1e-6) return [w / (a || 1), h / (d || 1)];
    if (a < 1e-6 && d < 1e-6) return [h / (b || 1), w / (c || 1)];
    const det = a * d - b * c;
    if (Math.abs(det) > 0.05) return [(d * w - c * h) / det, (a * h - b * w) / det];
    if (element && N.offsetWidth) {
      try {
        return [N.offsetWidth(element), N.offsetHeight(element)];
      } catch {
        // Not an HTML element.
      }
    }
    return [w / (a + c), h / (b + d)];
  };
  L.localSize = localSize;

  const runsOf = (node, look, map) => {
    const text = N.nodeValue(node);
    if (!/\S/.test(text)) return null;
    const doc = N.ownerDocument(node);
    const range = N.createRange(doc);
    N.selectNodeContents(range, node);
    const rects = N.rangeRects(range);
    const n = rects.length;
    if (n === 0) return null;
    const runs = [];
    const push = (t, r) => {
      if (r.width <= 0 || r.height <= 0) return;
      L.push(runs, { text: t, x: r.left * map.sx + map.tx, y: r.top * map.sy + map.ty, w: r.width * map.sx, h: r.height * map.sy });
    };
    const shape = (t) => (look.transformText === 'uppercase' ? t.toUpperCase() : look.transformText === 'lowercase' ? t.toLowerCase() : look.transformText === 'capitalize' ? t.replace(/(^|\s)(\S)/g, (_, s, l) => s + l.toUpperCase()) : t);
    const keeps = /pre|break-spaces|preserve/.test(look.white);
    if (n === 1) {
      push(shape(keeps ? text.replace(/\n/g, '') : text.replace(/\s+/g, ' ').trim()), rects[0]);
      return runs;
    }
    if (keeps) {
      const lines = text.split('\n');
      const full = [];
      for (let i = 0; i < lines.length; i++) if (lines[i] !== '') L.push(full, lines[i]);
      const solid = [];
      for (let i = 0; i < n; i++) if (rects[i].width > 0) L.push(solid, rects[i]);
      if (full.length === solid.length) {
        for (let i = 0; i < full.length; i++) push(shape(full[i]), solid[i]);
        return runs;
      }
    }
    // Wrapped text: characters one by one, joined while they stay on a line.
    let run = null;
    const limit = Math.min(text.length, 4000);
    for (let i = 0; i < limit; i++) {
      const two = text.charCodeAt(i) >= 0xd800 && text.charCodeAt(i) < 0xdc00 ? 2 : 1;
      N.setStart(range, node, i);
      N.setEnd(range, node, Math.min(text.length, i + two));
      const list = N.rangeRects(range);
      const r = list.length ? list[list.length - 1] : null;
      const t = text.slice(i, i + two);
      i += two - 1;
      if (!r || r.width === 0) continue;
      const x = r.left * map.sx + map.tx;
      const y = r.top * map.sy + map.ty;
      if (run && Math.abs(run.y - y) < 1 && Math.abs(run.x + run.w - x) < 1) {
        run.text += t;
        run.w = x + r.width * map.sx - run.x;
      } else {
        run = { text: t, x, y, w: r.width * map.sx, h: r.height * map.sy };
        L.push(runs, run);
      }
    }
    for (let i = 0; i < runs.length; i++) runs[i].text = shape(runs[i].text.replace(/\s/g, ' '));
    return runs;
  };
  // As above, measured again only when the text, its look or its parent's size changed.
  const textOf = (node, look, map, px, py, pw, ph) => {
    const known = textCache.get(node);
    const data = N.nodeValue(node);
    if (known && known.data === data && known.look === look && Math.abs(known.pw - pw) < 0.01 && Math.abs(known.ph - ph) < 0.01 && known.siblings === L.version()) {
      if (!known.runs) return null;
      if (Math.abs(known.px - px) < 0.01 && Math.abs(known.py - py) < 0.01) return known.runs;
    }
    const runs = runsOf(node, look, map);
    textCache.set(node, { data, look, px, py, pw, ph, runs, siblings: L.version() });
    return runs;
  };

  const pseudoItem = (element, p, box, st, first) => {
    if (!p || !p.visible || !(p.opacity > 0.01)) return;
    const at = p.place;
    const bx = box.x + box.b[3];
    const by = box.y + box.b[0];
    const bw = box.w - box.b[1] - box.b[3];
    const bh = box.h - box.b[0] - box.b[2];
    const number = (v, whole) => {
      const n = L.css.length(v, whole);
      return n === n ? n : null;
    };
    let w = number(at.width, bw);
    let h = number(at.height, bh);
    let left = number(at.left, bw);
    let top = number(at.top, bh);
    const right = number(at.right, bw);
    const bottom = number(at.bottom, bh);
    const outer = at.sizing === 'border-box' ? 0 : 1;
    if (w !== null) w += outer * (at.padding[1] + at.padding[3] + p.widths[1] + p.widths[3]);
    if (h !== null) h += outer * (at.padding[0] + at.padding[2] + p.widths[0] + p.widths[2]);
    const line = p.fontSize * 1.2;
    if (h === null) h = line;
    if (w === null) w = p.text ? p.fontSize * 0.6 * p.text.length : 0;
    let x;
    let y;
    if (p.position === 'absolute' || p.position === 'fixed') {
      if (left === null) left = right !== null ? bw - right - w : box.p[3];
      if (top === null) top = bottom !== null ? bh - bottom - h : box.p[0];
      x = bx + left + at.margin[1];
      y = by + top + at.margin[0];
    } else {
      const iw = bw - box.p[1] - box.p[3];
      const ih = bh - box.p[0] - box.p[2];
      const centred = box.look.align === 'center' || /flex|grid/.test(box.look.display);
      x = bx + box.p[3] + at.margin[1] + (centred ? (iw - w) / 2 : first ? 0 : p.display === 'block' ? 0 : Math.max(0, iw - w));
      y = by + box.p[0] + at.margin[0] + (/flex|grid/.test(box.look.display) ? (ih - h) / 2 : first ? 0 : Math.max(0, ih - h));
      if (p.position === 'relative') {
        x += left || 0;
        y += top || 0;
      }
    }
    const alpha = st.alpha * p.opacity;
    const origin = { turn: box.turn, cx: box.cx, cy: box.cy, ox: box.w / 2, oy: box.h / 2 };
    const flow = p.position === 'absolute' || p.position === 'fixed' ? layer(st.sc.sub, p.z === p.z ? p.z : 0).flow : st.flow;
    const clip = box.inner;
    if (p.paints) L.push(flow, { kind: 'box', look: p, x, y, w, h, turn: p.turn, alpha, clip, base: box.base, origin, element, pseudo: true });
    if (p.text) {
      const item = { kind: 'text', look: p, x, y, w, h, turn: p.turn, alpha, clip, runs: [{ text: p.text, x: x + p.widths[3] + at.padding[3], y: y + p.widths[0] + at.padding[0], w, h: h - p.widths[0] - p.widths[2] - at.padding[0] - at.padding[2] }], element, pseudo: true, origin };
      L.push(flow, item);
    }
  };

  const children = (node, st, box, depth) => {
    for (let child = N.firstChild(node); child !== null; child = N.nextSibling(child)) visit(child, st, box, depth);
  };
  const visit = (node, st, box, depth) => {
    const type = N.nodeType(node);
    if (type === 1) walkElement(node, st, depth + 1);
    else if (type === 3 && box) {
      const look = box.look;
      if (!look.visible || !(st.alpha > 0.01) || !touches(box.px, box.py, box.pw, box.ph, 40)) return;
      const runs = textOf(node, look, st.map, box.px, box.py, box.pw, box.ph);
      if (runs && runs.length) L.push(st.flow, { kind: 'text', look, x: box.px, y: box.py, w: box.pw, h: box.ph, turn: st.turn, alpha: st.alpha, clip: st.clip, runs, element: box.element, node });
    }
  };

  // May the frame's document be walked?
  L.opens = (frame) => {
    try {
      return !!N.frameDocument(frame);
    } catch {
      return false;
    }
  };
  const frameInside = (element, st, look, x, y, w, h, depth) => {
    let doc = null;
    let win = null;
    try {
      doc = N.frameDocument(element);
      win = N.frameWindow(element);
    } catch {
      return;
    }
    if (!doc || !win) return;
    const ow = N.offsetWidth(element) || 1;
    const oh = N.offsetHeight(element) || 1;
    const fx = w / ow;
    const fy = h / oh;
    const left = look.widths[3] + look.padding[3];
    const top = look.widths[0] + look.padding[0];
    const map = { sx: fx, sy: fy, tx: x + left * fx, ty: y + top * fy };
    const inner = cut(st.clip, map.tx, map.ty, w - (left + look.widths[1] + look.padding[1]) * fx, h - (top + look.widths[2] + look.padding[2]) * fy);
    const turn = fx !== 1 || fy !== 1 ? [fx, 0, 0, fy] : null;
    walkDocument(doc, map, { flow: st.flow, sc: st.sc, alpha: st.alpha, clip: inner, turn }, inner, depth);
  };

  // The browser paints boxes on whole pixels (but for transformed ones): each edge is rounded, and what is there at all
  // has one pixel at least. Cells of 27.5 pixels are 27 and 28, without a seam.
  const THINNEST = 1 / 16;
  const snapped = (at, size) => Math.round(at + size) - Math.round(at) || (size > THINNEST ? 1 : 0);
  const snap = (it) => {
    it.w = snapped(it.x, it.w);
    it.h = snapped(it.y, it.h);
    it.x = Math.round(it.x);
    it.y = Math.round(it.y);
  };

  const walkElement = (element, st, depth) => {
    if (++walk.count > MAX_ELEMENTS || depth > MAX_DEPTH) return;
    const look = L.look(element, st.look);
    if (look.none) return;
    const name = N.localName(element);
    if (name === 'script' || name === 'style' || name === 'template' || name === 'noscript' || name === 'head') return;
    if (look.contents) {
      const next = { ...st, look };
      inside(element, name, next, null, depth);
      return;
    }
    const rect = N.rect(element);
    const map = st.map;
    const pw = rect.width * map.sx;
    const ph = rect.height * map.sy;
    const px = rect.left * map.sx + map.tx;
    const py = rect.top * map.sy + map.ty;
    const alpha = st.alpha * look.opacity;
    if (!(alpha > 0.004)) return;
    const turn = look.turn ? L.multiply(st.turn || [1, 0, 0, 1], look.turn) : st.turn;
    let clip = st.clip;
    if (look.position === 'fixed') clip = st.fixedClip;
    else if (look.position === 'absolute') clip = st.absClip;
    let flow = st.flow;
    let sc = st.sc;
    if (look.context) {
      const c = context();
      c.z = look.zIndex;
      L.push(sc.sub, c);
      sc = c;
      flow = c.flow;
    } else if (look.positioned) flow = layer(sc.sub, 0).flow;
    if (look.cover && /rect\(\s*0px,?\s*0px|rect\(\s*1px,?\s*1px/.test(look.cover)) return;

    const visible = look.visible && touches(px, py, pw, ph, 30) && !outside(clip);
    const item = (kind) => ({ kind, look, x: px, y: py, w: pw, h: ph, turn, alpha, clip, element, own: look.context && kind === 'box', base: st.base, bare: look === walk.spread && (name === 'body' || name === 'html') });
    if (visible && pw > 0 && ph > 0) {
      if (look.paints) {
        const it = item('box');
        if (turn === null) snap(it);
        L.push(flow, it);
      }
      if (name === 'canvas') {
        const it = item('source');
        it.source = element;
        it.canvas = true;
        L.push(flow, it);
      } else if (name === 'img' || name === 'video') {
        const it = item('source');
        it.source = element;
        L.push(flow, it);
        if (name === 'video') walk.always = true;
      } else if (name === 'input') formControl(element, item, flow, look);
      else if (name === 'textarea') {
        const it = item('area');
        it.text = N.areaValue(element);
        it.top = N.scrollTop(element);
        L.push(flow, it);
        walk.always = true;
      }
    }
    if (name === 'iframe') {
      if (look.visible && !outside(clip)) frameInside(element, { flow, sc, alpha, clip }, look, px, py, pw, ph, depth);
      return;
    }
    if (name === 'canvas' || name === 'img' || name === 'video' || name === 'input' || name === 'textarea' || name === 'select' || name === 'object' || name === 'audio') return;
    const svg = name === 'svg' && N.namespaceURI(element) === L.SVG_NS;
    const first = N.firstChild(element);
    const shadow = L.shadowOf(element);
    if (first === null && !shadow && !look.before && !look.after && name !== 'slot') return;

    let inner = clip;
    const cuts = look.clips && !(name === 'body' || name === 'html');
    if (cuts) {
      const b = look.widths;
      const scale = turn ? Math.abs(turn[0]) || 1 : 1;
      if (look.scrolls && walk.through && N.contains(element, walk.through)) inner = clip;
      else if (turn && (turn[1] !== 0 || turn[2] !== 0)) inner = cut(clip, px, py, pw, ph);
      else inner = cut(clip, px + b[3] * scale, py + b[0] * scale, pw - (b[1] + b[3]) * scale, ph - (b[0] + b[2]) * scale);
      if (look.scrolls && walk.scrollers.length < 200) L.push(walk.scrollers, element);
    }
    const absClip = look.positioned || look.contains ? inner : st.absClip;
    const fixedClip = look.contains ? inner : st.fixedClip;
    // What is fixed, or placed by a box further out, is not cut off with the rest.
    if (cuts && !walk.wide && outside(inner) && (look.scrolls || (outside(absClip) && outside(fixedClip)))) return;
    const next = {
      look,

      map,
      turn,
      alpha,
      clip: inner,
      absClip,
      fixedClip,
      flow,
      sc,
      base: st.base,
    };
    const box = { look, element, px, py, pw, ph };
    if (svg) {
      if (touches(px, py, pw, ph, 10) || walk.wide) L.walkSvg(element, next, walk, visitHtml, depth);
      return;
    }
    if (look.before || look.after) {
      const [bw, bh] = turn ? localSize(turn, pw, ph, element) : [pw, ph];
      const cx = px + pw / 2;
      const cy = py + ph / 2;
      const pbox = { look, x: 0, y: 0, w: bw, h: bh, b: look.widths, p: look.padding, turn, cx, cy, inner: next.clip, base: st.base };
      if (touches(px, py, pw, ph, 60)) pseudoItem(element, look.before, pbox, next, true);
      inside(element, name, next, box, depth);
      if (touches(px, py, pw, ph, 60)) pseudoItem(element, look.after, pbox, next, false);
      return;
    }
    inside(element, name, next, box, depth);
  };
  const visitHtml = (element, st, depth) => walkElement(element, st, depth);
  // The children that are rendered: those of the shadow root, what is assigned to a slot, or its own.
  const inside = (element, name, st, box, depth) => {
    const shadow = L.shadowOf(element);
    if (shadow) {
      L.push(walk.roots, shadow);
      children(shadow, st, box, depth);
      return;
    }
    if (name === 'slot') {
      const list = N.assignedNodes(element, { flatten: true });
      if (list.length) {
        for (let i = 0; i < list.length; i++) visit(list[i], st, box, depth);
        return;
      }
    }
    children(element, st, box, depth);
  };
  const formControl = (element, item, flow, look) => {
    const type = N.inputType(element);
    if (type === 'hidden') return;
    const it = item('control');
    it.type = type;
    walk.always = true;
    if (type === 'checkbox' || type === 'radio') it.checked = N.inputChecked(element);
    else if (type === 'image' || type === 'color' || type === 'range' || type === 'file') return;
    else if (type === 'password') return;
    else it.text = N.inputValue(element);
    it.look = look;
    L.push(flow, it);
  };

  const walkDocument = (doc, map, st, clip, depth) => {
    L.push(walk.roots, doc);
    const html = N.documentElement(doc);
    if (!html) return;
    const base = doc.baseURI;
    const body = N.body(doc);
    const look = L.look(html, null);
    if (look.none) return;
    // The root's background, or else the body's, covers the whole canvas.
    const from = look.colour || look.layers ? look : body ? L.look(body, look) : null;
    const wide = clip || [-1e6, -1e6, 2e6, 2e6];
    if (from && !from.none && (from.colour || from.layers)) {
      const r = N.rect(html);
      const x = r.left * map.sx + map.tx;
      const y = r.top * map.sy + map.ty;
      if (from.colour) L.push(st.flow, { kind: 'flood', colour: from.colour, look: from, x: wide[0], y: wide[1], w: wide[2], h: wide[3], turn: null, alpha: st.alpha, clip, own: true });
      if (from.layers) L.push(st.flow, { kind: 'box', look: { ...from, colour: '', border: null, shadows: null, outline: null, widths: [0, 0, 0, 0], padding: [0, 0, 0, 0] }, x, y, w: r.width * map.sx, h: r.height * map.sy, wide, turn: null, alpha: st.alpha, clip, base, own: true });
    }
    // What the canvas took over, the element itself does not paint again.
    if (from && !from.none) walk.spread = from;
    const next = { look: null, map, turn: st.turn, alpha: st.alpha, clip, absClip: clip, fixedClip: clip, flow: st.flow, sc: st.sc, base };
    walkElement(html, next, depth);
  };

  // How far the window and the scrollers of a list are scrolled, as a string.
  L.scrolled = (list) => {
    let k = window.scrollX + ',' + window.scrollY + ',' + window.innerWidth + ',' + window.innerHeight;
    if (list) for (let i = 0; i < list.scrollers.length; i++) k += ',' + N.scrollTop(list.scrollers[i]) + ',' + N.scrollLeft(list.scrollers[i]);
    return k;
  };

  // All items of the page, or of `region` = [x, y, w, h]; in painting order. What lies in the same scrollers as the element
  // `through` is there also where it is scrolled out of them.
  L.list = (region, wide, through) => {
    walk.region = region;
    walk.through = through || null;
    walk.count = 0;
    walk.roots = [];
    walk.always = false;
    walk.scrollers = [];
    walk.wide = !!wide;
    const top = window;
    const root = context();
    const map = { sx: 1, sy: 1, tx: top.scrollX, ty: top.scrollY };
    walkDocument(document, map, { flow: root.flow, sc: root, alpha: 1, turn: IDENTITY }, null, 0);
    const items = [];
    flatten(root, items);
    return { items, roots: walk.roots, always: walk.always, scrollers: walk.scrollers, count: walk.count };
  };
}
