// beneath.js: what lies beneath what is written over a board.
//
// In:  text.js's calls before something is written and after something was painted; painter's calls that say which part
//      of which canvas shows the board.
// Out: `T.beneath.bare(canvas, area, texts)`: a copy of the canvas without what was written over that part, or null where
//      nothing was. Points that rise from a cleared row, names of a clear, "PAUSED": none of it is a block.
// Must never know: what the words mean, what a block looks like.
//
// Blocks may be letters themselves. So a board over which something is nearly always written is left as it is. And
// what is painted where something is written would be lost with it: then it stays, too.
{
  /** Looks at a board before anything is taken away. */
  const FIRST = 30;
  /** Texts whose ground is kept. */
  const MOST = 12;
  /** Pixels of a canvas that is copied, at most. */
  const LARGEST = 16e6;
  const natives = T.native.offscreen2d;
  /** The board looked at: {canvas, area, looks, written, kept: [{picture, context}], whole} */
  let board = null;

  /** Is something written over the board nearly always? Nobody knows at first. */
  const lettered = () => board.looks < FIRST || board.written * 10 > board.looks * 9;
  const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  const alike = (a, b) => ["x", "y", "w", "h"].every((side) => Math.abs(a[side] - b[side]) <= 0.1 * Math.max(b.w, b.h));
  const blank = () => {
    const picture = new T.native.OffscreenCanvas(1, 1);
    return { picture, context: Reflect.apply(T.native.getOffscreenContext, picture, ["2d"]) };
  };
  const fit = ({ picture, context }, w, h) => {
    if (picture.width < w) picture.width = w;
    if (picture.height < h) picture.height = h;
    Reflect.apply(natives.clearRect, context, [0, 0, picture.width, picture.height]);
  };

  const lay = (context, { picture, w, h }, x, y) => {
    Reflect.apply(natives.clearRect, context, [x, y, w, h]);
    Reflect.apply(natives.drawImage, context, [picture, 0, 0, w, h, x, y, w, h]);
  };

  T.beneath = {
    /** Before something is written at `place`: what is there, or null where nobody will ask. Of the texts there are, those
     *  that are `replaced` go: what lies beneath them lies beneath the new one. */
    copy(canvas, place, texts, replaced) {
      if (!board || board.canvas !== canvas || lettered() || !meet(place, board.area) || canvas.width * canvas.height > LARGEST) return null;
      const lower = texts.filter(replaced).map((text) => text.beneath).filter((part) => part);
      const all = [place, ...lower];
      const x = Math.max(0, Math.floor(Math.min(...all.map((part) => part.x))));
      const y = Math.max(0, Math.floor(Math.min(...all.map((part) => part.y))));
      const w = Math.min(canvas.width, Math.ceil(Math.max(...all.map((part) => part.x + part.w)))) - x;
      const h = Math.min(canvas.height, Math.ceil(Math.max(...all.map((part) => part.y + part.h)))) - y;
      if (!(w > 0 && h > 0)) return null;
      const used = new Set(texts.map((text) => text.beneath && text.beneath.picture));
      let kept = board.kept.find(({ picture }) => !used.has(picture));
      if (!kept) {
        if (board.kept.length >= MOST) return null;
        board.kept.push((kept = blank()));
      }
      fit(kept, w, h);
      Reflect.apply(natives.drawImage, kept.context, [canvas, x, y, w, h, 0, 0, w, h]);
      for (const part of lower) lay(kept.context, part, part.x - x, part.y - y);
      return { picture: kept.picture, x, y, w, h };
    },
    /** Something was painted at `area`, or nobody knows where: what lies beneath the texts there has changed. */
    painted(texts, area) {
      for (const text of texts)
        if (text.beneath && (!area || meet(text.beneath, area))) text.beneath = null;
    },
    bare(canvas, area, texts) {
      if (!board || board.canvas !== canvas || !alike(board.area, area)) board = { canvas, area, looks: 0, written: 0, kept: [], whole: null };
      board.area = area;
      board.looks++;
      const over = texts.filter((text) => meet(text, area));
      board.written += over.length > 0;
      // What was written last is taken away first.
      const parts = over.map((text) => text.beneath).filter((part) => part).reverse();
      if (lettered() || parts.length === 0) return null;
      const whole = (board.whole ??= blank());
      const { width, height } = canvas;
      fit(whole, width, height);
      Reflect.apply(natives.drawImage, whole.context, [canvas, 0, 0]);
      for (const part of parts) lay(whole.context, part, part.x, part.y);
      return whole.picture;
    },
  };
}
