// What the page offers to people who cannot see it, or have no mouse, as far as the accessibility tree does not tell.
// Comes in: the live page. Goes out: T.access. Judges nothing: it says what is there.
{
  const { N, css } = L;
  const MAX_LISTED = 60;
  const MAX_TEXTS = 400;
  const shorten = (t) => t.replace(/\s+/g, ' ').trim().slice(0, 80);
  const rectOf = (r) => ({ x: r[0], y: r[1], width: r[2], height: r[3] });
  const tabIndexOf = (() => {
    const getters = [];
    for (const name of ['HTMLElement', 'SVGElement', 'MathMLElement']) {
      const d = window[name] && Object.getOwnPropertyDescriptor(window[name].prototype, 'tabIndex');
      if (d && d.get) L.push(getters, Function.prototype.call.bind(d.get));
    }
    return (element) => {
      for (let i = 0; i < getters.length; i++) {
        try {
          return getters[i](element);
        } catch {
          // Not of this kind.
        }
      }
      return -1;
    };
  })();

  // --- Contrast ------------------------------------------------------------------------------------------------

  // What lies behind is known between bounds: [lowest, highest] of each channel, one and the same for a plain colour.
  const over = (top, alpha, below) => [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha));
  const lay = (top, alpha, [low, high]) => [over(top, alpha, low), over(top, alpha, high)];
  const ANY = [[0, 0, 0], [255, 255, 255]];
  const light = (c) => {
    const f = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]);
  };
  // The least and the most contrast between colours within bounds.
  const ratios = (a, b) => {
    const [a0, a1, b0, b1] = [light(a[0]), light(a[1]), light(b[0]), light(b[1])];
    const of = (x, y) => (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const apart = a0 > b1 ? of(a0, b1) : b0 > a1 ? of(b0, a1) : 1;
    return [apart, Math.max(of(a1, b0), of(a0, b1))];
  };
  const covers = (it, r) => it.x <= r.x + 2 && it.y <= r.y + 2 && it.x + it.w >= r.x + r.w - 2 && it.y + it.h >= r.y + r.h - 2;
  const meets = (it, r) => it.x < r.x + r.w - 1 && it.y < r.y + r.h - 1 && it.x + it.w > r.x + 1 && it.y + it.h > r.y + 1;
  const within = (clip, r) => !clip || (r.x < clip[0] + clip[2] && r.y < clip[1] + clip[3] && r.x + r.w > clip[0] && r.y + r.h > clip[1]);
  // The colours that may lie behind a part of the page, `items` before `end` painted.
  // With `opaque`, those that are see-through as a whole (opacity) are left out.
  const behind = (items, end, r, opaque) => {
    let colours = [[[255, 255, 255], [255, 255, 255]]];
    const put = (colour, alpha) => {
      const c = css.channels(colour);
      if (!c) colours = [ANY];
      else if (c[3] * alpha > 0) colours = colours.map((b) => lay(c, c[3] * alpha > 0.999 ? 1 : c[3] * alpha, b));
    };
    for (let i = 0; i < end; i++) {
      const it = items[i];
      if (opaque && it.alpha < 0.999) continue;
      if (it.kind === 'flood') put(it.colour, it.alpha);
      else if (it.kind === 'box') {
        const { colour, layers } = it.look;
        if (!(colour || layers) || !within(it.clip, r)) continue;
        const box = it.wide ? { x: it.wide[0], y: it.wide[1], w: it.wide[2], h: it.wide[3] } : it;
        if (!meets(box, r)) continue;
        if (!covers(box, r)) {
          colours = [ANY];
          continue;
        }
        if (colour) put(colour, it.alpha);
        for (let k = layers ? layers.length - 1 : -1; k >= 0; k--) {
          const { gradient } = layers[k];
          const stops = gradient && gradient.stops;
          const known = stops ? stops.map((s) => css.channels(s[0])) : [null];
          if (known.includes(null)) {
            colours = [ANY];
            continue;
          }
          // Between its stops it takes on every colour there is between them.
          colours = colours.map((below) => {
            const ends = known.flatMap((c) => lay(c, c[3] * it.alpha, below));
            const channel = (pick) => [0, 1, 2].map((n) => pick(...ends.map((e) => e[n])));
            return [channel(Math.min), channel(Math.max)];
          });
        }
      } else if (it.kind === 'source' || it.kind === 'area' || it.kind === 'shape') {
        // Shapes of SVG know their own units only: where they stand is their element's place.
        if (it.kind === 'shape' ? L.svgPlace(it.element, r) : meets(it, r)) colours = [ANY];
      }
    }
    return colours;
  };
  L.svgPlace = (element, r) => {
    try {
      const q = N.rect(element);
      const map = L.mapOf(N.ownerDocument(element));
      return !!map && meets({ x: q.left * map.sx + map.tx, y: q.top * map.sy + map.ty, w: q.width * map.sx, h: q.height * map.sy }, r);
    } catch {
      return true;
    }
  };
  const isLarge = (look) => look.fontSize >= 24 || (look.fontSize >= 18.66 && /^\S+ (bold|[7-9]\d\d)/.test(look.font));
  const contrasts = () => {
    const { items } = L.list(null, true);
    const low = [];
    const unclear = [];
    let count = 0;
    for (let i = 0; i < items.length && count < MAX_TEXTS; i++) {
      const it = items[i];
      let { runs } = it;
      if (it.kind === 'control' && it.text) runs = [{ text: it.text, x: it.x, y: it.y, w: it.w, h: it.h }];
      else if (it.kind !== 'text') continue;
      const { look } = it;
      if (!(it.alpha >= 0.05) || look.fontSize < 2 || look.clipText) continue;
      const ink = css.channels(look.ink);
      if (ink && ink[3] < 0.05) continue;
      if (it.element && N.nodeType(it.element) === 1 && N.closest(it.element, ':disabled,[aria-disabled="true"]')) continue;
      const r = runs[0];
      if (!/\S/.test(r.text) || r.x + r.w <= 0 || r.y + r.h <= 0 || !within(it.clip, r)) continue;
      count++;
      const needed = isLarge(look) || !/[\p{L}\p{N}]/u.test(r.text) ? 3 : 4.5;
      const found = { text: shorten(r.text), rect: rectOf([r.x, r.y, r.w, r.h]), ratio: null, needed };
      const back = ink ? behind(items, i, r, false) : [ANY];
      if (!back.includes(ANY)) {
        // Text that is see-through together with its ground lies, as the ground does, on what is behind both.
        const below = it.alpha < 0.999 && ink[3] > 0.999 ? behind(items, i, r, true) : null;
        let least = Infinity;
        let most = 0;
        for (let b = 0; b < back.length; b++) {
          const under = below || [back[b]];
          for (let u = 0; u < under.length; u++) {
            const [low, high] = ratios(lay(ink, ink[3] * it.alpha, under[u]), back[b]);
            least = Math.min(least, low);
            most = Math.max(most, high);
          }
        }
        found.ratio = [least, most];
        if (least >= needed) continue;
      }
      const list = found.ratio && found.ratio[1] < needed ? low : unclear;
      if (list.length < MAX_LISTED) L.push(list, found);
    }
    return { contrasts: low.concat(unclear), texts: count };
  };

  // --- Keyboard, live regions, motion ----------------------------------------------------------------------------

  let asked = false;
  replaceMethod(W, 'matchMedia', (original) => ({
    matchMedia(query) {
      if (String(query).includes('prefers-reduced-motion')) asked = true;
      return Reflect.apply(original, this, arguments);
    },
  }).matchMedia);
  const ruled = () => {
    const inside = (rules, depth) => {
      for (let i = 0; rules && i < rules.length && i < 5000; i++) {
        const { media } = rules[i];
        if (media && /prefers-reduced-motion/.test(media.mediaText)) return true;
        if (depth < 4 && rules[i].cssRules && inside(rules[i].cssRules, depth + 1)) return true;
      }
      return false;
    };
    const sheets = N.styleSheets(document);
    for (let i = 0; i < sheets.length; i++) {
      try {
        if ((sheets[i].media && /prefers-reduced-motion/.test(sheets[i].media.mediaText)) || inside(N.cssRules(sheets[i]), 0)) return true;
      } catch {
        // A sheet of another origin.
      }
    }
    return false;
  };
  const endless = () => {
    let n = 0;
    const list = T.animationsOf(document);
    for (let i = 0; i < list.length && i < 2000; i++) {
      const effect = N.animationEffect(list[i]);
      if (effect && effect.getComputedTiming().iterations === Infinity) n++;
    }
    return n;
  };

  // T.access() -> what model::Access holds, but for the tree.
  T.access = () => {
    L.pump(L.lastRoots || [document]);
    const html = N.documentElement(document);
    const out = { title: String(document.title || ''), lang: String((html && N.getAttribute(html, 'lang')) || ''), viewport: '', bareCanvases: [], mouseOnly: [], tabbable: 0, tabOrder: 0, live: [], canvasTexts: 0 };
    const metas = N.queryAll(document, 'meta[name="viewport" i]');
    if (metas.length) out.viewport = String(N.getAttribute(metas[metas.length - 1], 'content') || '').slice(0, 300);
    const listening = L.clickTargets();
    const clicked = [];
    const reached = new Set();
    L.eachElement((element, look, r, state) => {
      const name = N.localName(element);
      const attribute = (a) => N.getAttribute(element, a);
      const parent = state || { focus: null, hidden: false };
      const next = { focus: parent.focus, hidden: parent.hidden || attribute('aria-hidden') === 'true' };
      if (look.contents) return next;
      const big = r[2] > 2 && r[3] > 2;
      const shown = look.visible && look.opacity > 0.02 && big;
      const live = attribute('aria-live');
      if (live === 'polite' || live === 'assertive' || (live === null && (name === 'output' || /^(status|alert|log)$/.test(attribute('role') || '')))) if (out.live.length < MAX_LISTED) L.push(out.live, rectOf(r));
      const index = tabIndexOf(element);
      const able = !N.matches(element, ':disabled');
      if (shown && able && index >= 0) {
        out.tabbable++;
        if (index > 0) out.tabOrder++;
        next.focus = element;
        // What holds something the keyboard reaches is no dead end.
        for (let p = element, i = 0; p && i < 400 && !reached.has(p); i++, p = N.parentNode(p)) reached.add(p);
      }
      if (name === 'canvas' && shown && r[2] >= 20 && r[3] >= 20 && !next.hidden) {
        let has = !!(attribute('aria-label') || attribute('aria-labelledby') || attribute('title'));
        for (let c = N.firstChild(element); c && !has; c = N.nextSibling(c)) has = N.nodeType(c) === 1 || (N.nodeType(c) === 3 && /\S/.test(N.nodeValue(c)));
        if (!has && out.bareCanvases.length < MAX_LISTED) L.push(out.bareCanvases, rectOf(r));
      }
      const clicks = listening(element) || N.hasAttribute(element, 'onclick') || N.hasAttribute(element, 'onmousedown') || N.hasAttribute(element, 'onpointerdown');
      if (clicks && shown && able && !next.focus && index < 0 && !/^(html|body|label|canvas)$/.test(name)) if (clicked.length < 500) L.push(clicked, [element, r]);
      return next;
    });
    for (let i = 0; i < clicked.length && out.mouseOnly.length < MAX_LISTED; i++) {
      const [element, r] = clicked[i];
      if (!reached.has(element)) L.push(out.mouseOnly, { text: shorten(L.nameOf(element)), tag: N.localName(element), rect: rectOf(r) });
    }
    const frames = T.frames();
    for (let f = 0; f < frames.length; f++) if (frames[f].T.canvasTexts) out.canvasTexts += frames[f].T.canvasTexts().length;
    return { ...out, ...contrasts(), endlessAnimations: endless(), asksForReducedMotion: asked || ruled() };
  };
}
