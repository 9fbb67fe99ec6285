// Signs that no font of this machine has a picture for: an emoji, an icon of a font that was not loaded.
// Comes in: texts. Goes out: where they hold such signs, and a colour for each of them.
// Must never know: what the signs mean.
//
// The browser shows all of them as the same box, so a board made of them looks the same whatever happens on it. The text
// tells them apart; in our pictures each gets a colour of its own.
{
  const { N } = L;
  const SIDE = 24;
  /** No font has a picture for this one: it is no character. */
  const NONE = '\u{10FFFF}';
  /** Below this there are letters and digits, which every machine can show. */
  const LETTERS = 0x2000;
  /** Marks that join others or choose a variant, shown as nothing. */
  const joins = (code) => code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f);
  /** code point -> its colour, or null where it has a picture */
  const colours = new Map();
  const MAX_COLOURS = 500;
  let context = null;
  const drawn = (sign) => {
    context ??= N.context(new N.Offscreen(SIDE, SIDE));
    N.c_clearRect(context, 0, 0, SIDE, SIDE);
    context.font = '16px sans-serif';
    context.fillStyle = 'rgb(0,0,0)';
    N.c_fillText(context, sign, 2, 18);
    return new Int32Array(N.c_getImageData(context, 0, 0, SIDE, SIDE).data.buffer);
  };
  let none = null;
  const pictureless = (sign) => {
    none ??= drawn(NONE);
    let ink = false;
    const now = drawn(sign);
    for (let i = 0; i < now.length; i++) {
      if (now[i] !== none[i]) return false;
      if (now[i] !== 0) ink = true;
    }
    return ink;
  };
  const colour = (code, sign) => {
    let known = colours.get(code);
    if (known !== undefined) return known;
    if (colours.size >= MAX_COLOURS) return null;
    known = null;
    if (pictureless(sign)) {
      const n = colours.size;
      known = 'hsl(' + ((n * 137.5) % 360) + ',70%,' + [30, 60, 45][n % 3] + '%)';
    }
    colours.set(code, known);
    return known;
  };
  // What of a text has no picture: `[{ before: the text up to it, text, colour }]`, or null.
  L.pictureless = (text) => {
    let out = null;
    for (let i = 0; i < text.length; ) {
      const code = text.codePointAt(i);
      const size = code > 0xffff ? 2 : 1;
      if (code >= LETTERS && !joins(code)) {
        const sign = text.slice(i, i + size);
        const own = colour(code, sign);
        if (own) L.push((out ??= []), { before: text.slice(0, i), text: sign, colour: own });
      }
      i += size;
    }
    return out;
  };
}
