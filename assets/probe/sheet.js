// sheet.js: what a WebGL board is drawn to instead of its canvas when fewer pixels do, and the pixels of a part of either.
//
// In:  a context, what it is known by (webgl.js's state: fine, sheet, two, target, part).
// Out: `sheets`: {native, scaled, coarsely, stand}. What the page has bound and set is as it was after each of them.
// Must never know: which frames are drawn, and why.

const sheets = (() => {
  const FRAMEBUFFER = 0x8d40;
  const RGBA = 0x1908;
  const UNSIGNED_BYTE = 0x1401;
  const READ_FRAMEBUFFER = 0x8ca8;
  const PIXEL_PACK_BUFFER = 0x88eb;
  const PIXEL_PACK_BUFFER_BINDING = 0x88ed;
  const READ_FRAMEBUFFER_BINDING = 0x8caa;
  const FRAMEBUFFER_BINDING = 0x8ca6;
  const FRAMEBUFFER_COMPLETE = 0x8cd5;
  const COLOR_ATTACHMENT0 = 0x8ce0;
  const DEPTH_STENCIL_ATTACHMENT = 0x821a;
  const DEPTH_STENCIL = 0x84f9;
  const DEPTH24_STENCIL8 = 0x88f0;
  const RENDERBUFFER = 0x8d41;
  const RENDERBUFFER_BINDING = 0x8ca7;
  const TEXTURE_2D = 0x0de1;
  const TEXTURE_BINDING_2D = 0x8069;
  /** PACK_ALIGNMENT, PACK_ROW_LENGTH, PACK_SKIP_ROWS, PACK_SKIP_PIXELS, with what they are at first; the last three are WebGL 2's. */
  const PACKING = [[0x0d05, 4], [0x0d02, 0], [0x0d03, 0], [0x0d04, 0]];

  const natives = new Map();
  for (const type of [W.WebGLRenderingContext, W.WebGL2RenderingContext]) {
    const prototype = type && type.prototype;
    if (!prototype) continue;
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => typeof Object.getOwnPropertyDescriptor(prototype, name).value === "function");
    natives.set(prototype, Object.fromEntries(methods.map((name) => [name, prototype[name]])));
  }
  /** A method as it was before anybody replaced it. */
  const native = (name) => (context, ...args) => Reflect.apply(natives.get(Object.getPrototypeOf(context))[name], context, args);
  const parameter = native("getParameter");
  const bindFramebuffer = native("bindFramebuffer");
  const bindRenderbuffer = native("bindRenderbuffer");
  const bindTexture = native("bindTexture");
  const bindBuffer = native("bindBuffer");
  const texImage2D = native("texImage2D");
  const renderbufferStorage = native("renderbufferStorage");
  const framebufferTexture2D = native("framebufferTexture2D");
  const framebufferRenderbuffer = native("framebufferRenderbuffer");
  const checkFramebufferStatus = native("checkFramebufferStatus");
  const pixelStorei = native("pixelStorei");
  const readPixels = native("readPixels");

  const scaled = ([x, y, w, h], by) => {
    const [left, low] = [Math.round(x * by), Math.round(y * by)];
    return [left, low, Math.round((x + w) * by) - left, Math.round((y + h) * by) - low];
  };
  /** Makes what is drawn to instead of the canvas, of the size it needs. False: it cannot be had. */
  const coarsely = (context, state) => {
    const [width, height] = [Math.ceil(context.drawingBufferWidth * state.fine), Math.ceil(context.drawingBufferHeight * state.fine)];
    if (state.sheet && state.sheet.width === width && state.sheet.height === height) return true;
    const sheet = state.sheet || { framebuffer: context.createFramebuffer(), texture: context.createTexture(), depth: context.createRenderbuffer() };
    if (!sheet.framebuffer || !sheet.texture || !sheet.depth) return false;
    state.sheet = { ...sheet, width, height };
    const bound = [FRAMEBUFFER_BINDING, TEXTURE_BINDING_2D, RENDERBUFFER_BINDING].map((name) => parameter(context, name));
    bindTexture(context, TEXTURE_2D, sheet.texture);
    texImage2D(context, TEXTURE_2D, 0, RGBA, width, height, 0, RGBA, UNSIGNED_BYTE, null);
    bindRenderbuffer(context, RENDERBUFFER, sheet.depth);
    renderbufferStorage(context, RENDERBUFFER, state.two ? DEPTH24_STENCIL8 : DEPTH_STENCIL, width, height);
    bindFramebuffer(context, state.target, sheet.framebuffer);
    framebufferTexture2D(context, state.target, COLOR_ATTACHMENT0, TEXTURE_2D, sheet.texture, 0);
    framebufferRenderbuffer(context, state.target, DEPTH_STENCIL_ATTACHMENT, RENDERBUFFER, sheet.depth);
    const made = checkFramebufferStatus(context, state.target) === FRAMEBUFFER_COMPLETE;
    bindFramebuffer(context, state.target, bound[0]);
    bindTexture(context, TEXTURE_2D, bound[1]);
    bindRenderbuffer(context, RENDERBUFFER, bound[2]);
    return made;
  };
  /** The pixels of the part that was drawn, for as long as nothing else is: {part, width, height, pixels()}. */
  const stand = (context, state) => {
    const { part, fine, two } = state;
    const source = fine === 1 ? null : state.sheet.framebuffer;
    const [x, y, width, height] = scaled(part, fine);
    let pixels = null;
    return {
      part, width, height,
      // Rows from the bottom up, RGBA, not multiplied by alpha; null where they can't be had.
      pixels() {
        if (pixels) return pixels;
        const kind = context.getContextAttributes();
        if (!kind) return null;
        const target = two ? READ_FRAMEBUFFER : FRAMEBUFFER;
        const bound = parameter(context, two ? READ_FRAMEBUFFER_BINDING : FRAMEBUFFER_BINDING);
        const buffer = two && parameter(context, PIXEL_PACK_BUFFER_BINDING);
        const packing = PACKING.slice(0, two ? 4 : 1).map(([name]) => parameter(context, name));
        const packed = (i, value) => packing[i] === PACKING[i][1] || pixelStorei(context, PACKING[i][0], value);
        if (bound !== source) bindFramebuffer(context, target, source);
        if (buffer) bindBuffer(context, PIXEL_PACK_BUFFER, null);
        packing.forEach((_, i) => packed(i, PACKING[i][1]));
        const bytes = new Uint8Array(width * height * 4);
        readPixels(context, x, y, width, height, RGBA, UNSIGNED_BYTE, bytes);
        packing.forEach((value, i) => packed(i, value));
        if (buffer) bindBuffer(context, PIXEL_PACK_BUFFER, buffer);
        if (bound !== source) bindFramebuffer(context, target, bound);
        for (let i = 3; i < bytes.length; i += 4) {
          if (!kind.alpha) bytes[i] = 255;
          const alpha = bytes[i];
          if (kind.premultipliedAlpha && alpha > 0 && alpha < 255)
            for (let j = i - 3; j < i; j++) bytes[j] = Math.min(255, Math.round((bytes[j] * 255) / alpha));
        }
        return (pixels = bytes);
      },
    };
  };
  return { native, scaled, coarsely, stand };
})();
