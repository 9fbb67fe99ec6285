// Values of computed style, parsed: comma lists, lengths, colours, shadows, gradients.
// Comes in: strings as getComputedStyle gives them. Goes out: numbers and small objects. Knows no element.
{
  const { N } = L;
  const CSS = (L.css = {});
  // "a(b, c) d, e" -> ["a(b, c) d", "e"]; `by` may also be a blank.
  CSS.split = (text, by = ',') => {
    const out = [];
    let depth = 0;
    let quote = '';
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (quote) {
        if (c === '\\') i++;
        else if (c === quote) quote = '';
      } else if (c === '"' || c === "'") quote = c;
      else if (c === '(') depth++;
      else if (c === ')') depth--;
      else if (c === by && depth === 0) {
        const part = text.slice(from, i).trim();
        if (part) L.push(out, part);
        from = i + 1;
      }
    }
    const last = text.slice(from).trim();
    if (last) L.push(out, last);
    return out;
  };
  // Pixels of "12px", "50%" of `whole`, "calc(100% - 5px)"; NaN for words.
  CSS.length = (text, whole) => {
    const n = parseFloat(text);
    if (text.endsWith('px')) return n;
    if (text.endsWith('%')) return (n / 100) * whole;
    if (text.startsWith('calc(')) {
      let sum = 0;
      const parts = text.slice(5, -1).match(/[+-]?\s*[\d.]+(px|%)/g) || [];
      for (let i = 0; i < parts.length; i++) sum += CSS.length(parts[i].replace(/\s+/g, ''), whole);
      return sum;
    }
    return text === '0' ? 0 : NaN;
  };
  CSS.clear = (colour) => colour === 'rgba(0, 0, 0, 0)' || colour === 'transparent' || colour === '' || /[,/]\s*0(\.0+)?\)$/.test(colour) && /rgba|\//.test(colour);
  CSS.opaque = (colour) => colour.startsWith('rgb(') && colour.indexOf('/') < 0;
  CSS.channels = (colour) => {
    const m = colour.match(/[\d.]+/g);
    if (!m || !colour.startsWith('rgb')) return null;
    return [+m[0], +m[1], +m[2], m.length > 3 ? +m[3] : 1];
  };
  CSS.alpha = (colour) => {
    if (CSS.opaque(colour)) return 1;
    const c = CSS.channels(colour);
    return c ? c[3] : /\/\s*([\d.]+)/.test(colour) ? +RegExp.$1 : 1;
  };
  // The two sides of a 3D border, as Chromium draws them (measured): of a nearly black one both are lightened.
  const DARK = 32;
  /** By how much the sides of a border that seems raised or sunk are lighter and darker: 0.33 of full brightness. */
  const STEP = 84.15;
  const shade = (c, by) => {
    const v = Math.max(c[0], c[1], c[2]), to = Math.min(255, Math.max(0, v + by));
    const part = (k) => Math.round(v === 0 ? to : c[k] * to / v);
    return `rgba(${part(0)},${part(1)},${part(2)},${c[3]})`;
  };
  CSS.lighter = (colour) => {
    const c = CSS.channels(colour);
    if (!c) return colour;
    const dark = Math.max(c[0], c[1], c[2]) <= DARK;
    if (CFG.litBorders) return shade(c, dark ? 2 * STEP : STEP);
    return dark ? `rgba(168,168,168,${c[3]})` : colour;
  };
  CSS.darker = (colour) => {
    const c = CSS.channels(colour);
    if (!c) return colour;
    const dark = Math.max(c[0], c[1], c[2]) <= DARK;
    if (dark) return CFG.litBorders ? shade(c, STEP) : `rgba(84,84,84,${c[3]})`;
    return shade(c, -STEP);
  };
  CSS.shadows = (text) => {
    const out = [];
    if (!text || text === 'none') return out;
    const parts = CSS.split(text);
    for (let i = 0; i < parts.length && i < 8; i++) {
      const words = CSS.split(parts[i], ' ');
      const s = { colour: '', inset: false, n: [] };
      for (let k = 0; k < words.length; k++) {
        if (words[k] === 'inset') s.inset = true;
        else if (/^-?[\d.]+(px)?$/.test(words[k])) L.push(s.n, parseFloat(words[k]));
        else s.colour = words[k];
      }
      if (s.n.length >= 2 && !CSS.clear(s.colour)) L.push(out, { colour: s.colour, inset: s.inset, x: s.n[0], y: s.n[1], blur: s.n[2] || 0, spread: s.n[3] || 0 });
    }
    return out;
  };
  const ANGLES = { deg: Math.PI / 180, grad: Math.PI / 200, rad: 1, turn: 2 * Math.PI };
  const angle = (text) => {
    const m = /^(-?[\d.e-]+)(deg|grad|rad|turn)$/.exec(text);
    return m ? parseFloat(m[1]) * ANGLES[m[2]] : NaN;
  };
  // "linear-gradient(to right, red 0%, blue 10px 20px)" -> {kind, repeating, head, stops: [[colour, at|null]…]}
  CSS.gradient = (text) => {
    const m = /^(repeating-)?(linear|radial|conic)-gradient\(([\s\S]*)\)$/.exec(text);
    if (!m) return null;
    const args = CSS.split(m[3]);
    const stops = [];
    let head = '';
    for (let i = 0; i < args.length && i < 64; i++) {
      const words = CSS.split(args[i], ' ');
      const isColour = /^(#|rgb|hsl|hwb|color|lab|lch|ok|transparent|currentcolor|[a-z]+$)/i.test(words[0]) && !/^(to|at|from|circle|ellipse|closest|farthest|in)\b/.test(words[0]);
      if (i === 0 && !isColour) head = args[i];
      else if (!isColour) continue;
      else if (words.length < 2) L.push(stops, [words[0], null]);
      else for (let k = 1; k < words.length && k < 3; k++) L.push(stops, [words[0], words[k]]);
    }
    return stops.length ? { kind: m[2], repeating: !!m[1], head, stops } : null;
  };
  // Positions of the stops along a line of `length` px, in order and complete, as CSS fills them in.
  const place = (stops, length, turn) => {
    const at = [];
    for (let i = 0; i < stops.length; i++) {
      const s = stops[i][1];
      let v = s === null ? NaN : turn ? angle(s) / (2 * Math.PI) : CSS.length(s, length) / length;
      if (turn && s && s.endsWith('%')) v = parseFloat(s) / 100;
      at[i] = v;
    }
    if (!(at[0] === at[0])) at[0] = 0;
    const last = at.length - 1;
    if (!(at[last] === at[last])) at[last] = Math.max(1, at[0]);
    let high = at[0];
    for (let i = 1; i <= last; i++) if (at[i] === at[i]) high = at[i] = Math.max(high, at[i]);
    for (let i = 1; i < last; i++) {
      if (at[i] === at[i]) continue;
      let j = i;
      while (!(at[j] === at[j])) j++;
      const step = (at[j] - at[i - 1]) / (j - i + 1);
      for (let k = i; k < j; k++) at[k] = at[k - 1] + step;
    }
    return at;
  };
  const corner = (head, w, h) => {
    const m = /to\s+(.*)/.exec(head);
    if (!m) {
      const a = angle(head.trim());
      return a === a ? a : Math.PI;
    }
    const top = /top/.test(m[1]);
    const bottom = /bottom/.test(m[1]);
    const left = /left/.test(m[1]);
    const right = /right/.test(m[1]);
    if ((top || bottom) && (left || right)) {
      // The line runs across the diagonal that joins the other two corners.
      const a = top ? Math.atan2(h, w) : Math.PI - Math.atan2(h, w);
      return right ? a : -a;
    }
    return top ? 0 : bottom ? Math.PI : left ? -Math.PI / 2 : Math.PI / 2;
  };
  // Fills the box with a linear gradient along an axis, part by part: parts of one colour as rectangles, whose edges
  // are then as exact as those of boxes, however thin (grid lines, scan lines); a gradient of the canvas is looked up
  // once a pixel and would miss them. False when the gradient is of another kind.
  const MAX_PARTS = 1200;
  CSS.fillParts = (c, g, x, y, w, h) => {
    if (g.kind !== 'linear') return false;
    const a = corner(g.head, w, h);
    const s = Math.round(Math.sin(a) * 1e6) / 1e6;
    const k = Math.round(Math.cos(a) * 1e6) / 1e6;
    if (s !== 0 && k !== 0) return false;
    const length = s !== 0 ? w : h;
    const at = place(g.stops, length, false);
    const n = at.length;
    const period = (at[n - 1] - at[0]) * length;
    const repeats = g.repeating && period > 0.01;
    let hard = repeats;
    for (let i = 1; i < n; i++) if (at[i] - at[i - 1] < 1e-6 && g.stops[i][0] !== g.stops[i - 1][0]) hard = true;
    if (!hard) return false;
    const back = s < 0 || k > 0;
    // Opaque parts are laid over each other, each from its start to the end: edges side by side would let through
    // what is below.
    let solid = true;
    for (let i = 0; i < n; i++) if (!CSS.opaque(g.stops[i][0])) solid = false;
    const part = (from, to, one, two) => {
      from = Math.max(0, from);
      to = Math.min(length, to);
      if (!(to > from)) return;
      if (solid && one === two) to = length;
      if (one === two && CSS.clear(one)) return;
      const lo = back ? length - to : from;
      const px = s !== 0 ? x + lo : x;
      const py = s !== 0 ? y : y + lo;
      const pw = s !== 0 ? to - from : w;
      const ph = s !== 0 ? h : to - from;
      if (one === two) c.fillStyle = one;
      else {
        const f = N.c_createLinearGradient(c, s !== 0 ? (back ? px + pw : px) : 0, s !== 0 ? 0 : back ? py + ph : py, s !== 0 ? (back ? px : px + pw) : 0, s !== 0 ? 0 : back ? py : py + ph);
        N.addColorStop(f, 0, one);
        N.addColorStop(f, 1, two);
        c.fillStyle = f;
      }
      N.c_fillRect(c, px, py, pw, ph);
    };
    const first = g.stops[0][0];
    const last = g.stops[n - 1][0];
    if (!repeats) part(0, at[0] * length, first, first);
    const from = repeats ? -Math.ceil(at[0] / (at[n - 1] - at[0])) : 0;
    const to = repeats ? Math.ceil((1 - at[0]) / (at[n - 1] - at[0])) : 0;
    if ((to - from + 1) * n > MAX_PARTS) return false;
    for (let r = from; r <= to; r++) for (let i = 1; i < n; i++) part(at[i - 1] * length + r * period, at[i] * length + r * period, g.stops[i - 1][0], g.stops[i][0]);
    if (!repeats) part(at[n - 1] * length, length, last, last);
    return true;
  };
  // About how many rectangles a box of that size takes.
  CSS.partsIn = (g, w, h) => {
    const n = g.stops.length;
    if (g.kind !== 'linear' || !g.repeating) return n;
    const a = corner(g.head, w, h);
    const length = Math.abs(w * Math.sin(a)) + Math.abs(h * Math.cos(a)) || 1;
    const at = place(g.stops, length, false);
    const period = at[n - 1] - at[0];
    return period > 0 ? n / period : n;
  };
  // A canvas gradient for the box (x, y, w, h).
  CSS.fill = (ctx, g, x, y, w, h) => {
    let out;
    let scale = 1;
    let at;
    if (g.kind === 'linear') {
      const a = corner(g.head, w, h);
      const length = Math.abs(w * Math.sin(a)) + Math.abs(h * Math.cos(a)) || 1;
      at = place(g.stops, length, false);
      if (g.repeating) scale = Math.max(1, at[at.length - 1]);
      const dx = (Math.sin(a) * length) / 2;
      const dy = (-Math.cos(a) * length) / 2;
      out = N.c_createLinearGradient(ctx, x + w / 2 - dx, y + h / 2 - dy, x + w / 2 - dx + 2 * dx * scale, y + h / 2 - dy + 2 * dy * scale);
    } else {
      const m = /at\s+(\S+)\s*(\S*)/.exec(g.head);
      const word = { left: '0%', top: '0%', center: '50%', right: '100%', bottom: '100%' };
      const cx = x + (m ? CSS.length(word[m[1]] || m[1], w) : w / 2);
      const cy = y + (m && m[2] ? CSS.length(word[m[2]] || m[2], h) : h / 2);
      if (g.kind === 'conic') {
        const from = /from\s+(\S+)/.exec(g.head);
        const a = from ? angle(from[1]) : 0;
        at = place(g.stops, 1, true);
        out = N.c_createConicGradient(ctx, (a === a ? a : 0) - Math.PI / 2, cx, cy);
      } else {
        const dx = Math.max(cx - x, x + w - cx);
        const dy = Math.max(cy - y, y + h - cy);
        const near = Math.min(cx - x, x + w - cx, cy - y, y + h - cy);
        const size = /(^|\s)([\d.]+px)/.exec(g.head.split(' at ')[0]);
        const circle = /circle/.test(g.head);
        const r = size ? parseFloat(size[2]) : /closest-side/.test(g.head) ? near : /farthest-side/.test(g.head) ? Math.max(dx, dy) : circle ? Math.hypot(dx, dy) : Math.SQRT2 * Math.sqrt(dx * dy);
        at = place(g.stops, r || 1, false);
        out = N.c_createRadialGradient(ctx, cx, cy, 0, cx, cy, Math.max(r, 0.01));
      }
    }
    const add = (v, colour) => {
      try {
        N.addColorStop(out, Math.min(1, Math.max(0, v / scale)), colour);
      } catch {
        // A colour space the canvas does not know: the stop is left out.
      }
    };
    const n = at.length;
    const period = at[n - 1] - at[0];
    if (g.repeating && period > 0.0005) {
      const first = -Math.ceil(at[0] / period);
      for (let k = first, c = 0; at[0] + k * period < scale && c < 2000; k++) for (let i = 0; i < n; i++, c++) {
        const v = at[i] + k * period;
        if (v >= 0 && v <= scale) add(v, g.stops[i][0]);
      }
    } else for (let i = 0; i < n; i++) add(at[i], g.stops[i][0]);
    return out;
  };
}
