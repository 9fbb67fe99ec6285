// SVG: shapes as paths with their exact matrices.
// Comes in: an outer <svg> element. Goes out: items of kind 'shape', 'source' and 'text' in painting order, and their drawing.
{
  const { N, css } = L;
  const paths = new Map();
  const pathOf = (d) => {
    let p = paths.get(d);
    if (!p) {
      if (paths.size > 4000) paths.clear();
      p = new N.Path2D(d);
      paths.set(d, p);
    }
    return p;
  };
  const num = (element, name, whole) => {
    const v = N.getAttribute(element, name);
    if (v === null) return NaN;
    return v.endsWith('%') ? (parseFloat(v) / 100) * (whole || 0) : parseFloat(v);
  };
  // In a document that is not shown nothing has a box: what it would be by its attributes.
  const boxOf = (element) => {
    const of = (x, y, width, height) => ({ x, y, width, height });
    if (isShown(element)) {
      try {
        return N.getBBox(element);
      } catch {
        return null;
      }
    }
    const n = (name) => num(element, name) || 0;
    const rx = n('r') || n('rx');
    const ry = n('r') || n('ry');
    if (N.localName(element) === 'rect') return of(n('x'), n('y'), n('width'), n('height'));
    return rx > 0 && ry > 0 ? of(n('cx') - rx, n('cy') - ry, 2 * rx, 2 * ry) : null;
  };
  const isShown = (element) => N.ownerDocument(element).defaultView !== null;
  const points = (text) => (text.match(/-?[\d.]+(?:e[-+]?\d+)?/gi) || []).map(Number);
  // Local geometry of a shape: {path} or {rect: [x, y, w, h]}.
  const geometry = (element, name) => {
    if (name === 'rect') {
      const b = boxOf(element);
      if (!b || !(b.width > 0) || !(b.height > 0)) return null;
      let rx = num(element, 'rx', b.width);
      const ry = num(element, 'ry', b.height);
      if (!(rx === rx)) rx = ry;
      if (!(rx > 0)) return { rect: [b.x, b.y, b.width, b.height], box: b };
      rx = Math.min(rx, b.width / 2, b.height / 2);
      return { round: [b.x, b.y, b.width, b.height, rx], box: b };
    }
    if (name === 'circle' || name === 'ellipse') {
      const b = boxOf(element);
      return b && b.width > 0 ? { oval: [b.x + b.width / 2, b.y + b.height / 2, b.width / 2, b.height / 2], box: b } : null;
    }
    if (name === 'path') {
      const d = N.getAttribute(element, 'd');
      return d ? { path: pathOf(d), element } : null;
    }
    if (name === 'line') {
      const x1 = num(element, 'x1') || 0;
      const y1 = num(element, 'y1') || 0;
      return { poly: [x1, y1, num(element, 'x2') || 0, num(element, 'y2') || 0], open: true, element };
    }
    const list = points(N.getAttribute(element, 'points') || '');
    return list.length >= 4 ? { poly: list, open: name === 'polyline', element } : null;
  };
  const byId = (element, id) => {
    const root = N.getRootNode(element);
    try {
      return N.nodeType(root) === 9 ? N.byId(root, id) : N.byIdIn(root, id);
    } catch {
      return null;
    }
  };
  const reference = (text) => {
    const m = /url\("?[^"#]*#([^")]+)"?\)/.exec(text);
    return m ? m[1] : null;
  };
  const chain = (server) => {
    const out = [];
    for (let s = server, i = 0; s && i < 6; i++) {
      L.push(out, s);
      const href = N.getAttribute(s, 'href') || N.getAttribute(s, 'xlink:href');
      s = href && href[0] === '#' ? byId(s, href.slice(1)) : null;
    }
    return out;
  };
  // A fill or stroke: a colour, or a gradient made for the shape's box.
  const paintOf = (text, element) => {
    if (!text || text === 'none') return null;
    const id = reference(text);
    if (id === null) return css.clear(text) ? null : { colour: text };
    const server = byId(element, id);
    if (!server) {
      const rest = text.slice(text.indexOf(')') + 1).trim();
      return rest && rest !== 'none' ? { colour: rest } : null;
    }
    const servers = chain(server);
    const kind = N.localName(server);
    if (kind === 'pattern') {
      for (let c = N.firstChild(servers[servers.length - 1]); c; c = N.nextSibling(c)) {
        if (N.nodeType(c) !== 1) continue;
        const fill = N.prop(N.style(c), 'fill');
        if (fill && fill !== 'none' && !reference(fill)) return { colour: fill };
      }
      return null;
    }
    const attr = (name) => {
      for (let i = 0; i < servers.length; i++) {
        const v = N.getAttribute(servers[i], name);
        if (v !== null) return v;
      }
      return null;
    };
    const stops = [];
    for (let i = 0; i < servers.length && !stops.length; i++) for (let c = N.firstChild(servers[i]); c; c = N.nextSibling(c)) {
      if (N.nodeType(c) !== 1 || N.localName(c) !== 'stop') continue;
      const s = N.style(c);
      const o = N.getAttribute(c, 'offset') || '0';
      L.push(stops, [Math.min(1, Math.max(0, o.endsWith('%') ? parseFloat(o) / 100 : parseFloat(o) || 0)), css.fade(N.prop(s, 'stop-color'), +N.prop(s, 'stop-opacity'))]);
    }
    if (!stops.length) return null;
    const unit = (name, fallback) => {
      const v = attr(name) || fallback;
      return v.endsWith('%') ? parseFloat(v) / 100 : parseFloat(v);
    };
    return { stops, radial: kind === 'radialGradient', user: attr('gradientUnits') === 'userSpaceOnUse', turn: attr('gradientTransform'), at: kind === 'radialGradient' ? [unit('cx', '50%'), unit('cy', '50%'), unit('r', '50%')] : [unit('x1', '0%'), unit('y1', '0%'), unit('x2', '100%'), unit('y2', '0%')] };
  };
  css.fade = (colour, alpha) => {
    if (!(alpha < 1)) return colour;
    const c = css.channels(colour);
    return c ? `rgba(${c[0]},${c[1]},${c[2]},${c[3] * alpha})` : colour;
  };
  const style = (c, paint, box) => {
    if (paint.colour) return paint.colour;
    const a = paint.at;
    const b = paint.user ? { x: 0, y: 0, width: 1, height: 1 } : box;
    if (!b) return paint.stops[0][1];
    const g = paint.radial ? N.c_createRadialGradient(c, b.x + a[0] * b.width, b.y + a[1] * b.height, 0, b.x + a[0] * b.width, b.y + a[1] * b.height, Math.max(0.001, a[2] * Math.max(b.width, b.height))) : N.c_createLinearGradient(c, b.x + a[0] * b.width, b.y + a[1] * b.height, b.x + a[2] * b.width, b.y + a[3] * b.height);
    for (let i = 0; i < paint.stops.length; i++) N.addColorStop(g, paint.stops[i][0], paint.stops[i][1]);
    return g;
  };

  const SHAPES = { rect: 1, circle: 1, ellipse: 1, line: 1, polyline: 1, polygon: 1, path: 1 };
  const HOLDERS = { g: 1, a: 1, svg: 1, switch: 1 };
  // The matrix from an element's user space to the page, or null.
  const matrixOf = (element, map) => {
    const m = N.screenCTM(element);
    return m ? [m.a * map.sx, m.b * map.sy, m.c * map.sx, m.d * map.sy, m.e * map.sx + map.tx, m.f * map.sy + map.ty] : null;
  };
  const times = (m, n) => [m[0] * n[0] + m[2] * n[1], m[1] * n[0] + m[3] * n[1], m[0] * n[2] + m[2] * n[3], m[1] * n[2] + m[3] * n[3], m[0] * n[4] + m[2] * n[5] + m[4], m[1] * n[4] + m[3] * n[5] + m[5]];
  const shape = (element, name, look, st, matrix, over) => {
    if (!look.visible) return;
    const g = geometry(element, name);
    if (!g || !matrix) return;
    const from = over || look;
    const fill = g.open && name === 'line' ? null : paintOf(from.fill, element);
    const stroke = paintOf(from.stroke, element);
    if (!fill && !stroke) return;
    let box = g.box || null;
    if (!box && ((fill && fill.stops) || (stroke && stroke.stops))) box = boxOf(element);
    L.push(st.flow, { kind: 'shape', look: from, geometry: g, fill, stroke, matrix, box, alpha: st.alpha * look.opacity, clip: st.clip, element, turn: null });
  };
  // The size of what an element is drawn in, in its own units.
  const viewport = (element) => {
    const svg = element.ownerSVGElement;
    if (!svg) return [0, 0];
    const vb = points(N.getAttribute(svg, 'viewBox') || '');
    if (vb.length === 4 && vb[2] > 0 && vb[3] > 0) return [vb[2], vb[3]];
    return [N.clientWidth(svg), N.clientHeight(svg)];
  };
  const use = (element, look, st, walk, visit, depth) => {
    const href = N.getAttribute(element, 'href') || N.getAttribute(element, 'xlink:href') || '';
    const at = href.indexOf('#');
    const other = at > 0 ? L.drawing(href.slice(0, at), st.base) : null;
    let target = null;
    if (at === 0) target = byId(element, href.slice(1));
    else if (other) target = N.byId(other, href.slice(at + 1));
    const m = matrixOf(element, st.map);
    if (!target || !m || depth > 60) return;
    // Its style is asked for only where something varies with it.
    const user = { get style() { return N.style(element); } };
    let own = times(m, [1, 0, 0, 1, num(element, 'x') || 0, num(element, 'y') || 0]);
    const name = N.localName(target);
    if (name === 'symbol' || name === 'svg') {
      const vb = points(N.getAttribute(target, 'viewBox') || '');
      const [across, down] = viewport(element);
      const w = num(element, 'width', across) || across;
      const h = num(element, 'height', down) || down;
      if (vb.length === 4 && vb[2] > 0 && vb[3] > 0) {
        const f = Math.min(w / vb[2], h / vb[3]) || 1;
        own = times(own, [f, 0, 0, f, (w - vb[2] * f) / 2 - vb[0] * f, (h - vb[3] * f) / 2 - vb[1] * f]);
      }
      instanceChildren(target, look, st, own, depth, user);
    } else instance(target, look, st, own, depth, user);
  };
  const instanceChildren = (holder, over, st, m, depth, user) => {
    for (let c = N.firstChild(holder); c; c = N.nextSibling(c)) if (N.nodeType(c) === 1) instance(c, over, st, m, depth + 1, user);
  };
  // What is said of a property in the element itself.
  const said = (element, p) => (element.style && N.prop(element.style, p)) || N.getAttribute(element, p) || '';
  // The same where it stands for what its user has: variables, and the colour of the text.
  const asUsed = (text, user) => {
    const variable = /var\(\s*(--[^,)\s]+)\s*(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)/g;
    const full = text.replace(variable, (_, name, other) => N.prop(user.style, name).trim() || (other || '').trim());
    return full.toLowerCase() === 'currentcolor' ? N.prop(user.style, 'color') : full;
  };
  const varies = (text) => /var\(|currentcolor/i.test(text);
  // The look of an element of a document that is not shown, by what is said in it.
  const lookOf = (element, over, user) => {
    const get = (p, none) => asUsed(said(element, p), user) || none;
    return {
      ...over,
      none: get('display', '') === 'none',
      opacity: +get('opacity', 1),
      fill: get('fill', over.fill),
      stroke: get('stroke', over.stroke),
      strokeWidth: get('stroke-width', over.strokeWidth),
      fillOpacity: +get('fill-opacity', 1),
      strokeOpacity: +get('stroke-opacity', 1),
      rule: get('fill-rule', over.rule),
    };
  };
  // What <use> shows: the target's subtree under the user's matrix; paint not given there comes from the user.
  const instance = (element, over, st, m, depth, user) => {
    if (depth > 60) return;
    const name = N.localName(element);
    if (!SHAPES[name] && !HOLDERS[name]) return;
    const list = element.transform && element.transform.baseVal;
    const t = list && list.numberOfItems ? list.consolidate() : null;
    const own = t ? times(m, [t.matrix.a, t.matrix.b, t.matrix.c, t.matrix.d, t.matrix.e, t.matrix.f]) : m;
    const shown = isShown(element);
    const look = shown ? L.look(element) : lookOf(element, over, user);
    if (!shown && look.none) return;
    const given = (p) => N.hasAttribute(element, p) || (element.style && N.prop(element.style, p) !== '');
    const mixed = { ...look, visible: over.visible, opacity: 1 };
    if (shown) for (const p of ['fill', 'stroke']) if (varies(said(element, p))) mixed[p] = asUsed(said(element, p), user);
    if (!given('fill') && look.fill === 'rgb(0, 0, 0)') mixed.fill = over.fill;
    if (!given('stroke') && look.stroke === 'none') {
      mixed.stroke = over.stroke;
      mixed.strokeWidth = over.strokeWidth;
    }
    if (SHAPES[name]) shape(element, name, mixed, st, own, null);
    else instanceChildren(element, mixed, st, own, depth, user);
  };
  const walkShapes = (holder, parentLook, st, walk, visit, depth) => {
    for (let element = N.firstChild(holder); element !== null; element = N.nextSibling(element)) {
      if (N.nodeType(element) !== 1) continue;
      if (++walk.count > 30000 || depth > 200) return;
      const name = N.localName(element);
      if (SHAPES[name]) {
        const look = L.look(element, parentLook);
        if (!look.none) shape(element, name, look, st, matrixOf(element, st.map), null);
      } else if (HOLDERS[name]) {
        const look = L.look(element, parentLook);
        if (!look.none && look.opacity > 0.004) walkShapes(element, look, look.opacity < 1 ? { ...st, alpha: st.alpha * look.opacity } : st, walk, visit, depth + 1);
      } else if (name === 'use') {
        const look = L.look(element, parentLook);
        if (!look.none && look.opacity > 0.004) use(element, look, look.opacity < 1 ? { ...st, alpha: st.alpha * look.opacity } : st, walk, visit, depth + 1);
      } else if (name === 'image') {
        const look = L.look(element, parentLook);
        const b = boxOf(element);
        const m = matrixOf(element, st.map);
        const href = N.getAttribute(element, 'href') || N.getAttribute(element, 'xlink:href');
        if (!look.none && look.visible && b && m && href) L.push(st.flow, { kind: 'shape', look, geometry: { image: href, base: st.base }, matrix: m, box: b, alpha: st.alpha * look.opacity, clip: st.clip, element, turn: null });
      } else if (name === 'text') {
        const look = L.look(element, parentLook);
        if (!look.none && look.visible) svgText(element, look, st);
      } else if (name === 'foreignObject') {
        for (let c = N.firstChild(element); c; c = N.nextSibling(c)) if (N.nodeType(c) === 1) visit(c, { ...st, look: L.look(element, parentLook) }, depth + 1);
      } else if (name === 'animate' || name === 'animateTransform' || name === 'animateMotion' || name === 'set') walk.always = true;
    }
  };
  const svgText = (element, look, st) => {
    const text = (element.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 500);
    if (!text) return;
    const r = N.rect(element);
    const map = st.map;
    const ink = paintOf(look.fill, element);
    const m = matrixOf(element, map);
    if (!m) return;
    const b = boxOf(element);
    L.push(st.flow, { kind: 'shape', look, geometry: { text }, fill: ink, stroke: null, matrix: m, box: b, alpha: st.alpha * look.opacity, clip: st.clip, element, turn: null, page: [r.left * map.sx + map.tx, r.top * map.sy + map.ty, r.width * map.sx, r.height * map.sy] });
  };
  L.walkSvg = (element, st, walk, visit, depth) => walkShapes(element, st.look, st, walk, visit, depth);

  const trace = (c, g) => {
    N.c_beginPath(c);
    if (g.rect) N.c_rect(c, g.rect[0], g.rect[1], g.rect[2], g.rect[3]);
    else if (g.round) N.c_roundRect(c, g.round[0], g.round[1], g.round[2], g.round[3], g.round[4]);
    else if (g.oval) N.c_ellipse(c, g.oval[0], g.oval[1], g.oval[2], g.oval[3], 0, 0, 2 * Math.PI);
    else if (g.poly) {
      N.c_moveTo(c, g.poly[0], g.poly[1]);
      for (let i = 2; i + 1 < g.poly.length; i += 2) N.c_lineTo(c, g.poly[i], g.poly[i + 1]);
      if (!g.open) N.c_closePath(c);
    }
  };
  // The current transform is already the item's matrix.
  L.drawShape = (c, item) => {
    const g = item.geometry;
    const look = item.look;
    if (g.image) {
      const image = L.picture(g.image, g.base);
      if (image) N.c_drawImage(c, image, item.box.x, item.box.y, item.box.width, item.box.height);
      return;
    }
    const a = c.globalAlpha;
    if (g.text) {
      if (!item.fill || !item.box) return;
      c.font = look.font;
      c.fillStyle = style(c, item.fill, item.box);
      const m = N.c_measureText(c, g.text);
      N.c_fillText(c, g.text, item.box.x, item.box.y + (item.box.height - m.fontBoundingBoxAscent - m.fontBoundingBoxDescent) / 2 + m.fontBoundingBoxAscent);
      return;
    }
    if (!g.path && !(g.rect && !item.stroke)) trace(c, g);
    if (item.fill) {
      c.globalAlpha = a * (look.fillOpacity >= 0 ? look.fillOpacity : 1);
      c.fillStyle = style(c, item.fill, item.box);
      const rule = look.rule === 'evenodd' ? 'evenodd' : 'nonzero';
      if (g.path) N.c_fill(c, g.path, rule);
      else if (g.rect && !item.stroke) N.c_fillRect(c, g.rect[0], g.rect[1], g.rect[2], g.rect[3]);
      else N.c_fill(c, rule);
    }
    if (item.stroke) {
      c.globalAlpha = a * (look.strokeOpacity >= 0 ? look.strokeOpacity : 1);
      c.strokeStyle = style(c, item.stroke, item.box);
      let width = parseFloat(look.strokeWidth) || 0;
      if (look.effect === 'non-scaling-stroke') width /= Math.sqrt(Math.abs(item.matrix[0] * item.matrix[3] - item.matrix[1] * item.matrix[2])) || 1;
      if (width > 0) {
        c.lineWidth = width;
        c.lineCap = look.cap || 'butt';
        c.lineJoin = look.join || 'miter';
        const dashes = look.dash && look.dash !== 'none' ? points(look.dash) : null;
        if (dashes) N.c_setLineDash(c, dashes);
        if (g.path) N.c_stroke(c, g.path);
        else N.c_stroke(c);
        if (dashes) N.c_setLineDash(c, []);
      }
    }
    c.globalAlpha = a;
  };
}
