// Pictures for the reader outside: any region once, or a watched board again and again.
// Comes in: a region, or a board with columns, rows and samples. Goes out: RGB patches against what was sent before.
{
  const { N } = L;
  const MAX_PIXELS = 4e6;
  const encode = (bytes) => {
    if (N.toBase64) return N.toBase64(bytes);
    let s = '';
    for (let i = 0; i < bytes.length; i++) s += N.charCode(bytes[i]);
    return N.btoa(s);
  };
  // Changes are told apart in tiles of this many pixels: what moves in two corners of a page is not all of the page. Those
  // of a board are its cells.
  const TILE = 32;
  // Beyond so many parts one box around all of them is less to say.
  const MAX_PARTS = 400;
  // The boxes of [x, y, w, h] in which `now` differs from `sent`, made of whole tiles; a row of tiles that changed in the
  // same columns as the one above is put to it.
  const partsOf = (now, sent, w, h, size) => {
    const columns = Math.ceil(w / size);
    const dirty = new Uint8Array(columns);
    const parts = [];
    let above = [];
    for (let top = 0; top < h; top += size) {
      const bottom = Math.min(h, top + size);
      dirty.fill(0);
      let any = false;
      for (let y = top; y < bottom; y++) {
        const row = y * w;
        for (let x = 0; x < w; x++) if (now[row + x] !== sent[row + x]) {
          const tile = (x / size) | 0;
          dirty[tile] = 1;
          any = true;
          x = (tile + 1) * size - 1;
        }
      }
      const here = [];
      for (let c = 0; any && c < columns; c++) {
        if (!dirty[c]) continue;
        let end = c;
        while (end < columns && dirty[end]) end++;
        const x = c * size;
        const wide = Math.min(w, end * size) - x;
        let part = null;
        for (let i = 0; i < above.length; i++) if (above[i][0] === x && above[i][2] === wide) part = above[i];
        if (part) part[3] += bottom - top;
        else L.push(parts, (part = [x, top, wide, bottom - top]));
        L.push(here, part);
        c = end;
      }
      above = here;
    }
    return parts;
  };
  // A run of one colour is at most so long, and a repetition, and what is repeated at most so far back.
  const RUN = 128;
  const REPEATED = 65536;
  const BACK = 32767;
  // A repetition that is so long is taken without looking for a longer one.
  const LONG = 64;
  // Dithered colours come again after so many pixels, and after so many lines.
  const DITHER = 8;
  // How many pixels from `i` on are like those `back` before them?
  const repeated = (flat, i, back) => {
    if (back > i || back > BACK) return 0;
    const end = Math.min(flat.length, i + REPEATED);
    let n = i;
    while (n < end && flat[n] === flat[n - back]) n++;
    return n - i;
  };
  // The pixels `flat` of some parts in words of four bytes, and how many words: a run is red, green, blue, length - 1; a
  // repetition of earlier pixels length - 1 in two bytes, and in two more how far back they are, the highest bit set.
  const packed = (flat, parts) => {
    const words = new Int32Array(flat.length);
    let o = 0;
    let part = 0;
    let wide = parts[0][2];
    let ends = wide * parts[0][3];
    for (let i = 0; i < flat.length; ) {
      while (i >= ends) {
        wide = parts[++part][2];
        ends += wide * parts[part][3];
      }
      let back = 1;
      let most = repeated(flat, i, 1);
      if (most < LONG) {
        let n = repeated(flat, i, wide);
        if (n > most) [most, back] = [n, wide];
        if (most < LONG && (n = repeated(flat, i, DITHER)) > most) [most, back] = [n, DITHER];
        if (most < LONG && (n = repeated(flat, i, DITHER * wide)) > most) [most, back] = [n, DITHER * wide];
      }
      if (most > 0) {
        words[o++] = (most - 1) | (back << 16) | (1 << 31);
        i += most;
        continue;
      }
      const colour = flat[i];
      const first = i++;
      while (i < flat.length && i - first < RUN && flat[i] === colour) i++;
      words[o++] = colour | ((i - first - 1) << 24);
    }
    return new Uint8Array(words.buffer, 0, o * 4);
  };
  // What of a picture has to be sent, given what was sent: {full, base, parts, pix}. A full one is all of the colour `base`
  // but for the parts. `pix`: the parts' pixels, one after the other, as words.
  const channel = (tile) => {
    let sent = null;
    let sw = 0;
    let sh = 0;
    let number = 0;
    return (bytes, w, h, have) => {
      const now = new Int32Array(bytes.buffer, bytes.byteOffset, w * h);
      const full = !sent || sw !== w || sh !== h || have !== number;
      let base = null;
      if (full) {
        base = [bytes[0], bytes[1], bytes[2]];
        sent = new Int32Array(w * h).fill(now[0]);
      }
      const same = !full && (now.buffer === sent.buffer || L.firstDifference(now, sent, w * h) < 0);
      let parts = same ? [] : partsOf(now, sent, w, h, tile);
      if (same) return { seq: number, full, base, w, h, parts, pix: '' };
      if (parts.length > MAX_PARTS) parts = [[0, 0, w, h]];
      let size = 0;
      for (let i = 0; i < parts.length; i++) size += parts[i][2] * parts[i][3];
      const flat = new Int32Array(size);
      let o = 0;
      for (let k = 0; k < parts.length; k++) {
        const [left, top, pw, ph] = parts[k];
        for (let y = top; y < top + ph; y++) {
          const end = y * w + left + pw;
          for (let i = end - pw; i < end; i++) flat[o++] = now[i] & 0xffffff;
        }
      }
      sent = now;
      sw = w;
      sh = h;
      number++;
      return { seq: number, full, base, w, h, parts, pix: size ? encode(packed(flat, parts)) : '' };
    };
  };

  // Puts what moves by a short transition where it will be; gives the ways back.
  const foresee = () => {
    const backs = [];
    for (const { T: member } of T.frames()) {
      const back = member.motion ? member.motion.foresee() : null;
      if (back) L.push(backs, back);
    }
    return backs;
  };
  const back = (backs) => {
    for (let i = 0; i < backs.length; i++) backs[i]();
  };
  const foreseen = (see) => {
    const backs = foresee();
    try {
      return see();
    } finally {
      back(backs);
    }
  };

  // Parts of the page looked at in turn: the last ones keep what was sent of them.
  const SCENES = 4;
  const scenes = [];
  const sceneOf = (key, w, h) => {
    let at = 0;
    while (at < scenes.length && scenes[at].key !== key) at++;
    const scene = at < scenes.length ? scenes[at] : { key, painter: L.painter(w, h), send: channel(TILE) };
    for (let i = Math.min(at, SCENES - 1); i > 0; i--) scenes[i] = scenes[i - 1];
    scenes[0] = scene;
    return scene;
  };
  // T.whole(): has what was left out drawn, by one more frame of the game, if anything was.
  T.whole = async () => {
    if (T.root.clock.behind) await T.root.clock.frame();
    return null;
  };
  // T.hold() -> is anything held? Before the screen is looked at: as T.whole, and what the probe would see where it will
  // be is held there until T.unhold(). No time may pass between the two.
  let held = [];
  T.hold = async () => {
    await T.whole();
    back(held);
    held = foresee();
    return held.length > 0;
  };
  T.unhold = () => {
    back(held);
    held = [];
    return null;
  };
  // T.scene({x, y, w, h, scale, have, shown, steady}): `have` is the seq of the last answer the caller holds, or 0; `shown`:
  // signs that have no picture are all the same box, as the browser shows them; `steady` as in T.advance.
  T.scene = async (q) => {
    await T.whole();
    if (q.steady && board) scrollBack();
    const w = Math.max(1, Math.round(q.w * q.scale));
    const h = Math.max(1, Math.round(q.h * q.scale));
    if (!(w * h <= MAX_PIXELS)) throw new RangeError('region too large');
    const key = [q.x, q.y, q.w, q.h, q.scale, !!q.shown].join();
    const scene = sceneOf(key, w, h);
    L.asShown = !!q.shown;
    const shot = foreseen(() => scene.painter.paint([q.x, q.y, q.w, q.h]));
    L.asShown = false;
    if (!shot.bytes) return { seq: 0, full: false, base: null, w, h, parts: [], pix: '', lost: 'the picture could not be read' };
    return scene.send(shot.bytes, w, h, q.have || 0);
  };

  let board = null;
  const pageRect = (element) => {
    const map = L.mapOf(N.ownerDocument(element));
    const r = N.rect(element);
    return map ? [r.left * map.sx + map.tx, r.top * map.sy + map.ty, r.width * map.sx, r.height * map.sy] : null;
  };
  const holds = (r, b) => r[0] <= b[0] + 1.5 && r[1] <= b[1] + 1.5 && r[0] + r[2] >= b[0] + b[2] - 1.5 && r[1] + r[3] >= b[1] + b[3] - 1.5;
  // The smallest element that holds the region: a canvas or SVG before a container, the one with more inside before
  // one of the same size that is only laid over it.
  const anchorOf = (region) => {
    let best = null;
    let bestScore = Infinity;
    L.eachElement((element, look, r) => {
      if (!(r[2] > 0 && r[3] > 0) || !holds(r, region)) return;
      const name = N.localName(element);
      const picture = name === 'canvas' || name === 'svg';
      const area = r[2] * r[3];
      const score = area * (picture ? 0.5 : N.childElementCount(element) > 3 ? 0.9 : 1);
      if (score < bestScore) {
        bestScore = score;
        best = element;
      }
    });
    return best;
  };
  const laidOut = (element) => (N.localName(element) === 'canvas' ? [N.offsetWidth(element), N.offsetHeight(element)] : null);
  // How much more a canvas's rectangle may grow one way than the other by a mere zoom.
  const EVENLY = 0.004;
  // Where a canvas would be if it had not been turned since it was found, and null where it was not: games shake their
  // boards, and what is drawn on a canvas stays where it is on it. A turned rectangle grows more in one direction.
  const upright = (b, r) => {
    const size = b.laidOut && laidOut(b.anchor);
    if (!size || size[0] !== b.laidOut[0] || size[1] !== b.laidOut[1]) return null;
    const [x, y] = [r[2] / b.size[0], r[3] / b.size[1]];
    if (Math.abs(x - y) < EVENLY) return null;
    return [r[0] + (r[2] - b.size[0]) / 2, r[1] + (r[3] - b.size[1]) / 2, b.size[0], b.size[1]];
  };
  const attach = (b) => {
    b.anchor = anchorOf(b.region);
    b.upright = null;
    if (!b.anchor) return false;
    const r = pageRect(b.anchor);
    b.laidOut = laidOut(b.anchor);
    b.size = [r[2], r[3]];
    // Turned already, or stretched: it cannot be told how it would be.
    if (b.laidOut && Math.abs(r[2] / b.laidOut[0] - r[3] / b.laidOut[1]) >= EVENLY) b.laidOut = null;
    b.rel = [(b.region[0] - r[0]) / r[2], (b.region[1] - r[1]) / r[3], b.region[2] / r[2], b.region[3] / r[3]];
    return true;
  };
  // What stands in a board's place without being its successor is at most so much larger.
  const ALIKE = 1.5;
  // What an element is told by when the page has put another in its place.
  const signOf = (element, r) => [N.localName(element), N.getAttribute(element, 'class') || '', Math.round(r[2]), Math.round(r[3])].join();
  // The element most like the one that held the board when it was found, nearest to where that was; null for none.
  const successor = (b) => {
    let best = null;
    let least = Infinity;
    L.eachElement((element, look, r) => {
      if (!look.visible || signOf(element, r) !== b.home.sign) return;
      const far = Math.abs(r[0] - b.home.at[0]) + Math.abs(r[1] - b.home.at[1]);
      if (far < least) {
        least = far;
        best = element;
      }
    });
    return best;
  };
  // T.watch({x, y, w, h, columns, rows, samples}) -> {anchor}
  T.watch = async (q) => {
    await T.whole();
    const w = q.columns * q.samples;
    const h = q.rows * q.samples;
    if (!(w > 0 && h > 0 && w * h <= MAX_PIXELS)) throw new RangeError('board too large');
    board = { region: [q.x, q.y, q.w, q.h], w, h, anchor: null, home: null, rel: null, upright: null, painter: L.painter(w, h, () => board), send: channel(q.samples), reader: null, scroll: null };
    if (attach(board)) {
      const r = pageRect(board.anchor);
      board.home = { rel: board.rel, laidOut: board.laidOut, size: board.size, sign: signOf(board.anchor, r), at: [r[0], r[1]] };
    }
    return { anchor: board.anchor ? N.localName(board.anchor) : '' };
  };
  const onPage = ([x, y, w, h]) => {
    const root = N.documentElement(document);
    return !!root && x + w / 2 < N.scrollWidth(root) && y + h / 2 < N.scrollHeight(root);
  };
  const place = (b) => {
    // Games built anew (after their end, on another screen) may stand elsewhere.
    if (b.home && !(b.anchor && N.isConnected(b.anchor))) {
      L.pump(L.lastRoots || [document]);
      const next = successor(b);
      if (next) {
        b.anchor = next;
        b.rel = b.home.rel;
        b.laidOut = b.home.laidOut;
        b.size = b.home.size;
      }
    }
    if (b.anchor && N.isConnected(b.anchor)) {
      let r = pageRect(b.anchor);
      if (r && r[2] > 0 && r[3] > 0) {
        b.upright = upright(b, r);
        r = b.upright || r;
        b.region = [r[0] + b.rel[0] * r[2], r[1] + b.rel[1] * r[3], b.rel[2] * r[2], b.rel[3] * r[3]];
        return null;
      }
      return 'hidden';
    }
    // The element was replaced by a newer one: the same place is looked at again, if there is something like it. What
    // lies there of another screen is no board, and nothing is to be learned from it.
    // What no one element holds is read where it was found, as long as that is on the page.
    if (!attach(b)) return b.home || !onPage(b.region) ? 'gone' : null;
    if (!b.home || b.size[0] * b.size[1] <= ALIKE * b.home.size[0] * b.home.size[1]) return null;
    b.anchor = null;
    return 'gone';
  };
  const kindOf = (list, region) => {
    let canvas = 0;
    let gl = 0;
    let dom = 0;
    let svg = 0;
    let other = 0;
    const half = (region[2] * region[3]) / 2;
    const small = (region[2] * region[3]) / 8;
    for (let i = 0; i < list.items.length; i++) {
      const it = list.items[i];
      const cx = it.x + it.w / 2;
      const cy = it.y + it.h / 2;
      if (it.kind !== 'flood') other++;
      // What stands beside the board is not of it.
      if (it.kind !== 'shape' && (cx < region[0] || cy < region[1] || cx > region[0] + region[2] || cy > region[1] + region[3]) && it.w * it.h < half) continue;
      if (it.kind === 'source' && it.canvas) {
        if (it.w * it.h >= half) {
          if (L.isWebgl(it.source)) gl++;
          else canvas++;
        }
      } else if (it.kind === 'shape') svg++;
      else if ((it.kind === 'box' || it.kind === 'source' || it.kind === 'control' || it.kind === 'text') && it.w * it.h < small) dom++;
    }
    if (canvas && gl) return 'mixed';
    if (canvas || gl) return dom > 3 || svg > 3 ? 'mixed' : gl ? 'webgl' : 'canvas';
    if (svg > 3) return dom > 3 ? 'mixed' : 'svg';
    return other ? 'dom' : null;
  };
  // Pixels around a board that are drawn with it: it is sampled with what lies beside it, and may move a little.
  const AROUND = 4;
  // A WebGL canvas is drawn with so many times fewer pixels at most, along one side.
  const COARSEST = 4;
  // What a look at the board shows of a canvas, and a little more, [x, y, w, h] from the bottom, and how many pixels of
  // it, along one side, have to be drawn for each of the canvas's; null where that isn't known.
  const partOf = (canvas) => {
    const items = (board && board.painter.list() && board.painter.list().items) || [];
    for (let i = 0; i < items.length; i++) {
      const it = items[i];
      if (it.kind !== 'source' || it.source !== canvas) continue;
      const { widths, padding, fit } = it.look;
      const edge = (side) => widths[side] + (padding ? padding[side] : 0);
      const [shownX, shownY] = [it.x + edge(3), it.y + edge(0)];
      const [shownW, shownH] = [it.w - edge(1) - edge(3), it.h - edge(0) - edge(2)];
      if (it.turn || (fit && fit !== 'fill') || !(shownW > 0 && shownH > 0)) return null;
      const w = N.canvasWidth(canvas);
      const h = N.canvasHeight(canvas);
      const [x, y, width, height] = board.region;
      const [sx, sy] = [w / shownW, h / shownH];
      const left = Math.max(0, Math.floor((x - shownX) * sx) - AROUND);
      const right = Math.min(w, Math.ceil((x + width - shownX) * sx) + AROUND);
      const top = Math.max(0, Math.floor((y - shownY) * sy) - AROUND);
      const bottom = Math.min(h, Math.ceil((y + height - shownY) * sy) + AROUND);
      // What is looked at with fewer pixels than it is drawn with may be drawn with fewer.
      const over = Math.min((width * sx) / board.w, (height * sy) / board.h);
      return [left, h - bottom, right - left, bottom - top, 1 / Math.max(1, Math.min(COARSEST, Math.floor(over)))];
    }
    return null;
  };
  // T.read(have) -> {seq, same, full, base, w, h, parts, pix, rect, reader, lost}
  T.read = (have) => {
    if (!board) throw new TypeError('no board is watched');
    return foreseen(() => readNow(have));
  };
  const readNow = (have) => {
    const lost = place(board);
    const region = board.region;
    const nothing = (why) => ({ seq: have || 0, same: true, full: false, base: null, w: board.w, h: board.h, parts: [], pix: '', rect: region, reader: board.reader, lost: why });
    if (lost) return nothing(lost);
    const shot = board.painter.paint(region);
    if (!shot.bytes) return nothing('the picture could not be read');
    const list = board.painter.list();
    if (list && list !== board.judged) {
      board.judged = list;
      // A page that went elsewhere, or has nothing there for a while, is still the one that was read.
      board.reader = kindOf(list, region) ?? board.reader;
    }
    const out = board.send(shot.bytes, board.w, board.h, have || 0);
    out.same = !out.full && out.parts.length === 0;
    out.rect = region;
    out.reader = board.reader;
    out.lost = null;
    return out;
  };
  // T.pictures(ms): waits until the pictures behind backgrounds are there, at most so long.
  T.pictures = async (ms) => {
    const until = N.now() + Math.min(10000, ms);
    while (L.picturesWaiting() > 0 && N.now() < until) await T.native.tick();
    return { waiting: L.picturesWaiting() };
  };
  // How many pixels of [from, from + size] are to be seen where the page is scrolled to `at`.
  const shown = (from, size, at, view) => Math.max(0, Math.min(from + size, at + view) - Math.max(from, at));
  // Is as much of the board to be seen there as where the page is scrolled to now?
  const showsAsMuch = ([left, top]) => {
    const [x, y, w, h] = board.region;
    const { scrollX, scrollY, innerWidth, innerHeight } = window;
    return shown(x, w, left, innerWidth) >= shown(x, w, scrollX, innerWidth) && shown(y, h, top, innerHeight) >= shown(y, h, scrollY, innerHeight);
  };
  // A key may scroll the page, and what stays in its place then lies over the board. Who plays scrolls back: to the
  // page's beginning, or to where the board was found.
  const scrollBack = () => {
    board.scroll ??= showsAsMuch([0, 0]) ? [0, 0] : [window.scrollX, window.scrollY];
    const [left, top] = board.scroll;
    if ((window.scrollX !== left || window.scrollY !== top) && showsAsMuch(board.scroll)) window.scrollTo({ left, top, behavior: 'instant' });
  };
  // Longest time of the machine without leaving the task.
  const REST_MS = 25;
  // Longest wait for keys that are on their way.
  const KEYS_MS = 100;
  // Has the page been given so many key events since time last passed? Keys and calls come by different ways: one that is
  // sent after the other may be there before it. What a key does is done once another task runs.
  let told = 0;
  const given = async (keys) => {
    const until = T.native.now() + KEYS_MS;
    while (T.root.keys - told < keys) {
      if (T.native.now() >= until) return false;
      await T.native.tick();
    }
    return true;
  };
  // A picture that is given another source comes by the machine's time, though the browser has it: game time must not
  // outrun it, or blocks that are pictures would be missing. Longest wait for all of them at one look, and for what never
  // came at all looks; what did not come is not waited for again.
  const PICTURES_MS = 600;
  const IN_VAIN_MS = 3000;
  let vainly = 0;
  const inVain = new WeakMap();
  const sourceOf = (image) => N.getAttribute(image, 'src') + ' ' + N.getAttribute(image, 'srcset');
  const isComing = (image) => !N.imageComplete(image) && inVain.get(image) !== sourceOf(image);
  const coming = () => {
    const images = N.images(document);
    for (let i = 0; i < images.length; i++) if (isComing(images[i])) return images[i];
    return null;
  };
  const there = async () => {
    const until = T.native.now() + PICTURES_MS;
    let image = coming();
    while (image && T.native.now() < until) {
      await T.native.tick();
      if (!isComing(image)) image = coming();
    }
    if (!image) return;
    vainly += PICTURES_MS;
    const images = N.images(document);
    for (let i = 0; i < images.length; i++) if (isComing(images[i])) inVain.set(images[i], sourceOf(images[i]));
  };
  // The same for pictures behind boxes, which are known once they were to be painted; for all of them together.
  const BACKGROUNDS_MS = 600;
  let patience = BACKGROUNDS_MS;
  const backgrounds = async () => {
    const since = T.native.now();
    while (L.picturesWaiting() > 0 && T.native.now() < since + patience) await T.native.tick();
    patience -= T.native.now() - since;
  };
  // T.advance(ms, {every, change, wall, texts, textsEvery, frame, bulk, part, have, read, steady, keys}) -> {step, seen: [{now, read, texts, scroll}], late}
  // Looks after every `every` ms of game time; `change` ends it at the first look at which the board is another one, and
  // `wall` ms of the machine's time end it between two looks. `texts` asks for them at the first look; `textsEvery`, when
  // so many ms of game time have passed since they were last asked for, in whichever call. `part`: nobody looks at
  // anything but the board. `steady`: the page is scrolled to where it was when the board was found. `keys`: key events that
  // were sent since the last call; `late`: they did not come, and nothing was done.
  let asked = -Infinity;
  const look = (q, have, first) => {
    const now = T.root.clock.now();
    const scroll = [window.scrollX, window.scrollY];
    if (q.steady && board) scrollBack();
    const read = board && q.read !== false ? T.read(have) : null;
    const texts = (q.texts && first) || (q.textsEvery > 0 && now - asked >= q.textsEvery);
    if (texts) asked = now;
    return { now, read, texts: texts ? L.newTexts(!!q.allTexts) : null, scroll };
  };
  const advance = async (ms, q) => {
    if (q.keys > 0 && !(await given(q.keys))) return { step: null, seen: [], late: true };
    told = T.root.keys;
    const clock = T.root.clock;
    let rested = T.native.now();
    const until = rested + (q.wall || 0);
    const seen = [];
    let step = null;
    let have = q.have || 0;
    let left = Math.max(0, ms);
    for (;;) {
      const slice = q.every > 0 ? Math.min(q.every, left) : left;
      clock.part = q.part && board && q.read !== false && !q.bulk ? partOf : null;
      try {
        if (q.frame) step = await clock.frame();
        else if (slice > 0) step = await clock.step(slice, { bulk: !!q.bulk });
        if (clock.missed && board && q.read !== false) await clock.frame();
        clock.missed = false;
      } finally {
        clock.part = null;
      }
      left -= slice;
      if (q.read !== false && vainly < IN_VAIN_MS && coming()) await there();
      const seeing = look(q, have, !seen.length);
      const { read } = seeing;
      if (read) have = read.seq;
      L.push(seen, seeing);
      if (left < 0.01 || q.frame || (q.change && read && !read.same) || (q.wall > 0 && T.native.now() >= until)) break;
      if (patience > 0 && L.picturesWaiting() > 0) await backgrounds();
      // What comes from elsewhere (an answer) comes by the machine's time.
      if (T.native.now() - rested > REST_MS) {
        await T.native.tick();
        rested = T.native.now();
      }
    }
    return { step, seen };
  };
  // Where no time passes nothing is awaited: a promise costs the caller a turn more.
  T.advance = (ms, q) => {
    if (ms > 0 || q.frame || q.keys > 0 || T.root.clock.missed) return advance(ms, q);
    told = T.root.keys;
    return { step: null, seen: [look(q, q.have || 0, true)] };
  };
}
