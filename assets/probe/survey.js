// What the page holds: surfaces that may be a board, what can be clicked, texts, size.
// Comes in: the live page. Goes out: plain data as the outside expects it. Judges by shape and behaviour, never by words.
{
  const { N } = L;
  const MAX_SURFACES = 60;
  const MAX_CLICKABLES = 300;
  const rectOf = (r) => ({ x: r[0], y: r[1], width: r[2], height: r[3] });
  const shorten = (t) => t.replace(/\s+/g, ' ').trim().slice(0, 120);

  L.selectorOf = (element) => {
    let path = '';
    for (let e = element, i = 0; e && N.nodeType(e) === 1 && i < 30; i++) {
      const parent = N.parentNode(e);
      const id = N.getAttribute(e, 'id');
      if (id && /^[A-Za-z][\w-]*$/.test(id)) return `#${id}${path ? ' > ' + path : ''}`;
      const name = N.localName(e);
      let n = 1;
      let same = 0;
      if (parent) for (let s = N.firstChild(parent); s; s = N.nextSibling(s)) if (N.nodeType(s) === 1 && N.localName(s) === name) {
        same++;
        if (s === e) n = same;
      }
      const step = same > 1 ? `${name}:nth-of-type(${n})` : name;
      path = path ? `${step} > ${path}` : step;
      e = parent;
    }
    return path;
  };
  const shown = (element, limit) => {
    let out = '';
    const go = (node, depth) => {
      for (let c = N.firstChild(node); c && out.length < limit && depth < 30; c = N.nextSibling(c)) {
        const type = N.nodeType(c);
        if (type === 3) out += N.nodeValue(c);
        else if (type === 1) {
          const name = N.localName(c);
          if (name === 'script' || name === 'style') continue;
          const look = L.look(c);
          if (look.none || look.visible === false) continue;
          const inline = look.display === 'inline';
          if (!inline) out += ' ';
          go(c, depth + 1);
          if (!inline) out += ' ';
        }
      }
    };
    go(element, 0);
    return shorten(out);
  };
  L.nameOf = (element) => {
    const label = N.getAttribute(element, 'aria-label');
    const name = N.localName(element);
    if (name === 'input') {
      const type = N.inputType(element);
      return shorten((type === 'button' || type === 'submit' || type === 'reset' ? N.inputValue(element) : '') || label || N.getAttribute(element, 'alt') || N.getAttribute(element, 'placeholder') || '');
    }
    const text = shown(element, 400) || label || N.getAttribute(element, 'title') || N.getAttribute(element, 'alt') || '';
    if (text) return shorten(text);
    for (let c = N.firstChild(element); c; c = N.nextSibling(c)) if (N.nodeType(c) === 1) {
      const alt = N.getAttribute(c, 'alt') || N.getAttribute(c, 'aria-label') || N.getAttribute(c, 'title');
      if (alt) return shorten(alt);
    }
    return '';
  };

  const near = (a, b, slack) => Math.abs(a - b) <= slack;
  // Do rectangles of one size stand on a lattice? {columns, rows, rect, filled} or null.
  const lattice = (rects) => {
    const n = rects.length;
    if (n < 40) return null;
    // The commonest size.
    const sizes = new Map();
    for (let i = 0; i < n; i++) {
      const r = rects[i];
      if (r[2] < 3 || r[3] < 3) continue;
      const key = Math.round(r[2]) * 10000 + Math.round(r[3]);
      sizes.set(key, (sizes.get(key) || 0) + 1);
    }
    let key = 0;
    let most = 0;
    sizes.forEach((count, k) => {
      if (count > most) [key, most] = [k, count];
    });
    const w = Math.floor(key / 10000);
    const h = key % 10000;
    if (most < 40 || w > h * 3 || h > w * 3) return null;
    const xs = [];
    const ys = [];
    for (let i = 0; i < n; i++) {
      const r = rects[i];
      if (!near(r[2], w, 1.6) || !near(r[3], h, 1.6)) continue;
      L.push(xs, r[0]);
      L.push(ys, r[1]);
    }
    const steps = (list) => {
      const sorted = list.slice().sort((a, b) => a - b);
      const at = [];
      for (let i = 0; i < sorted.length; i++) if (!at.length || sorted[i] - at[at.length - 1] > 2) L.push(at, sorted[i]);
      return at;
    };
    const cx = steps(xs);
    const cy = steps(ys);
    const even = (at) => {
      if (at.length < 2) return false;
      const d = (at[at.length - 1] - at[0]) / (at.length - 1);
      for (let i = 1; i < at.length; i++) if (!near(at[i] - at[i - 1], d, 1.6)) return false;
      return true;
    };
    const columns = cx.length;
    const rows = cy.length;
    if (columns < 4 || rows < 4 || columns > 60 || rows > 80 || !even(cx) || !even(cy)) return null;
    if (xs.length < columns * rows * 0.95) return null;
    // Whole pitches, the gaps between cells shared out evenly: sizes above are rounded, twenty of them add up.
    const dx = (cx[columns - 1] - cx[0]) / (columns - 1);
    const dy = (cy[rows - 1] - cy[0]) / (rows - 1);
    return { columns, rows, rect: [cx[0] - Math.max(0, dx - w) / 2, cy[0] - Math.max(0, dy - h) / 2, dx * columns, dy * rows] };
  };
  // What a canvas shows lies inside its border and padding.
  const contentBox = (element, look, r) => {
    const padding = look.padding || [0, 0, 0, 0];
    const [t, ri, b, l] = look.widths.map((w, i) => w + padding[i]);
    if (!(t + ri + b + l > 0)) return r;
    const fx = r[2] / (N.offsetWidth(element) || r[2]);
    const fy = r[3] / (N.offsetHeight(element) || r[3]);
    return [r[0] + l * fx, r[1] + t * fy, Math.max(1, r[2] - (l + ri) * fx), Math.max(1, r[3] - (t + b) * fy)];
  };
  const surfaces = () => {
    const found = [];
    // For each container the rectangles of its children and grandchildren.
    const groups = new Map();
    const add = (key, r) => {
      let g = groups.get(key);
      if (!g) groups.set(key, (g = []));
      if (g.length < 6000) L.push(g, r);
    };
    const kinds = new Map();
    L.eachElement((element, look, r, state) => {
      const name = N.localName(element);
      const inSvg = N.namespaceURI(element) === L.SVG_NS;
      const chain = state || { parent: null, grand: null, great: null };
      if (r[2] > 0 && r[3] > 0 && chain.parent && !look.contents) {
        add(chain.parent, r);
        if (chain.grand) add(chain.grand, r);
        if (chain.great) add(chain.great, r);
      }
      const closed = name === 'iframe' ? !L.opens(element) : name === 'canvas' && !L.readable(element);
      if (closed && r[2] >= 60 && r[3] >= 60 && look.visible) L.push(found, { kind: 'closed', r: contentBox(element, look, r), columns: 0, rows: 0, element });
      else if ((name === 'canvas' || (name === 'svg' && inSvg)) && r[2] >= 20 && r[3] >= 20 && look.visible) L.push(found, { kind: name === 'svg' ? 'svg' : L.isWebgl(element) ? 'webgl' : 'canvas', r: name === "svg" ? r : contentBox(element, look, r), columns: 0, rows: 0, element });
      else if (!inSvg && r[2] >= 60 && r[3] >= 100 && look.visible && name !== 'html' && name !== 'body') kinds.set(element, [r, look]);
      return look.contents ? chain : { parent: element, grand: chain.parent, great: chain.grand };
    });
    groups.forEach((rects, element) => {
      const l = lattice(rects);
      if (!l) return;
      for (let i = 0; i < found.length; i++) {
        const f = found[i];
        if (f.columns === l.columns && f.rows === l.rows && near(f.r[0], l.rect[0], 3) && near(f.r[1], l.rect[1], 3)) return;
      }
      const svg = N.namespaceURI(element) === L.SVG_NS;
      L.push(found, { kind: svg ? 'svg' : 'dom', r: l.rect, columns: l.columns, rows: l.rows, element });
    });
    // Boxes of a board's shape that hold nothing of a lattice yet: pieces may be placed in them later.
    kinds.forEach((v, element) => {
      const [r, look] = v;
      const aspect = r[3] / r[2];
      if (aspect < 1.2 || aspect > 3.2 || !(look.paints || N.childElementCount(element) >= 4)) return;
      for (let i = 0; i < found.length; i++) {
        const f = found[i].r;
        if (near(f[0], r[0], 12) && near(f[1], r[1], 12) && near(f[2], r[2], 24) && near(f[3], r[3], 24)) return;
      }
      L.push(found, { kind: 'dom', r, columns: 0, rows: 0, element });
    });
    const score = (f) => {
      const aspect = f.r[3] / f.r[2];
      let s = f.columns ? 4 + (f.rows >= f.columns * 1.4 && f.rows >= 12 ? 3 : 0) : f.kind === 'dom' ? 0 : 2;
      s += Math.max(0, 2 - Math.abs(Math.log2(aspect / 2)) * 1.5);
      s += Math.min(2, (f.r[2] * f.r[3]) / 80000);
      return s;
    };
    for (let i = 0; i < found.length; i++) found[i].score = score(found[i]);
    found.sort((a, b) => b.score - a.score);
    const out = [];
    for (let i = 0; i < found.length && i < MAX_SURFACES; i++) L.push(out, { kind: found[i].kind, rect: rectOf(found[i].r), columns: found[i].columns, rows: found[i].rows });
    return out;
  };

  // Where a link or a form's button leads: null where it stays on the page; else { on }: to a page of the same host that is
  // shown in the place of this one?
  const leadsTo = (element) => {
    const here = N.ownerDocument(element);
    let target = null;
    let address = '';
    let stays = false;
    const a = N.closest(element, 'a[href], area[href]');
    if (a) {
      address = (N.getAttribute(a, 'href') || '').trim();
      stays = address[0] === '#';
      target = N.hasAttribute(a, 'download') ? '_blank' : N.getAttribute(a, 'target');
    } else {
      const name = N.localName(element);
      const form = name === 'button' || name === 'input' ? N.closest(element, 'form') : null;
      if (!form || (N.getAttribute(element, 'type') || 'submit') !== 'submit') return null;
      address = N.getAttribute(element, 'formaction') || N.getAttribute(form, 'action') || '';
      stays = address === '#';
      target = N.getAttribute(element, 'formtarget') || N.getAttribute(form, 'target');
    }
    if (address === '' || stays || /^javascript:/i.test(address)) return null;
    const aside = /_blank/i.test(target || '');
    try {
      const to = new URL(address, here.baseURI);
      const at = new URL(here.URL);
      // A part of this very page.
      if (a && !aside && to.hash !== '' && to.origin + to.pathname + to.search === at.origin + at.pathname + at.search) return null;
      return { on: !aside && to.origin === at.origin };
    } catch {
      return { on: false };
    }
  };
  // The largest part of what is seen of an element that has no height or width of its own: words that overflow it, a child
  // that is laid over it. Null where there is none.
  const seenOf = (element) => {
    const doc = N.ownerDocument(element);
    const map = L.mapOf(doc);
    if (!map) return null;
    const range = N.createRange(doc);
    N.selectNodeContents(range, element);
    const rects = N.rangeRects(range);
    let best = null;
    for (let i = 0; i < rects.length; i++) {
      const r = rects[i];
      if (r.width > 2 && r.height > 2 && !(best && best.width * best.height >= r.width * r.height)) best = r;
    }
    return best && [best.left * map.sx + map.tx, best.top * map.sy + map.ty, best.width * map.sx, best.height * map.sy];
  };
  const NATIVE = /^(button|summary|area)$/;
  const clickables = (overlay) => {
    const out = [];
    const listening = L.clickTargets();
    L.eachElement((element, look, r, state) => {
      const s = state || { over: false, hit: null };
      const over = s.over || overlay(element, look, r);
      const name = N.localName(element);
      const next = { over, hit: s.hit };
      if (look.contents || out.length >= MAX_CLICKABLES) return next;
      const type = name === 'input' ? N.inputType(element) : '';
      const role = N.getAttribute(element, 'role');
      const own = NATIVE.test(name) || (name === 'a' && N.hasAttribute(element, 'href')) || (name === 'input' && /^(button|submit|reset|image|checkbox|radio)$/.test(type)) || /^(button|link|menuitem|tab|option|switch)$/.test(role || '') || N.hasAttribute(element, 'onclick') || N.hasAttribute(element, 'onmousedown') || N.hasAttribute(element, 'onpointerdown') || listening(element);
      // A line of text that waits to be written.
      const blank = name === 'input' && /^(text|search|email|url|tel|password|number)$/.test(type) && N.inputValue(element) === '';
      const pointer = look.cursor === 'pointer' && s.hit === null;
      if (!own && !pointer && !blank) return next;
      if (name === 'html' || name === 'body') return next;
      // A link may be no more than a line, with what is seen of it laid over it.
      if (!(r[2] > 2 && r[3] > 2)) {
        r = own && look.visible && seenOf(element);
        if (!r) return next;
      }
      next.hit = element;
      if (!look.visible || !(look.opacity > 0.02)) return next;
      const x = r[0] + r[2] / 2 - window.scrollX;
      const y = r[1] + r[3] / 2 - window.scrollY;
      const inView = x >= 0 && y >= 0 && x < window.innerWidth && y < window.innerHeight;
      const hit = inView ? L.deepest(x, y) : null;
      const away = leadsTo(element);
      L.push(out, {
        rect: rectOf(r),
        text: L.nameOf(element),
        tag: name,
        selector: L.selectorOf(element).slice(0, 400),
        leadsAway: away !== null,
        leadsOn: away !== null && away.on,
        disabled: N.matches(element, ':disabled') || N.getAttribute(element, 'aria-disabled') === 'true',
        onTop: inView ? !!hit && (hit === element || inside(hit, element)) : look.pointer,
        inOverlay: over,
        blank,
      });
      return next;
    });
    return out;
  };
  // Is `node` inside `element`, through shadow roots and frames?
  const inside = (node, element) => {
    for (let n = node, i = 0; n && i < 500; i++) {
      if (n === element) return true;
      const parent = N.parentNode(n);
      if (parent) n = parent;
      else if (n.host) n = n.host;
      else return false;
    }
    return false;
  };

  // Are most of the classes on the page named by no rule? Then styles that it was made for are missing. A few classes may
  // be there for scripts alone.
  const FEWEST_CLASSES = 8;
  const MOST_CLASSES = 400;
  const unstyled = () => {
    const rules = L.selectors(L.lastRoots || [document]);
    const names = new Set();
    L.eachElement((element) => {
      const list = (N.getAttribute(element, 'class') || '').split(/\s+/);
      for (let i = 0; i < list.length && names.size < MOST_CLASSES; i++) if (list[i]) names.add(list[i]);
    });
    let unnamed = 0;
    names.forEach((name) => {
      if (rules.indexOf('.' + name.replace(/[^\w-]/g, '\\$&')) < 0) unnamed++;
    });
    return names.size >= FEWEST_CLASSES && unnamed * 2 > names.size;
  };

  // T.survey() -> the Survey.
  T.survey = async () => {
    await T.whole();
    L.pump(L.lastRoots || [document]);
    let covered = false;
    const vw = window.innerWidth;
    const vh = window.innerHeight;
    const overlay = (element, look, r) => {
      const dialog = (N.localName(element) === 'dialog' && N.hasAttribute(element, 'open')) || /dialog$/.test(N.getAttribute(element, 'role') || '');
      const layer = look.positioned && (look.position === 'fixed' || look.position === 'absolute') && look.visible && look.opacity > 0.05;
      if (!dialog && !layer) return false;
      const x = Math.min(r[0] - window.scrollX + r[2], vw) - Math.max(r[0] - window.scrollX, 0);
      const y = Math.min(r[1] - window.scrollY + r[3], vh) - Math.max(r[1] - window.scrollY, 0);
      const big = x > 0 && y > 0 && x * y > vw * vh * 0.25;
      if (!(dialog && x > 0 && y > 0) && !(big && (look.z > 0 || look.position === 'fixed') && look.pointer)) return false;
      // A layer is what lies on top at its middle, not a backdrop under the rest.
      const hit = L.deepest(r[0] - window.scrollX + r[2] / 2, r[1] - window.scrollY + r[3] / 2);
      if (hit && !inside(hit, element)) return false;
      covered = true;
      return true;
    };
    const all = clickables(overlay);
    const html = N.documentElement(document);
    const body = N.body(document);
    const texts = T.texts();
    const found = surfaces();
    let apart = T.root.clock.counts.workers > 0;
    for (let i = 0; i < found.length; i++) if (found[i].kind === 'closed') apart = true;
    let content = texts.length > 0 || found.length > 0;
    if (!content && body) L.eachElement((element, look, r) => {
      if (N.localName(element) !== 'html' && N.localName(element) !== 'body' && look.visible && look.paints && r[2] * r[3] > 16) content = true;
      return content ? false : undefined;
    });
    return {
      viewport: [vw, vh],
      document: [html ? N.scrollWidth(html) : 0, html ? N.scrollHeight(html) : 0],
      devicePixelRatio: window.devicePixelRatio,
      scroll: [window.scrollX, window.scrollY],
      surfaces: found,
      clickables: all,
      texts,
      listeners: (T.allListeners ? T.allListeners() : T.listeners) || {},
      hasOverlay: covered,
      hasContent: content,
      apart,
      unstyled: unstyled(),
      title: String(document.title || '').slice(0, 300),
      lang: String((html && N.getAttribute(html, 'lang')) || '').slice(0, 40),
    };
  };
  // T.scroll() -> [left, top]
  T.scroll = () => [window.scrollX, window.scrollY];

  // T.scrollTo({x, y, width, height}): brings a rectangle of the page into view; returns its centre in the viewport.
  T.scrollTo = (r) => {
    const sx = window.scrollX;
    const sy = window.scrollY;
    const inX = r.x >= sx && r.x + r.width <= sx + window.innerWidth;
    const inY = r.y >= sy && r.y + r.height <= sy + window.innerHeight;
    const cx = r.x + r.width / 2;
    const cy = r.y + r.height / 2;
    const centre = cx > sx && cx < sx + window.innerWidth && cy > sy && cy < sy + window.innerHeight;
    if (!(inX && inY) && !centre) window.scrollTo({ left: inX ? sx : Math.max(0, cx - window.innerWidth / 2), top: inY ? sy : Math.max(0, cy - window.innerHeight / 2), behavior: 'instant' });
    return [cx - window.scrollX, cy - window.scrollY];
  };
}
