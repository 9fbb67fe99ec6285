// text.js: what is written on canvases, as exact strings and places.
//
// In:  core.js's T and natives; the page's calls of 2D contexts.
// Out: `T.canvasTexts()`.
// Must never know: what the words mean, where the canvas is on the page.
{
  /** Texts remembered a canvas; the oldest go first. */
  const MAX_TEXTS = 400;
  const textsOf = new WeakMap();
  const lettered = [];
  T.canvasTexts = () => [];
}
