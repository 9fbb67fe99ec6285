// The page as a tree of elements across frames and shadow roots; places and points on it.
// Comes in: page coordinates or elements. Goes out: elements, rectangles, points. Draws nothing.
{
  const { N } = L;
  // The map of a document's client pixels to the page; null when it is not of the page.
  L.mapOf = (doc) => {
    if (doc === document) return { sx: 1, sy: 1, tx: window.scrollX, ty: window.scrollY };
    const view = doc.defaultView;
    let frame = null;
    try {
      frame = view && view.frameElement;
    } catch {
      return null;
    }
    if (!frame) return null;
    const outer = L.mapOf(N.ownerDocument(frame));
    if (!outer) return null;
    const look = L.look(frame);
    const r = N.rect(frame);
    const fx = (r.width / (N.offsetWidth(frame) || 1)) * outer.sx;
    const fy = (r.height / (N.offsetHeight(frame) || 1)) * outer.sy;
    const left = look.none ? 0 : look.widths[3] + look.padding[3];
    const top = look.none ? 0 : look.widths[0] + look.padding[0];
    return { sx: fx, sy: fy, tx: r.left * outer.sx + outer.tx + left * fx, ty: r.top * outer.sy + outer.ty + top * fy };
  };
  // Calls see(element, look, [x, y, w, h], state) for each rendered element of the page in document order;
  // what `see` returns is handed to the children as their state.
  L.eachElement = (see) => {
    const budget = { n: 30000 };
    const go = (element, parent, map, state, depth) => {
      if (--budget.n < 0 || depth > 400) return;
      const look = L.look(element, parent);
      if (look.none) return;
      const name = N.localName(element);
      if (name === 'script' || name === 'style' || name === 'head' || name === 'template') return;
      const r = N.rect(element);
      const rect = [r.left * map.sx + map.tx, r.top * map.sy + map.ty, r.width * map.sx, r.height * map.sy];
      const next = see(element, look, rect, state, map, depth);
      if (next === false) return;
      if (name === 'iframe') {
        let doc = null;
        try {
          doc = N.frameDocument(element);
        } catch {
          return;
        }
        const inner = doc && N.documentElement(doc);
        const m = inner && L.mapOf(doc);
        if (m) go(inner, null, m, next, depth + 1);
        return;
      }
      const shadow = L.shadowOf(element);
      if (shadow) each(shadow, look, map, next, depth);
      else if (name === 'slot') {
        const list = N.assignedNodes(element, { flatten: true });
        for (let i = 0; i < list.length; i++) if (N.nodeType(list[i]) === 1) go(list[i], look, map, next, depth + 1);
        if (!list.length) each(element, look, map, next, depth);
      } else each(element, look, map, next, depth);
    };
    const each = (node, look, map, state, depth) => {
      for (let c = N.firstChild(node); c !== null; c = N.nextSibling(c)) if (N.nodeType(c) === 1) go(c, look, map, state, depth + 1);
    };
    const html = N.documentElement(document);
    if (html) go(html, null, L.mapOf(document), undefined, 0);
  };
  // The innermost element at a point of the top viewport, through shadow roots and same-origin frames.
  L.deepest = (x, y) => {
    let root = document;
    let element = N.pointDoc(document, x, y);
    for (let i = 0; element && i < 40; i++) {
      const shadow = L.shadowOf(element);
      if (shadow && shadow !== root) {
        const inner = N.pointRoot(shadow, x, y);
        if (!inner || inner === element || N.getRootNode(inner) !== shadow) return element;
        root = shadow;
        element = inner;
        continue;
      }
      if (N.localName(element) === 'iframe') {
        let doc = null;
        try {
          doc = N.frameDocument(element);
        } catch {
          return element;
        }
        const map = doc && L.mapOf(doc);
        if (!map) return element;
        const px = x + window.scrollX;
        const py = y + window.scrollY;
        x = (px - map.tx) / map.sx;
        y = (py - map.ty) / map.sy;
        const inner = N.pointDoc(doc, x, y);
        if (!inner) return element;
        root = doc;
        element = inner;
        // From here on x and y are the frame's own; deeper frames are mapped from the page again.
        if (N.localName(element) === 'iframe') {
          x = px - window.scrollX;
          y = py - window.scrollY;
        }
        continue;
      }
      return element;
    }
    return element;
  };
  // T.elementAt(x, y): the innermost element at a point of the page, as {tag, text, selector, rect}; null when out of view.
  T.elementAt = (x, y) => {
    const e = L.deepest(x - window.scrollX, y - window.scrollY);
    if (!e) return null;
    const map = L.mapOf(N.ownerDocument(e));
    const r = N.rect(e);
    return { tag: N.localName(e), text: L.nameOf(e), selector: L.selectorOf(e), rect: { x: r.left * map.sx + map.tx, y: r.top * map.sy + map.ty, width: r.width * map.sx, height: r.height * map.sy } };
  };
}
