// webgl.js: WebGL canvases that can be read at any time, and draws left out where nobody will look.
//
// In:  core.js's T, clock.js's `clock`, its frame hooks and its `part`, tally.js's makeTally, sheet.js's `sheets`, CFG.skipGl,
//      CFG.refuseGl.
// Out: preserveDrawingBuffer on every WebGL context, in every mode; with CFG.skipGl, no antialiasing, and draws to the
//      screen left out on all but the last frame of a step, there outside of the part that is wanted, and there, too,
//      where they would draw what is shown already: without a GPU one of them costs as much as many frames of everything
//      else. A part that may be coarse is drawn with fewer pixels, not to the canvas: `clock.stands` has it, as it has
//      any part. `clock.behind`: something shows an older picture; `clock.missed`: so it does after the last step, because
//      its last frame was thought to be like the one before. With CFG.refuseGl there are no WebGL contexts at all.
// Must never know: what is drawn.
{
  /** A context must have drawn in so many frames in a row before a draw of its may be left out. */
  const STEADY_FRAMES = 8;
  const FRAMEBUFFER = 0x8d40;
  const DRAW_FRAMEBUFFER = 0x8ca9;
  const SCISSOR_TEST = 0x0c11;
  const SCISSOR_BOX = 0x0c10;
  const VIEWPORT = 0x0ba2;
  const FRAMEBUFFER_BINDING = 0x8ca6;
  /** Points and lines are as wide as they are, however coarse the rest. */
  const TRIANGLES = 4;
  const COLOR_BUFFER_BIT = 0x4000;
  const MAX_TEXTURE_IMAGE_UNITS = 0x8872;
  /** Shaders of batching renderers choose among as many textures as there are, pixel by pixel; each WebGL has 8. */
  const TEXTURE_UNITS = 8;
  /** A frame is drawn at least once in so many looks, however like the others its calls are. */
  const LOOKS = 16;
  const DRAWS = ["clear", "drawArrays", "drawElements", "drawRangeElements", "drawArraysInstanced", "drawElementsInstanced"];
  const EXTENSION_DRAWS = ["drawArraysInstancedANGLE", "drawElementsInstancedANGLE", "multiDrawArraysWEBGL",
    "multiDrawElementsWEBGL", "multiDrawArraysInstancedWEBGL", "multiDrawElementsInstancedWEBGL"];

  const { native, scaled, coarsely, stand } = sheets;
  const getAttachedShaders = native("getAttachedShaders");
  const [enable, disable, scissor, viewport, bindFramebuffer] = ["enable", "disable", "scissor", "viewport", "bindFramebuffer"].map(native);

  const dispatchEvent = Function.prototype.call.bind(W.EventTarget.prototype.dispatchEvent);

  const states = new WeakMap();
  const contexts = [];
  /** Are we in a frame that nobody will look at? */
  let unseen = false;
  /** Are we in a frame? */
  let framed = false;
  /** Did one that nobody looked at lead to this one, in the same step? */
  let led = false;

  const track = (context, keeps) => {
    // What a page asked to keep between frames it may draw piece by piece: none of it can be left out.
    const two = context instanceof (W.WebGL2RenderingContext || Function);
    const state = {
      steady: keeps ? -Infinity : 0, drew: false, left: false, toTexture: false, part: null, cuts: false, cut: [...context.getParameter(SCISSOR_BOX)],
      view: [...context.getParameter(VIEWPORT)],
      // Pixels drawn for each of the canvas's, along one side, in this frame, and whether they may be fewer than one.
      fine: 1, coarse: true, program: null, sheet: null, two, target: two ? DRAW_FRAMEBUFFER : FRAMEBUFFER,
      // What the calls of the frame came to whose draws are shown, with the part that was drawn; NaN once another came.
      tally: makeTally(), shown: NaN, shownPart: "", cleared: false, looks: 0,
      // Are the draws of this frame left out, because the ones before had the calls of the one that is shown?
      guess: false,
    };
    states.set(context, state);
    contexts.push(new WeakRef(context));
    if (contexts.length === 1 && CFG.skipGl && clock.virtual) {
      clock.hooks.frame.push((ms, last) => {
        unseen = !last;
        framed = true;
        if (!last) {
          led = true;
          return;
        }
        const part = clock.part;
        if (!part) clock.behind = false;
        for (const reference of contexts) {
          const context = reference.deref();
          if (!context) continue;
          const state = states.get(context);
          state.part = part && part(context.canvas);
          const steady = state.steady >= STEADY_FRAMES;
          refine(context, state, steady && state.part && state.coarse ? state.part[4] || 1 : 1);
          state.guess = led && steady && !Number.isNaN(state.shown) && state.shownPart === String(state.part) && state.looks < LOOKS;
        }
      });
      clock.hooks.frameEnd.push((last) => {
        unseen = framed = false;
        if (last) led = false;
        for (const reference of contexts) {
          const context = reference.deref();
          const state = states.get(context);
          if (!state) continue;
          const calls = state.tally.take();
          if (last && !state.guess) {
            if (state.drew && state.part && state.steady >= STEADY_FRAMES) clock.stands.set(context.canvas, stand(context, state));
            // Without a clear the same calls draw upon what they drew before.
            state.shown = state.drew && state.cleared ? calls : NaN;
            state.shownPart = String(state.part);
            state.looks = 0;
          } else if (calls !== state.shown) {
            state.shown = NaN;
            if (state.guess) state.left = clock.behind = clock.missed = true;
          } else if (last) {
            state.looks++;
            clock.counts.alike++;
          }
          refine(context, state, 1);
          state.guess = state.cleared = false;
          state.steady = state.drew ? state.steady + 1 : 0;
          // It left off drawing just where something had been left out: its picture is behind. Never again.
          if (!state.drew && state.left) state.steady = -Infinity;
          if ((last && !state.part) || !state.drew) state.left = false;
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
      if (CFG.refuseGl) {
        // As where a browser cannot make one; a page may wait for the event.
        if (this instanceof W.HTMLCanvasElement && W.WebGLContextEvent)
          dispatchEvent(this, new W.WebGLContextEvent("webglcontextcreationerror", { statusMessage: "WebGL is not available" }));
        return null;
      }
      const context = Reflect.apply(original, this, [kind, { ...attributes, ...forced }]);
      if (context && !states.has(context)) track(context, Boolean(attributes && attributes.preserveDrawingBuffer));
      return context;
    },
  }).getContext;
  replaceMethod(W.HTMLCanvasElement.prototype, "getContext", preserving);
  replaceMethod(W.OffscreenCanvas && W.OffscreenCanvas.prototype, "getContext", preserving);

  /** From here on so many pixels are drawn for each of the canvas's, along one side; fewer than one, elsewhere. */
  const refine = (context, state, fine) => {
    if (state.fine === fine) return;
    state.fine = fine;
    if (fine !== 1 && !coarsely(context, state)) {
      state.coarse = false;
      state.fine = 1;
    }
    place(context, state);
  };
  /** Where the context draws, as the page has it or coarser. */
  const place = (context, state) => {
    const by = state.toTexture ? 1 : state.fine;
    if (!state.toTexture) bindFramebuffer(context, state.target, by === 1 ? null : state.sheet.framebuffer);
    viewport(context, ...scaled(state.view, by));
    scissor(context, ...scaled(state.cut, by));
  };
  /** Shaders and programs that ask for the pixel they are at: drawn coarsely, they would draw something else. */
  const exact = new WeakSet();
  const EXACT = /\bgl_(FragCoord|PointSize|PointCoord)\b/;

  // Textures keep what is drawn to them, so such draws always run.
  const leaveOut = (context) => {
    const state = states.get(context);
    if (!state || state.toTexture) return false;
    state.drew = true;
    if (!framed) state.shown = NaN;
    if (state.guess) return true;
    if (!unseen || state.steady < STEADY_FRAMES) return false;
    state.left = true;
    return true;
  };

  /** Draws, as far as anybody will look. */
  const drawn = (context, self, original, args) => {
    const state = states.get(context);
    if (state && !state.toTexture && state.coarse && args.length > 1 && (args[0] < TRIANGLES || exact.has(state.program))) {
      state.coarse = false;
      state.shown = NaN;
      if (state.fine !== 1 && !state.guess) clock.missed = true;
      refine(context, state, 1);
    }
    if (leaveOut(context)) return;
    const part = state && !unseen && !state.toTexture && state.steady >= STEADY_FRAMES ? state.part : null;
    if (!part) {
      if (state && !state.toTexture) clock.stands.delete(context.canvas);
      Reflect.apply(original, self, args);
      return;
    }
    clock.behind = state.left = true;
    const [x, y, w, h] = state.cuts ? overlap(part, state.cut) : part;
    if (w <= 0 || h <= 0) return;
    if (!state.cuts) enable(context, SCISSOR_TEST);
    scissor(context, ...scaled([x, y, w, h], state.fine));
    Reflect.apply(original, self, args);
    if (!state.cuts) disable(context, SCISSOR_TEST);
    scissor(context, ...scaled(state.cut, state.fine));
  };
  const overlap = ([ax, ay, aw, ah], [bx, by, bw, bh]) => {
    const [x, y] = [Math.max(ax, bx), Math.max(ay, by)];
    return [x, y, Math.min(ax + aw, bx + bw) - x, Math.min(ay + ah, by + bh) - y];
  };
  let names = 0;
  /** Takes every call of these methods into the tally of its context. */
  const tallied = (methods, contextOf) => {
    for (const name of Object.getOwnPropertyNames(methods)) {
      if (name === "constructor") continue;
      const number = ++names;
      // A picture that is handed over may be another one each time.
      const picture = /^tex.*Image/.test(name);
      replaceMethod(methods, name, (original) => ({
        call() {
          const state = states.get(contextOf(this));
          if (state) {
            state.tally.add(number, arguments);
            if (picture) for (const value of arguments) if (typeof value === "object" && value && !ArrayBuffer.isView(value)) state.tally.spoil();
          }
          return Reflect.apply(original, this, arguments);
        },
      }).call);
    }
  };

  if (CFG.skipGl && clock.virtual)
    for (const type of [W.WebGLRenderingContext, W.WebGL2RenderingContext]) {
      const prototype = type && type.prototype;
      for (const name of DRAWS)
        replaceMethod(prototype, name, (original) => ({
          draw(bits) {
            const state = states.get(this);
            if (state && name === "clear" && !state.toTexture && bits & COLOR_BUFFER_BIT) state.cleared = true;
            drawn(this, this, original, arguments);
          },
        }).draw);
      const cuts = (on) => (original) => ({
        set(what) {
          const state = states.get(this);
          if (state && what === SCISSOR_TEST) state.cuts = on;
          return Reflect.apply(original, this, arguments);
        },
      }).set;
      replaceMethod(prototype, "enable", cuts(true));
      replaceMethod(prototype, "disable", cuts(false));
      replaceMethod(prototype, "scissor", (original) => ({
        scissor(x, y, w, h) {
          const state = states.get(this);
          if (state) state.cut = [x, y, w, h].map(Number);
          if (!state || state.fine === 1 || state.toTexture) Reflect.apply(original, this, arguments);
          else scissor(this, ...scaled(state.cut, state.fine));
        },
      }).scissor);
      replaceMethod(prototype, "viewport", (original) => ({
        viewport(x, y, w, h) {
          const state = states.get(this);
          if (state) state.view = [x, y, w, h].map(Number);
          if (!state || state.fine === 1 || state.toTexture) Reflect.apply(original, this, arguments);
          else viewport(this, ...scaled(state.view, state.fine));
        },
      }).viewport);
      replaceMethod(prototype, "shaderSource", (original) => ({
        shaderSource(shader, source) {
          if (EXACT.test(String(source))) exact.add(shader);
          return Reflect.apply(original, this, arguments);
        },
      }).shaderSource);
      replaceMethod(prototype, "linkProgram", (original) => ({
        linkProgram(program) {
          const shaders = getAttachedShaders(this, program) || [];
          if (shaders.some((shader) => exact.has(shader))) exact.add(program);
          return Reflect.apply(original, this, arguments);
        },
      }).linkProgram);
      replaceMethod(prototype, "useProgram", (original) => ({
        useProgram(program) {
          const state = states.get(this);
          if (state) state.program = program;
          return Reflect.apply(original, this, arguments);
        },
      }).useProgram);
      // Who reads back what is drawn sees more than the part that we look at.
      for (const name of ["readPixels", "copyTexImage2D", "copyTexSubImage2D", "blitFramebuffer"])
        replaceMethod(prototype, name, (original) => ({
          reads() {
            const state = states.get(this);
            if (state && !state.toTexture) {
              state.steady = -Infinity;
              refine(this, state, 1);
            }
            return Reflect.apply(original, this, arguments);
          },
        }).reads);
      replaceMethod(prototype, "bindFramebuffer", (original) => ({
        bindFramebuffer(target, framebuffer) {
          const state = states.get(this);
          Reflect.apply(original, this, arguments);
          if (!state || (target !== FRAMEBUFFER && target !== DRAW_FRAMEBUFFER)) return;
          state.toTexture = Boolean(framebuffer);
          if (state.fine !== 1) place(this, state);
        },
      }).bindFramebuffer);
      replaceMethod(prototype, "getParameter", (original) => ({
        getParameter(name) {
          const value = Reflect.apply(original, this, arguments);
          const state = states.get(this);
          if (state && state.fine !== 1) {
            if (name === VIEWPORT || name === SCISSOR_BOX) value.set(name === VIEWPORT ? state.view : state.cut);
            if (name === FRAMEBUFFER_BINDING && !state.toTexture) return null;
          }
          return name === MAX_TEXTURE_IMAGE_UNITS && value > TEXTURE_UNITS ? TEXTURE_UNITS : value;
        },
      }).getParameter);
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
                  drawn(owners.get(this), this, draw, arguments);
                },
              }).draw);
            tallied(methods, (extension) => owners.get(extension));
          }
          return extension;
        },
      }).getExtension);
      tallied(prototype, (context) => context);
    }
}
