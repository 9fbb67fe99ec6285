// The object through which the probe's files speak to each other, and the natives they use, taken before the
// page's first script runs. One `T` per frame; the topmost same-origin frame's is the root.
const GUARD = Object.getOwnPropertyDescriptor(window, CFG.token);
if (GUARD) return;
const T = {};
Object.defineProperty(window, CFG.token, { value: T, enumerable: false, writable: false, configurable: false });
{
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => {
    const resolve = waiting.shift();
    if (resolve) resolve();
  };
  const post = channel.port2.postMessage.bind(channel.port2);
  T.native = {
    setTimeout: window.setTimeout.bind(window),
    clearTimeout: window.clearTimeout.bind(window),
    setInterval: window.setInterval.bind(window),
    clearInterval: window.clearInterval.bind(window),
    requestAnimationFrame: window.requestAnimationFrame.bind(window),
    performanceNow: performance.now.bind(performance),
    Date: window.Date,
    getComputedStyle: window.getComputedStyle.bind(window),
    getContext: HTMLCanvasElement.prototype.getContext,
    MutationObserver: window.MutationObserver,
    random: Math.random,
    // Resolves in a task of its own: everything that was queued as a microtask has run by then.
    tick: () => new Promise((resolve) => { waiting.push(resolve); post(0); }),
  };
  // A wrapper that looks as its native does.
  const names = new WeakMap();
  const nativeToString = Function.prototype.toString;
  const toString = { toString() { return names.get(this) || nativeToString.call(this); } }.toString;
  names.set(toString, 'function toString() { [native code] }');
  Function.prototype.toString = toString;
  T.dress = (wrapper, native) => {
    names.set(wrapper, nativeToString.call(native));
    for (const key of ['name', 'length']) {
      const d = Object.getOwnPropertyDescriptor(native, key);
      if (d) Object.defineProperty(wrapper, key, d);
    }
    return wrapper;
  };
  T.wrap = (owner, name, make) => {
    const d = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (!d || typeof d.value !== 'function' || !d.configurable) return;
    Object.defineProperty(owner, name, { ...d, value: T.dress(make(d.value), d.value) });
  };

  let root = T;
  try {
    for (let w = window; w !== w.parent;) {
      w = w.parent;
      const t = w[CFG.token];
      if (t) root = t.root || t;
    }
  } catch {
    // A cross-origin parent: this frame is a root of its own.
  }
  T.root = root;
  T.frames = () => {
    const out = [];
    const visit = (win, element) => {
      let t;
      try { t = win[CFG.token]; } catch { return; }
      if (!t) return;
      out.push({ win, doc: win.document, T: t, element });
      for (const frame of win.document.querySelectorAll('iframe,frame')) {
        if (frame.contentWindow) visit(frame.contentWindow, frame);
      }
    };
    visit(window, null);
    return out;
  };

  // What the page listens for, and which elements react to clicks.
  const KINDS = { keydown: 'keydown', keyup: 'keyup', keypress: 'keypress', click: 'click', mousedown: 'click', mouseup: 'click', pointerdown: 'pointer', pointerup: 'pointer', touchstart: 'touch', touchend: 'touch' };
  T.listeners = { keydown: false, keyup: false, keypress: false, click: false, pointer: false, touch: false };
  T.clickTargets = new WeakSet();
  T.wrap(EventTarget.prototype, 'addEventListener', (native) => function addEventListener(type) {
    const kind = KINDS[type];
    if (kind) {
      T.listeners[kind] = true;
      if (kind !== 'keydown' && kind !== 'keyup' && kind !== 'keypress' && this instanceof Element) T.clickTargets.add(this);
    }
    return native.apply(this, arguments);
  });
  T.allListeners = () => {
    const all = { ...T.listeners };
    for (const f of T.frames()) {
      for (const k of Object.keys(all)) {
        all[k] = all[k] || f.T.listeners[k];
        for (const [type, kind] of Object.entries(KINDS)) {
          if (kind === k && (f.win['on' + type] || f.doc['on' + type] || (f.doc.body && f.doc.body['on' + type]))) all[k] = true;
        }
      }
    }
    return all;
  };
  T.shadowRoots = new Set();
  T.wrap(Element.prototype, 'attachShadow', (native) => function attachShadow() {
    const shadow = native.apply(this, arguments);
    T.shadowRoots.add(shadow);
    return shadow;
  });
  // Buffers that stay after a draw can be read at any time.
  T.wrap(HTMLCanvasElement.prototype, 'getContext', (native) => function getContext(kind, attributes) {
    if (/webgl/.test(String(kind))) return native.call(this, kind, { ...attributes, preserveDrawingBuffer: true });
    return native.apply(this, arguments);
  });
}
