// The visible texts of the page.
// Comes in: the live page and what text.js saw drawn on canvases. Goes out: [{text, rect, source}] in page pixels, bounded.
{
  const { N } = L;
  const MAX_TEXTS = 1500;
  const MAX_LENGTH = 400;
  const tidy = (t) => t.replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH);
  const rectOf = (x, y, w, h) => ({ x, y, width: w, height: h });

  const fromItems = (items, out) => {
    // Runs of one line inside one block are one text: "Sco" "re: " "1" "0" is "Score: 10".
    let open = null;
    const close = () => {
      if (open && open.text.trim()) L.push(out, { text: tidy(open.text), rect: rectOf(open.x, open.y, open.w, open.h), source: open.source });
      open = null;
    };
    for (let i = 0; i < items.length && out.length < MAX_TEXTS; i++) {
      const it = items[i];
      if (it.kind === 'shape' && it.geometry.text) {
        close();
        const p = it.page;
        if (it.alpha > 0.05 && p[2] > 0 && p[3] > 0) L.push(out, { text: tidy(it.geometry.text), rect: rectOf(p[0], p[1], p[2], p[3]), source: 'svg' });
        continue;
      }
      let runs = it.runs;
      let source = it.pseudo ? 'css' : 'dom';
      if ((it.kind === 'control' || it.kind === 'area') && it.text) runs = [{ text: it.text, x: it.x, y: it.y, w: it.w, h: it.h }];
      else if (it.kind !== 'text') continue;
      if (it.alpha < 0.05 || it.look.fontSize < 2 || L.css.alpha(it.look.ink) < 0.05 && !it.look.clipText) continue;
      const clip = it.clip;
      for (let k = 0; k < runs.length; k++) {
        const r = runs[k];
        let { x, y } = r;
        if (it.origin) {
          x += it.origin.cx - it.origin.ox;
          y += it.origin.cy - it.origin.oy;
        }
        if (x + r.w <= 0 || y + r.h <= 0) continue;
        if (clip && (x >= clip[0] + clip[2] || y >= clip[1] + clip[3] || x + r.w <= clip[0] || y + r.h <= clip[1])) continue;
        const block = source === 'dom' && it.node ? blockOf(it.element) : null;
        const text = it.node && runs.length === 1 ? spaced(N.nodeValue(it.node), r.text) : r.text;
        if (open && block && open.block === block && Math.abs(open.y + open.h / 2 - y - r.h / 2) < Math.min(open.h, r.h) / 2 && x >= open.x + open.w - 2 && x - open.x - open.w < r.h * 1.2) {
          const gap = x - open.x - open.w > r.h * 0.12 && !/\s$/.test(open.text) && !/^\s/.test(text) ? ' ' : '';
          open.text += gap + text;
          open.w = Math.max(open.w, x + r.w - open.x);
          const top = Math.min(open.y, y);
          open.h = Math.max(open.y + open.h, y + r.h) - top;
          open.y = top;
          continue;
        }
        close();
        open = { text, x, y, w: r.w, h: r.h, block, source };
      }
    }
    close();
  };
  // The blanks at the ends of a node count when runs are joined.
  const spaced = (raw, shown) => (/^\s/.test(raw) ? ' ' : '') + shown.trim() + (/\s$/.test(raw) ? ' ' : '');
  const blockOf = (element) => {
    for (let e = element, i = 0; e && N.nodeType(e) === 1 && i < 30; i++) {
      const look = L.look(e);
      if (look.none || !/^inline$|^contents$/.test(look.display)) return e;
      e = N.parentNode(e);
    }
    return element;
  };

  // The walk over the page is taken again at least once in so many calls, for what no observer tells.
  const RENEW = 16;
  let walked = null;
  const elementTexts = () => {
    L.pump(L.lastRoots || [document]);
    if (walked && !walked.list.always && walked.version === L.version() && walked.scrolled === L.scrolled(walked.list) && ++walked.uses < RENEW) return walked.texts;
    const list = L.list(null, true);
    L.lastRoots = list.roots;
    const texts = [];
    fromItems(list.items, texts);
    walked = { list, texts, version: L.version(), scrolled: L.scrolled(list), uses: 0 };
    return texts;
  };

  // All visible texts.
  T.texts = () => {
    const out = elementTexts().slice();
    if (T.canvasTexts) {
      const frames = T.frames();
      for (let f = 0; f < frames.length; f++) {
        const their = frames[f].T;
        if (!their || !their.canvasTexts) continue;
        const texts = their.canvasTexts();
        for (let i = 0; i < texts.length && out.length < MAX_TEXTS; i++) {
          const t = texts[i];
          const placed = canvasPlace(t);
          if (placed && tidy(t.text)) L.push(out, { text: tidy(t.text), rect: placed, source: 'canvas' });
        }
      }
    }
    return out;
  };
  const canvasPlace = (t) => {
    const canvas = t.canvas;
    if (!canvas || !N.isConnected(canvas)) return null;
    const map = L.mapOf(N.ownerDocument(canvas));
    const r = N.rect(canvas);
    const cw = N.canvasWidth(canvas);
    const ch = N.canvasHeight(canvas);
    if (!map || !(r.width > 0 && r.height > 0 && cw > 0 && ch > 0)) return null;
    const look = L.look(canvas);
    if (look.none || !look.visible) return null;
    const fx = (r.width / cw) * map.sx;
    const fy = (r.height / ch) * map.sy;
    return rectOf(r.left * map.sx + map.tx + t.x * fx, r.top * map.sy + map.ty + t.y * fy, t.w * fx, t.h * fy);
  };
  let told = null;
  // The texts if they differ from those told last, else null.
  L.newTexts = (all) => {
    const texts = T.texts();
    let mark = '';
    for (let i = 0; i < texts.length; i++) {
      const t = texts[i];
      mark += t.text + '\u0001' + Math.round(t.rect.x) + ',' + Math.round(t.rect.y) + '\u0002';
    }
    if (!all && mark === told) return null;
    told = mark;
    return texts;
  };
}
