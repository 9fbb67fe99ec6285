// The natives of the lens, taken before the page's first script can change them, and before text.js wraps some.
// Comes in: the untouched window. Goes out: `L`, the object through which the lens's files speak to each other.
// Every native is uncurried: N.rect(element) instead of element.getBoundingClientRect(), so that neither a
// patched prototype nor a form control named "children" comes between.
const L = { N: {} };
{
  const N = L.N;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const describe = Object.getOwnPropertyDescriptor;
  const proto = (name) => (window[name] && window[name].prototype) || null;
  const method = (as, name, type) => {
    const p = proto(type);
    if (p && typeof p[name] === 'function') N[as] = uncurry(p[name]);
  };
  const getter = (as, name, type) => {
    const p = proto(type);
    const d = p && describe(p, name);
    if (d && d.get) N[as] = uncurry(d.get);
  };
  for (const name of ['firstChild', 'nextSibling', 'nodeType', 'nodeValue', 'parentNode', 'isConnected', 'ownerDocument']) getter(name, name, 'Node');
  for (const name of ['contains', 'getRootNode', 'compareDocumentPosition']) method(name, name, 'Node');
  for (const name of ['localName', 'namespaceURI', 'attributes', 'shadowRoot', 'assignedSlot', 'scrollTop', 'scrollLeft', 'scrollWidth', 'scrollHeight', 'clientLeft', 'clientTop', 'clientWidth', 'clientHeight', 'childElementCount', 'id']) getter(name, name, 'Element');
  for (const name of ['getAttribute', 'hasAttribute', 'getAttributeNames', 'matches', 'closest', 'scrollIntoView']) method(name, name, 'Element');
  method('rect', 'getBoundingClientRect', 'Element');
  method('queryAll', 'querySelectorAll', 'Document');
  method('byId', 'getElementById', 'Document');
  method('byIdIn', 'getElementById', 'DocumentFragment');
  getter('offsetWidth', 'offsetWidth', 'HTMLElement');
  getter('offsetHeight', 'offsetHeight', 'HTMLElement');
  getter('documentElement', 'documentElement', 'Document');
  getter('body', 'body', 'Document');
  getter('active', 'activeElement', 'Document');
  getter('activeIn', 'activeElement', 'ShadowRoot');
  const focusable = typeof Element.prototype.focus === 'function' ? 'Element' : 'HTMLElement';
  method('giveFocus', 'focus', focusable);
  method('blur', 'blur', focusable);
  getter('styleSheets', 'styleSheets', 'Document');
  getter('adopted', 'adoptedStyleSheets', 'Document');
  getter('adoptedIn', 'adoptedStyleSheets', 'ShadowRoot');
  getter('sheetsIn', 'styleSheets', 'ShadowRoot');
  getter('cssRules', 'cssRules', 'CSSStyleSheet');
  getter('frameDocument', 'contentDocument', 'HTMLIFrameElement');
  getter('frameWindow', 'contentWindow', 'HTMLIFrameElement');
  getter('canvasWidth', 'width', 'HTMLCanvasElement');
  getter('canvasHeight', 'height', 'HTMLCanvasElement');
  getter('images', 'images', 'Document');
  getter('imageComplete', 'complete', 'HTMLImageElement');
  getter('imageWidth', 'naturalWidth', 'HTMLImageElement');
  getter('imageHeight', 'naturalHeight', 'HTMLImageElement');
  getter('imageSource', 'currentSrc', 'HTMLImageElement');
  getter('inputType', 'type', 'HTMLInputElement');
  getter('inputValue', 'value', 'HTMLInputElement');
  getter('inputChecked', 'checked', 'HTMLInputElement');
  getter('areaValue', 'value', 'HTMLTextAreaElement');
  method('assignedNodes', 'assignedNodes', 'HTMLSlotElement');
  getter('effectTarget', 'target', 'KeyframeEffect');
  getter('animationTime', 'currentTime', 'Animation');
  getter('animationEffect', 'effect', 'Animation');
  method('createRange', 'createRange', 'Document');
  method('createElement', 'createElement', 'Document');
  method('pointDoc', 'elementFromPoint', 'Document');
  method('pointRoot', 'elementFromPoint', 'ShadowRoot');
  for (const name of ['selectNodeContents', 'setStart', 'setEnd']) method(name, name, 'Range');
  method('rangeRects', 'getClientRects', 'Range');
  method('getBBox', 'getBBox', 'SVGGraphicsElement');
  method('screenCTM', 'getScreenCTM', 'SVGGraphicsElement');
  method('prop', 'getPropertyValue', 'CSSStyleDeclaration');
  method('observe', 'observe', 'MutationObserver');
  method('takeRecords', 'takeRecords', 'MutationObserver');
  method('addEvent', 'addEventListener', 'EventTarget');
  method('toBase64', 'toBase64', 'Uint8Array');
  const context = proto('OffscreenCanvasRenderingContext2D');
  for (const name of ['save', 'restore', 'beginPath', 'closePath', 'moveTo', 'lineTo', 'rect', 'roundRect', 'arc', 'ellipse', 'clip', 'fill', 'stroke', 'fillRect', 'clearRect', 'strokeRect', 'drawImage', 'getImageData', 'putImageData', 'setTransform', 'getTransform', 'transform', 'createLinearGradient', 'createRadialGradient', 'createConicGradient', 'createPattern', 'fillText', 'strokeText', 'measureText', 'setLineDash']) {
    if (context && context[name]) N['c_' + name] = uncurry(context[name]);
  }
  method('addColorStop', 'addColorStop', 'CanvasGradient');
  const getComputedStyle = window.getComputedStyle;
  const styleOf = uncurry(getComputedStyle);
  N.style = (element, pseudo) => (pseudo ? styleOf(window, element, pseudo) : styleOf(window, element));
  N.Observer = window.MutationObserver;
  N.Offscreen = window.OffscreenCanvas;
  N.Path2D = window.Path2D;
  N.Image = window.Image;
  N.Matrix = window.DOMMatrix;
  N.btoa = window.btoa.bind(window);
  N.charCode = String.fromCharCode;
  N.now = performance.now.bind(performance);
  const offscreenContext = uncurry(OffscreenCanvas.prototype.getContext);
  N.context = (canvas) => offscreenContext(canvas, '2d', { willReadFrequently: true });
  const setSource = uncurry(describe(HTMLImageElement.prototype, 'src').set);
  N.load = (url) => {
    const image = new N.Image();
    setSource(image, url);
    return image;
  };
  const fetched = window.fetch ? window.fetch.bind(window) : null;
  const parse = window.DOMParser ? uncurry(DOMParser.prototype.parseFromString) : null;
  const then = uncurry(Promise.prototype.then);
  const body = window.Response ? uncurry(Response.prototype.text) : null;
  const parser = window.DOMParser ? new DOMParser() : null;
  // A drawing in a file of its own, as a document that is not shown; null where there is none.
  N.drawing = (url, done) => then(then(then(fetched(url), body), (text) => parse(parser, text, 'image/svg+xml')), done, () => done(null));
  L.push = (list, item) => {
    list[list.length] = item;
  };
}
