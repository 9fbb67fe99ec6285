// webgl.js: WebGL canvases that can be read at any time, and draws left out where nobody will look.
//
// In:  core.js's T, clock.js's `clock`, CFG.skipGl.
// Out: preserveDrawingBuffer on every WebGL context, in every mode; with CFG.skipGl, draws to the screen left out on all
//      but the last frame of a step.
// Must never know: what is drawn.
{
  const asksToKeep = new WeakSet();
  const preserving = (original) => ({
    getContext(kind, attributes) {
      if (!/^(webgl2?|experimental-webgl)$/.test(String(kind))) return Reflect.apply(original, this, arguments);
      const context = Reflect.apply(original, this, [kind, { ...attributes, preserveDrawingBuffer: true }]);
      if (context && attributes && attributes.preserveDrawingBuffer) asksToKeep.add(context);
      return context;
    },
  }).getContext;
  replaceMethod(W.HTMLCanvasElement.prototype, "getContext", preserving);
  replaceMethod(W.OffscreenCanvas && W.OffscreenCanvas.prototype, "getContext", preserving);
}
