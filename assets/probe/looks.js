// What an element looks like: its computed style, read once and kept until something says it changed.
// Comes in: elements. Goes out: look objects; null for display:none. Knows no geometry and no order of painting.
{
  const { N, css } = L;
  const known = new WeakMap();
  let shared = new Map();
  let generation = 1;
  let nextId = 1;
  // Elements whose look, and that of what is inside them, has to be read again.
  const dirty = new Set();
  const observers = new Map();
  const sheets = { before: false, after: false, mark: '', any: '', each: [], blind: false, near: false, contents: false };
  let changed = true;
  let version = 0;

  // `elements`: all that show the change, null where any may.
  const touch = (elements) => {
    changed = true;
    version++;
    L.note(version, elements);
  };
  const anywhere = () => touch(null);
  const stale = (node, elements = null) => {
    touch(elements);
    if (!node) generation++;
    else if (dirty.size > 4000) generation++;
    else dirty.add(node);
  };
  const isStyle = (node) => {
    if (!node || N.nodeType(node) !== 1) return false;
    const name = N.localName(node);
    return name === 'style' || name === 'link';
  };
  // Does the record tell of a text put in place of one that said the same? Many games write all their numbers in every
  // frame.
  const sameText = (r) => {
    if (r.removedNodes.length !== 1 || r.addedNodes.length !== 1) return false;
    const [was, is] = [r.removedNodes[0], r.addedNodes[0]];
    return N.nodeType(was) === 3 && N.nodeType(is) === 3 && N.nodeValue(was) === N.nodeValue(is);
  };
  // Was an attribute, after all that is recorded, left as it was? Many games give every cell its class in every frame.
  // The first record of an attribute has what it was.
  const unchanged = (told, r) => {
    let names = told.get(r.target);
    if (!names) told.set(r.target, (names = new Map()));
    const name = r.attributeNamespace ? null : r.attributeName;
    if (name === null) return false;
    let same = names.get(name);
    if (same === undefined) names.set(name, (same = N.getAttribute(r.target, name) === r.oldValue));
    return same;
  };
  const digest = (records) => {
    const told = records.length ? new Map() : null;
    for (let i = 0; i < records.length; i++) {
      const r = records[i];
      const target = r.target;
      if (r.type === 'attributes' && unchanged(told, r)) continue;
      if (r.type === 'characterData') {
        if (isStyle(N.parentNode(target))) stale(null);
        else touch(L.shownBy(r, sheets));
        continue;
      }
      if (isStyle(target)) stale(null);
      if (r.type === 'childList') {
        if (sameText(r) && !isStyle(target)) continue;
        for (let k = 0; k < r.addedNodes.length; k++) if (isStyle(r.addedNodes[k])) stale(null);
        for (let k = 0; k < r.removedNodes.length; k++) if (isStyle(r.removedNodes[k])) stale(null);
        if (sheets.blind) stale(target);
        else touch(L.shownBy(r, sheets));
        continue;
      }
      if (sheets.blind) stale(N.parentNode(target) || target);
      else stale(target, L.shownBy(r, sheets));
    }
  };
  const watch = (root) => {
    if (observers.has(root)) return;
    const observer = new N.Observer(digest);
    N.observe(observer, root, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true });
    observers.set(root, observer);
    for (const event of ['load', 'input', 'change', 'toggle', 'scroll']) N.addEvent(root, event, anywhere, { capture: true, passive: true });
    stale(null);
  };
  // Selectors that look at more than an element, its attributes and its ancestors: neighbours, counts, contents, state.
  const WIDER = /[+~]|:(nth|first|last|only|empty|has|checked|hover|focus|active|target|disabled|enabled|valid|invalid|placeholder)/;
  const PSEUDO = /::?(before|after|first-line|first-letter|marker|placeholder|selection|backdrop|-webkit-[\w-]+|-moz-[\w-]+|cue|file-selector-button)(\([^)]*\))?/g;
  // Those of them by which a change of one element shows in others; and those by which one of what an element holds does.
  const NEAR = /[+~]|:(nth|first|last|only|empty|has)/;
  const CONTENTS = /:(empty|has|first-l)/;
  const MAX_WIDER = 400;
  const scan = (rules, budget) => {
    for (let i = 0; i < rules.length && budget.n > 0; i++, budget.n--) {
      const rule = rules[i];
      const s = rule.selectorText;
      if (s) {
        if (s.indexOf(':before') >= 0) sheets.before = true;
        if (s.indexOf(':after') >= 0) sheets.after = true;
        sheets.near ||= NEAR.test(s);
        sheets.contents ||= CONTENTS.test(s);
        if (WIDER.test(s)) {
          if (s.indexOf('&') >= 0 || sheets.each.length >= MAX_WIDER) sheets.blind = true;
          else {
            const parts = css.split(s.replace(PSEUDO, ''));
            for (let k = 0; k < parts.length; k++) if (WIDER.test(parts[k])) L.push(sheets.each, /[+~>\s]$/.test(parts[k]) ? parts[k] + ' *' : parts[k]);
          }
        }
      }
      if (rule.cssRules && rule.cssRules.length) scan(rule.cssRules, budget);
    }
    if (budget.n <= 0) sheets.blind = sheets.before = sheets.after = sheets.near = sheets.contents = true;
  };
  // Which of those selectors an element matches now, as a string; '' for none.
  const widerOf = (element) => {
    if (sheets.any === '' || !N.matches(element, sheets.any)) return '';
    let out = '';
    for (let i = 0; i < sheets.each.length; i++) if (N.matches(element, sheets.each[i])) out += i + ',';
    return out;
  };
  const eachSheet = (root, see) => {
    const lists = N.nodeType(root) === 9 ? [N.styleSheets(root), N.adopted(root)] : [N.sheetsIn(root), N.adoptedIn(root)];
    for (let l = 0; l < 2; l++) for (let i = 0; lists[l] && i < lists[l].length; i++) see(lists[l][i]);
  };
  const rulesOf = (sheet) => {
    try {
      return N.cssRules(sheet);
    } catch {
      return null;
    }
  };
  // The selectors of all rules, one a line. A sheet of another origin cannot be read, nor one that was refused.
  L.selectors = (roots) => {
    let all = '';
    const gather = (rules, depth) => {
      for (let i = 0; i < rules.length && all.length < 1e6; i++) {
        if (rules[i].selectorText) all += rules[i].selectorText + '\n';
        if (depth < 6 && rules[i].cssRules) gather(rules[i].cssRules, depth + 1);
      }
    };
    for (let i = 0; i < roots.length; i++) eachSheet(roots[i], (sheet) => {
      const rules = rulesOf(sheet);
      if (rules) gather(rules, 0);
    });
    return all;
  };
  // A mark that changes when a rule comes or goes.
  const sheetMark = (roots) => {
    let mark = '';
    for (let i = 0; i < roots.length; i++) {
      eachSheet(roots[i], (sheet) => {
        const rules = rulesOf(sheet);
        mark += (rules ? rules.length : 'x') + (sheet.disabled ? 'd,' : ',');
      });
      mark += ';';
    }
    return mark;
  };
  const scanSheets = (roots) => {
    sheets.before = sheets.after = sheets.blind = sheets.near = sheets.contents = false;
    sheets.each = [];
    const budget = { n: 20000 };
    for (let i = 0; i < roots.length; i++) eachSheet(roots[i], (sheet) => {
      const rules = rulesOf(sheet);
      // A sheet of another origin cannot be read; what it does to neighbours is seen when all is read anew.
      if (rules) scan(rules, budget);
      else sheets.before = sheets.after = sheets.near = sheets.contents = true;
    });
    const good = [];
    for (let i = 0; i < sheets.each.length; i++) {
      try {
        N.matches(N.documentElement(document), sheets.each[i]);
        L.push(good, sheets.each[i]);
      } catch {
        // A selector that is none without its pseudo-element.
      }
    }
    sheets.each = good;
    sheets.any = good.length ? `:is(${good.join(',')})` : '';
  };
  // Takes in what the page did since the last call. True if anything may look different.
  const seen = new WeakMap();
  const animated = new Set();
  // What was animated when last looked at: a look read then was of that moment, and goes with the animation.
  let inMotion = new Set();
  const MAX_ANIMATIONS = 2000;
  let crowded = false;
  const lastSeen = new WeakMap();
  // Does an animated element show nothing in the region, now and when it was last looked at?
  const aside = (element, region) => {
    if (N.ownerDocument(element) !== document) return false;
    const r = N.rect(element);
    const x = r.left + window.scrollX;
    const y = r.top + window.scrollY;
    const away = r.width > 0 && r.height > 0 && (x > region[0] + region[2] + 60 || y > region[1] + region[3] + 60 || x + r.width < region[0] - 60 || y + r.height < region[1] - 60);
    const before = lastSeen.get(element);
    lastSeen.set(element, away);
    return away && before === true;
  };
  L.pump = (roots, region) => {
    L.findShadows();
    for (let i = 0; i < roots.length; i++) watch(roots[i]);
    observers.forEach((observer, root) => {
      digest(N.takeRecords(observer));
      if (roots.indexOf(root) < 0) {
        observer.disconnect();
        observers.delete(root);
      }
    });
    const mark = sheetMark(roots);
    if (mark !== sheets.mark) {
      sheets.mark = mark;
      scanSheets(roots);
      stale(null);
    }
    const before = inMotion;
    inMotion = new Set();
    crowded = false;
    for (let i = 0; i < roots.length; i++) {
      const list = T.animationsOf(roots[i]);
      if (list.length > MAX_ANIMATIONS) crowded = true;
      for (let k = 0; k < list.length && k < MAX_ANIMATIONS; k++) {
        const effect = N.animationEffect(list[k]);
        const target = effect && N.effectTarget(effect);
        if (!target) continue;
        inMotion.add(target);
        const time = N.animationTime(list[k]);
        if (seen.get(list[k]) === time) continue;
        seen.set(list[k], time);
        if (region && aside(target, region)) continue;
        touch(null);
        animated.add(target);
      }
    }
    before.forEach((target) => {
      if (inMotion.has(target)) return;
      touch(null);
      animated.add(target);
    });
    return changed;
  };
  L.stale = stale;
  L.touch = anywhere;
  L.version = () => version;
  // Said by the painter when its list is up to date again.
  L.clean = () => {
    changed = false;
    dirty.clear();
    animated.clear();
    if (shared.size > 3000) shared = new Map();
  };
  L.isDirty = (element) => dirty.size > 0 && dirty.has(element);

  const identity = [1, 0, 0, 1];
  const turnOf = (get) => {
    let m = null;
    const t = get('transform');
    if (t && t !== 'none') {
      const v = t.slice(t.indexOf('(') + 1, -1).split(',');
      m = t.startsWith('matrix3d') ? [+v[0], +v[1], +v[4], +v[5]] : [+v[0], +v[1], +v[2], +v[3]];
    }
    const s = get('scale');
    if (s && s !== 'none') {
      const v = s.split(' ');
      const sx = parseFloat(v[0]);
      const sy = v.length > 1 ? parseFloat(v[1]) : sx;
      m = L.multiply([sx, 0, 0, sy], m || identity);
    }
    const r = get('rotate');
    if (r && r !== 'none') {
      const a = (parseFloat(r) * Math.PI) / 180;
      m = L.multiply([Math.cos(a), Math.sin(a), -Math.sin(a), Math.cos(a)], m || identity);
    }
    const z = parseFloat(get('zoom'));
    if (z > 0 && z !== 1) m = L.multiply([z, 0, 0, z], m || identity);
    return m && (m[0] !== 1 || m[3] !== 1 || m[1] !== 0 || m[2] !== 0) ? m : null;
  };
  L.multiply = (a, b) => [a[0] * b[0] + a[2] * b[1], a[1] * b[0] + a[3] * b[1], a[0] * b[2] + a[2] * b[3], a[1] * b[2] + a[3] * b[3]];

  const layersOf = (get) => {
    const image = get('background-image');
    if (image === 'none' || !image) return null;
    const images = css.split(image);
    const lists = {};
    for (const name of ['size', 'position', 'repeat', 'origin', 'clip', 'attachment']) lists[name] = css.split(get('background-' + name));
    const out = [];
    for (let i = 0; i < images.length && i < 16; i++) {
      if (images[i] === 'none') continue;
      const layer = { text: images[i], gradient: css.gradient(images[i]), url: '' };
      if (!layer.gradient) {
        const m = /url\("?([\s\S]*?)"?\)/.exec(images[i]);
        if (!m) continue;
        layer.url = m[1].replace(/\\(.)/g, '$1');
      }
      for (const name in lists) layer[name] = lists[name].length ? lists[name][i % lists[name].length] : '';
      layer.fixed = layer.attachment === 'fixed';
      L.push(out, layer);
    }
    return out.length ? out : null;
  };
  const SIDES = ['top', 'right', 'bottom', 'left'];
  const readBox = (look, get) => {
    look.colour = get('background-color');
    if (css.clear(look.colour)) look.colour = '';
    look.layers = layersOf(get);
    look.border = null;
    const widths = [];
    const colours = [];
    const styles = [];
    for (let i = 0; i < 4; i++) {
      const w = parseFloat(get(`border-${SIDES[i]}-width`)) || 0;
      widths[i] = w;
      if (w > 0) {
        styles[i] = get(`border-${SIDES[i]}-style`);
        colours[i] = get(`border-${SIDES[i]}-color`);
        if (styles[i] === 'none' || styles[i] === 'hidden') widths[i] = 0;
      }
    }
    look.widths = widths;
    look.hasBorder = widths[0] + widths[1] + widths[2] + widths[3] > 0;
    if (look.hasBorder) {
      for (let i = 0; i < 4; i++) {
        if (!widths[i]) continue;
        const topLeft = i === 0 || i === 3;
        if ((styles[i] === 'inset' && topLeft) || (styles[i] === 'outset' && !topLeft) || (styles[i] === 'groove' && topLeft) || (styles[i] === 'ridge' && !topLeft)) colours[i] = css.darker(colours[i]);
        else if (styles[i] === 'inset' || styles[i] === 'outset') colours[i] = css.lighter(colours[i]);
        if (css.clear(colours[i])) colours[i] = '';
      }
      look.border = { widths, colours, styles, plain: styles[0] === styles[1] && styles[0] === styles[2] && styles[0] === styles[3] && colours[0] === colours[1] && colours[0] === colours[2] && colours[0] === colours[3] && colours[0] !== '' && styles[0] === 'solid' };
    }
    look.radius = null;
    const radii = [get('border-top-left-radius'), get('border-top-right-radius'), get('border-bottom-right-radius'), get('border-bottom-left-radius')];
    if (radii[0] !== '0px' || radii[1] !== '0px' || radii[2] !== '0px' || radii[3] !== '0px') look.radius = radii;
    const shadow = get('box-shadow');
    look.shadows = shadow && shadow !== 'none' ? css.shadows(shadow) : null;
    look.outline = null;
    const ow = parseFloat(get('outline-width'));
    const os = get('outline-style');
    if (ow > 0 && os !== 'none' && os !== 'auto') {
      const colour = get('outline-color');
      if (!css.clear(colour)) look.outline = { width: ow, colour, offset: parseFloat(get('outline-offset')) || 0 };
    }
    look.paints = !!(look.colour || look.layers || look.border || (look.shadows && look.shadows.length) || look.outline);
  };
  const readText = (look, get) => {
    look.ink = get('-webkit-text-fill-color') || get('color');
    look.font = `${get('font-style')} ${get('font-weight')} ${get('font-size')} ${get('font-family')}`;
    look.fontSize = parseFloat(get('font-size')) || 0;
    look.space = get('letter-spacing');
    look.white = get('white-space-collapse') || get('white-space');
    look.transformText = get('text-transform');
    look.align = get('text-align');
    look.textShadow = null;
    look.clipText = get('background-clip') === 'text' || get('-webkit-background-clip') === 'text';
  };
  const pseudo = (element, name, parent) => {
    const cs = N.style(element, name);
    const get = (p) => N.prop(cs, p);
    const content = get('content');
    if (!content || content === 'none' || content === 'normal' || get('display') === 'none') return null;
    const look = { id: nextId++, pseudo: true, content, display: get('display') };
    readBox(look, get);
    readText(look, get);
    look.visible = get('visibility') === 'visible';
    look.opacity = +get('opacity');
    look.position = get('position');
    look.turn = turnOf(get);
    look.z = parseInt(get('z-index'), 10);
    look.place = { left: get('left'), top: get('top'), right: get('right'), bottom: get('bottom'), width: get('width'), height: get('height'), sizing: get('box-sizing'), padding: [parseFloat(get('padding-top')) || 0, parseFloat(get('padding-right')) || 0, parseFloat(get('padding-bottom')) || 0, parseFloat(get('padding-left')) || 0], margin: [parseFloat(get('margin-top')) || 0, parseFloat(get('margin-left')) || 0] };
    look.text = contentText(content, element);
    void parent;
    return look;
  };
  // "Level " attr(data-n) -> text; pictures and counters give nothing.
  const contentText = (content, element) => {
    let out = '';
    const parts = css.split(content.split(' / ')[0], ' ');
    for (let i = 0; i < parts.length && i < 32; i++) {
      const p = parts[i];
      if (p[0] === '"' || p[0] === "'") out += p.slice(1, -1).replace(/\\([0-9a-fA-F]{1,6})\s?/g, (_, h) => String.fromCodePoint(parseInt(h, 16) % 0x110000)).replace(/\\(.)/g, '$1');
      else if (p.startsWith('attr(')) out += N.getAttribute(element, p.slice(5, -1).split(/[\s,]/)[0]) || '';
    }
    return out.slice(0, 500);
  };
  const SVG_NS = 'http://www.w3.org/2000/svg';
  const read = (element, parent, svg) => {
    const cs = N.style(element);
    const get = (p) => N.prop(cs, p);
    const display = get('display');
    const look = { id: nextId++, display, none: display === 'none' };
    look.kin = look;
    if (look.none) return look;
    look.contents = display === 'contents';
    look.visible = get('visibility') === 'visible';
    look.opacity = +get('opacity');
    if (!(look.opacity >= 0)) look.opacity = 1;
    const inner = svg && N.localName(element) !== 'svg' && N.localName(element) !== 'foreignObject';
    if (inner) {
      look.fill = get('fill');
      look.fillOpacity = +get('fill-opacity');
      look.stroke = get('stroke');
      look.strokeWidth = get('stroke-width');
      look.strokeOpacity = +get('stroke-opacity');
      look.dash = get('stroke-dasharray');
      look.cap = get('stroke-linecap');
      look.join = get('stroke-linejoin');
      look.rule = get('fill-rule');
      look.anchor = get('text-anchor');
      look.baseline = get('dominant-baseline');
      look.effect = get('vector-effect');
      look.stop = get('stop-color');
      look.stopOpacity = get('stop-opacity');
      readText(look, get);
      return look;
    }
    readBox(look, get);
    readText(look, get);
    // A control that the browser draws in its own way: a thin grey rim, not the border that it has by the book.
    if (look.border && look.border.styles[0] === 'outset' && look.colour === 'rgb(239, 239, 239)' && get('appearance') === 'auto') look.border = { widths: [1, 1, 1, 1], colours: Array(4).fill('rgb(118,118,118)'), styles: Array(4).fill('solid'), plain: true };
    look.accent = get('accent-color');
    look.position = get('position');
    look.z = parseInt(get('z-index'), 10);
    look.turn = turnOf(get);
    const ox = get('overflow-x');
    const oy = get('overflow-y');
    look.clips = ox !== 'visible' || oy !== 'visible';
    look.scrolls = look.clips && (ox === 'auto' || ox === 'scroll' || oy === 'auto' || oy === 'scroll');
    look.cover = get('clip') !== 'auto' && look.position === 'absolute' ? get('clip') : '';
    look.positioned = look.position !== 'static';
    const has = (p, none) => {
      const v = get(p);
      return v !== '' && v !== none;
    };
    const transformed = has('transform', 'none') || has('translate', 'none') || has('scale', 'none') || has('rotate', 'none') || has('perspective', 'none') || has('filter', 'none') || /transform|filter|perspective/.test(get('will-change')) || /paint|layout|strict|content/.test(get('contain'));
    look.contains = transformed;
    const zAuto = !(look.z === look.z);
    const item = parent && /flex|grid/.test(parent.display);
    look.context = transformed || look.opacity < 1 || look.position === 'fixed' || look.position === 'sticky' || (!zAuto && (look.positioned || item)) || get('isolation') === 'isolate' || has('mix-blend-mode', 'normal') || has('clip-path', 'none') || has('mask-image', 'none') || /opacity|z-index/.test(get('will-change'));
    look.zIndex = zAuto || !(look.positioned || item) ? 0 : look.z;
    look.blend = get('mix-blend-mode');
    look.fit = get('object-fit');
    look.pixelated = get('image-rendering') === 'pixelated' || get('image-rendering') === 'crisp-edges';
    look.padding = null;
    const pt = parseFloat(get('padding-top')) || 0;
    const pr = parseFloat(get('padding-right')) || 0;
    const pb = parseFloat(get('padding-bottom')) || 0;
    const pl = parseFloat(get('padding-left')) || 0;
    look.padding = [pt, pr, pb, pl];
    look.pointer = get('pointer-events') !== 'none';
    look.cursor = get('cursor');
    look.before = sheets.before ? pseudo(element, '::before', look) : null;
    look.after = sheets.after ? pseudo(element, '::after', look) : null;
    return look;
  };
  const keyOf = (element, parent, wider) => {
    const names = N.getAttributeNames(element);
    if (names.length > 12) return '';
    let key = parent.kin.id + '|' + N.localName(element) + '|' + wider;
    for (let i = 0; i < names.length; i++) key += '|' + names[i] + '=' + N.getAttribute(element, names[i]);
    return key.length > 600 ? '' : key;
  };
  // The look of `element` under a parent of look `parent` (undefined: under whatever parent it was read last).
  L.look = (element, parent) => {
    let k = known.get(element);
    const kin = parent ? parent.kin : null;
    const fresh = k && k.generation === generation && (parent === undefined || k.kin === kin);
    const moves = animated.size > 0 && animated.has(element);
    let wider = '';
    if (fresh && !moves && !L.isDirty(element)) {
      // Checked once a change of the page: has a neighbour's change made other rules match?
      if (k.version === version) return k.look;
      wider = widerOf(element);
      if (wider === k.wider) {
        k.version = version;
        return k.look;
      }
    } else wider = widerOf(element);
    const svg = N.namespaceURI(element) === SVG_NS;
    const still = !moves && !moving(element);
    const key = parent && !svg && still && !sheets.blind ? keyOf(element, parent, wider) : '';
    const hit = key ? shared.get(key) : undefined;
    let look = hit && hit.generation === generation ? hit.look : null;
    if (!look) {
      look = read(element, parent, svg);
      // Moved by an animation alone, an element hands down what it handed down before.
      look.kin = moves && fresh && !L.isDirty(element) && k.wider === wider && k.look.visible === look.visible && k.look.ink === look.ink && k.look.font === look.font ? k.look.kin : look;
      if (key) shared.set(key, { generation, look });
    }
    k = { generation, look, kin: parent === undefined && k ? k.kin : kin, version, wider };
    known.set(element, k);
    return look;
  };
  // Is the element animated, so that its look is its own and of this moment? Those of a root that is met for the first
  // time are not known yet: all is read anew after that.
  const moving = (element) => inMotion.has(element) || (crowded && element.getAnimations && element.getAnimations().length > 0);
  L.sheets = sheets;
  L.SVG_NS = SVG_NS;
}
