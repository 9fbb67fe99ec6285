// webgl.js: WebGL canvases that can be read at any time, and draws left out where nobody will look.
//
// In:  core.js's T, clock.js's `clock` and its frame hooks, CFG.skipGl.
// Out: preserveDrawingBuffer on every WebGL context, in every mode; with CFG.skipGl, no antialiasing, and draws to the
//      screen left out on all but the last frame of a step: without a GPU one of them costs as much as many frames of
//      everything else.
// Must never know: what is drawn.
{
  /** A context must have drawn in so many frames in a row before a draw of its may be left out. */
  const STEADY_FRAMES = 8;
  const FRAMEBUFFER = 0x8d40;
  const DRAW_FRAMEBUFFER = 0x8ca9;
  const DRAWS = ["clear", "drawArrays", "drawElements", "drawRangeElements", "drawArraysInstanced", "drawElementsInstanced"];
  const EXTENSION_DRAWS = ["drawArraysInstancedANGLE", "drawElementsInstancedANGLE", "multiDrawArraysWEBGL",
    "multiDrawElementsWEBGL", "multiDrawArraysInstancedWEBGL", "multiDrawElementsInstancedWEBGL"];

  const states = new WeakMap();
  const contexts = [];
  /** Are we in a frame that nobody will look at? */
  let unseen = false;

  const track = (context, keeps) => {
    // What a page asked to keep between frames it may draw piece by piece: none of it can be left out.
    states.set(context, { steady: keeps ? -Infinity : 0, drew: false, left: false, toTexture: false });
    contexts.push(new WeakRef(context));
    if (contexts.length === 1 && CFG.skipGl && clock.virtual) {
      clock.hooks.frame.push((ms, last) => {
        unseen = !last;
      });
      clock.hooks.frameEnd.push((last) => {
        unseen = false;
        for (const reference of contexts) {
          const state = states.get(reference.deref());
          if (!state) continue;
          state.steady = state.drew ? state.steady + 1 : 0;
          // It left off drawing just where something had been left out: its picture is behind. Never again.
          if (!state.drew && state.left) state.steady = -Infinity;
          if (last || !state.drew) state.left = false;
          state.drew = false;
        }
      });
    }
  };

  // Without a GPU smooth edges cost several times the picture, and nobody looks at them that closely.
  const forced = { preserveDrawingBuffer: true, ...(CFG.skipGl && clock.virtual ? { antialias: false } : {}) };
  const preserving = (original) => ({
    getContext(kind, attributes) {
      if (!/^(webgl2?|experimental-webgl)$/.test(String(kind))) return Reflect.apply(original, this, arguments);
      const context = Reflect.apply(original, this, [kind, { ...attributes, ...forced }]);
      if (context && !states.has(context)) track(context, Boolean(attributes && attributes.preserveDrawingBuffer));
      return context;
    },
  }).getContext;
  replaceMethod(W.HTMLCanvasElement.prototype, "getContext", preserving);
  replaceMethod(W.OffscreenCanvas && W.OffscreenCanvas.prototype, "getContext", preserving);

  // Textures keep what is drawn to them, so such draws always run.
  const leaveOut = (context) => {
    const state = states.get(context);
    if (!state || state.toTexture) return false;
    state.drew = true;
    if (!unseen || state.steady < STEADY_FRAMES) return false;
    state.left = true;
    return true;
  };

  if (CFG.skipGl && clock.virtual)
    for (const type of [W.WebGLRenderingContext, W.WebGL2RenderingContext]) {
      const prototype = type && type.prototype;
      for (const name of DRAWS)
        replaceMethod(prototype, name, (original) => ({
          draw() {
            if (!leaveOut(this)) Reflect.apply(original, this, arguments);
          },
        }).draw);
      replaceMethod(prototype, "bindFramebuffer", (original) => ({
        bindFramebuffer(target, framebuffer) {
          const state = states.get(this);
          if (state && (target === FRAMEBUFFER || target === DRAW_FRAMEBUFFER)) state.toTexture = Boolean(framebuffer);
          return Reflect.apply(original, this, arguments);
        },
      }).bindFramebuffer);
      const owners = new WeakMap();
      const patched = new WeakSet();
      replaceMethod(prototype, "getExtension", (original) => ({
        getExtension() {
          const extension = Reflect.apply(original, this, arguments);
          if (!extension) return extension;
          owners.set(extension, this);
          const methods = Object.getPrototypeOf(extension);
          if (!patched.has(methods)) {
            patched.add(methods);
            for (const name of EXTENSION_DRAWS)
              replaceMethod(methods, name, (draw) => ({
                draw() {
                  if (!leaveOut(owners.get(this))) Reflect.apply(draw, this, arguments);
                },
              }).draw);
          }
          return extension;
        },
      }).getExtension);
    }
}
