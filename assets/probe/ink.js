// ink.js: may a canvas show something else than when it was last looked at?
//
// In:  a window whose own scripts have not run yet.
// Out: `L.ink`: {still(canvas, seen), looked(canvas, seen, same)}; `seen`: what one who looks keeps of that canvas, {} at
//      first.
// Must never know: what is drawn, and where.
//
// Games draw sixty pictures a second, and most of them are the one before. To look at a canvas costs far more than to
// draw on it: only then the browser does what was asked for, and where the next frame paints over it, it never has to.
// So what is asked for is summed up frame by frame. Where a frame that asks for the same as the one before was seen to
// show the same, those that follow do, too.
{
  /** State of a canvas by the canvas, for all frames of the page. */
  T.inks = parentT ? T.root.inks : new WeakMap();
  const inks = T.inks;
  const SEED = 0x2545f491;
  const MAX_STRINGS = 4000;
  const floats = new Float64Array(1);
  const words = new Uint32Array(floats.buffer);
  const { imul } = Math;

  /** What can't be summed up is never the same twice. */
  let unique = 1;
  const ids = new WeakMap();
  const idOf = (object) => {
    let id = ids.get(object);
    if (id === undefined) ids.set(object, (id = unique += 2));
    return id;
  };
  let strings = new Map();
  const stringSum = (text) => {
    let sum = strings.get(text);
    if (sum !== undefined) return sum;
    sum = text.length;
    for (let i = 0; i < text.length; i++) sum = imul(sum ^ text.charCodeAt(i), 0x01000193);
    if (strings.size >= MAX_STRINGS) strings = new Map();
    strings.set(text, sum);
    return sum;
  };
  const mix = (sum, x) => {
    const h = imul(sum ^ x, 0x9e3779b1);
    return h ^ (h >>> 15);
  };

  const gradients = new WeakMap();
  const canvasTypes = [W.HTMLCanvasElement, W.OffscreenCanvas].filter(Boolean);
  const objectSum = (sum, object) => {
    const gradient = gradients.get(object);
    if (gradient !== undefined) return mix(sum, gradient);
    for (const type of canvasTypes)
      if (object instanceof type) {
        const ink = inks.get(object);
        if (!ink) return mix(sum, (unique += 2));
        return mix(mix(mix(sum, idOf(object)), ink.version), ink.sum);
      }
    if (object instanceof W.HTMLImageElement) {
      const loaded = L.N.imageComplete(object) ? L.N.imageWidth(object) : -1;
      return mix(mix(mix(sum, idOf(object)), loaded), stringSum(object.currentSrc));
    }
    if (object instanceof W.ImageBitmap || object instanceof W.Path2D || object instanceof W.CanvasPattern) return mix(sum, idOf(object));
    if (object instanceof W.DOMMatrixReadOnly) {
      for (const v of [object.a, object.b, object.c, object.d, object.e, object.f]) sum = valueSum(sum, v);
      return sum;
    }
    if (Array.isArray(object)) {
      for (let i = 0; i < object.length; i++) sum = valueSum(sum, object[i]);
      return mix(sum, object.length);
    }
    return mix(sum, (unique += 2));
  };
  const valueSum = (sum, value) => {
    if (typeof value === "number") {
      if ((value | 0) === value) return mix(sum, value);
      floats[0] = value;
      return mix(mix(sum, words[0]), words[1]);
    }
    if (typeof value === "string") return mix(sum, stringSum(value));
    if (typeof value === "object" && value !== null) {
      try {
        return objectSum(sum, value);
      } catch {
        return mix(sum, (unique += 2)); // an object of the page's own making
      }
    }
    return mix(sum, value === true ? 3 : value === false ? 5 : 7);
  };

  // --- What was asked of each canvas ------------------------------------------------------------------------------

  const contexts = new WeakMap();
  const canvasGetters = [W.CanvasRenderingContext2D, W.OffscreenCanvasRenderingContext2D]
    .map((type) => type && Object.getOwnPropertyDescriptor(type.prototype, "canvas"))
    .filter(Boolean)
    .map((descriptor) => descriptor.get);
  /** Those on which something was drawn in this frame. */
  T.inked = parentT ? T.root.inked : [];
  const inkOfCanvas = (canvas) => {
    let ink = inks.get(canvas);
    if (!ink) {
      // sum: of this frame so far; before: of the one before; version: counts frames that differ from the one before;
      // alike: that frame asked for the same as the one before it; asked: counts all that was asked for.
      ink = { sum: SEED, calls: 0, before: 0, version: 0, alike: false, asked: 0 };
      inks.set(canvas, ink);
    }
    return ink;
  };
  const inkOf = (context) => {
    let ink = contexts.get(context);
    if (ink) return ink;
    for (const get of canvasGetters) {
      try {
        ink = inkOfCanvas(Reflect.apply(get, context, []));
        contexts.set(context, ink);
        return ink;
      } catch {
        // a context of the other type, or none: the native tells the page
      }
    }
    return null;
  };
  const begin = (ink, tag) => {
    // By the machine's clock no frame of ours ends; there a look does.
    if (ink.calls++ === 0 && clock.virtual) T.inked[T.inked.length] = ink;
    ink.asked++;
    ink.sum = mix(ink.sum, tag);
  };
  const cut = (ink) => {
    if (ink.calls === 0) return;
    ink.alike = ink.sum === ink.before;
    if (!ink.alike) ink.version++;
    ink.before = ink.sum;
    ink.sum = SEED;
    ink.calls = 0;
  };
  if (T.root === T)
    clock.hooks.frameEnd.push(() => {
      for (let i = 0; i < T.inked.length; i++) cut(T.inked[i]);
      T.inked.length = 0;
    });

  let tags = 0;
  /** They draw nothing, and change nothing of what is drawn later. */
  const READS = /^(get|is|measure|create)|^(constructor|drawFocusIfNeeded)$/;
  for (const type of [W.CanvasRenderingContext2D, W.OffscreenCanvasRenderingContext2D]) {
    const prototype = type && type.prototype;
    if (!prototype) continue;
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const tag = (tags += 2);
      if (typeof descriptor.value === "function" && !READS.test(name))
        replaceMethod(prototype, name, (original) => ({
          draws() {
            const ink = inkOf(this);
            if (ink) {
              begin(ink, tag);
              let { sum } = ink;
              for (let i = 0; i < arguments.length; i++) sum = valueSum(sum, arguments[i]);
              ink.sum = sum;
            }
            return Reflect.apply(original, this, arguments);
          },
        }).draws);
      else if (descriptor.set)
        replaceSetter(prototype, name, (original) => ({
          set(value) {
            const ink = inkOf(this);
            if (ink) {
              begin(ink, tag);
              ink.sum = valueSum(ink.sum, value);
            }
            return Reflect.apply(original, this, [value]);
          },
        }).set);
    }
    for (const name of ["createLinearGradient", "createRadialGradient", "createConicGradient"]) {
      const tag = (tags += 2);
      replaceMethod(prototype, name, (original) => ({
        creates() {
          const gradient = Reflect.apply(original, this, arguments);
          let sum = mix(SEED, tag);
          for (let i = 0; i < arguments.length; i++) sum = valueSum(sum, arguments[i]);
          gradients.set(gradient, sum);
          return gradient;
        },
      }).creates);
    }
  }
  replaceMethod(W.CanvasGradient && W.CanvasGradient.prototype, "addColorStop", (original) => ({
    addColorStop(offset, colour) {
      const sum = gradients.get(this);
      if (sum !== undefined) gradients.set(this, valueSum(valueSum(sum, offset), colour));
      return Reflect.apply(original, this, arguments);
    },
  }).addColorStop);
  const path = W.Path2D && W.Path2D.prototype;
  for (const name of path ? Object.getOwnPropertyNames(path) : [])
    if (name !== "constructor")
      replaceMethod(path, name, (original) => ({
        extends() {
          ids.delete(this);
          return Reflect.apply(original, this, arguments);
        },
      }).extends);
  // A canvas that is given a size is empty.
  for (const type of canvasTypes)
    for (const name of ["width", "height"]) {
      const tag = (tags += 2);
      replaceSetter(type.prototype, name, (original) => ({
        set(value) {
          const ink = inks.get(this);
          if (ink) {
            begin(ink, tag);
            ink.sum = valueSum(ink.sum, value);
          }
          return Reflect.apply(original, this, [value]);
        },
      }).set);
    }

  L.ink = {
    /** Does it show what it showed when `looked` was last called with `seen`? False where that isn't known. */
    still(canvas, seen) {
      const ink = inks.get(canvas);
      if (!ink) return false;
      cut(ink);
      // fixed: more of the same changes nothing.
      return ink.asked === seen.asked || (seen.fixed && ink.version === seen.version);
    },
    /** It was looked at; `same`: it shows what it showed at the look before, as far as that look tells. */
    looked(canvas, seen, same) {
      const ink = inks.get(canvas);
      if (!ink) return;
      cut(ink);
      const other = ink.version !== seen.version;
      // What a rough look may have missed is left to be looked for.
      if (same && other) return;
      seen.fixed = same && ink.alike && !other;
      seen.asked = ink.asked;
      seen.version = ink.version;
    },
  };
}
