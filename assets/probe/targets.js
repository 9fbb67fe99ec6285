// What only the moment of a call tells: which elements listen for clicks, which kind of context a canvas has, which
// closed shadow root belongs to which element.
// Comes in: the page's own calls. Goes out: L.clickTargets(), L.isWebgl(canvas), L.shadowOf(element), for all frames.
{
  const { N } = L;
  const CLICKS = /^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)$/;
  const MAX = 5000;
  T.clicked = [];
  T.kinds = new WeakMap();
  const known = new WeakSet();
  const isElement = (target) => {
    try {
      return N.nodeType(target) === 1;
    } catch {
      return false;
    }
  };
  const note = (target, type) => {
    if (!CLICKS.test(type) || T.clicked.length >= MAX || !isElement(target) || known.has(target)) return;
    known.add(target);
    L.push(T.clicked, new WeakRef(target));
  };
  // As replaceMethod of core.js, over a method that it may already have replaced.
  const over = (owner, name, make) => {
    const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (!descriptor || typeof descriptor.value !== 'function' || !descriptor.configurable) return;
    const original = descriptor.value;
    const source = T.disguises.get(original);
    const hook = imitate(make(original), original);
    if (source !== undefined) T.disguises.set(hook, source);
    Object.defineProperty(owner, name, { ...descriptor, value: hook });
  };
  const apply = Reflect.apply;
  over(EventTarget.prototype, 'addEventListener', (original) => ({
    addEventListener(type, listener) {
      if (listener) note(this, String(type));
      return apply(original, this, arguments);
    },
  }).addEventListener);
  over(HTMLCanvasElement.prototype, 'getContext', (original) => ({
    getContext(kind, attributes) {
      const context = apply(original, this, arguments);
      if (context) T.root.kinds.set(this, String(kind));
      return context;
    },
  }).getContext);

  L.isWebgl = (canvas) => /^(webgl|experimental-webgl|webgpu)/.test(T.root.kinds.get(canvas) || '');
  // A test for elements that listen for clicks themselves.
  L.clickTargets = () => {
    const set = new Set();
    const frames = T.frames();
    for (let f = 0; f < frames.length; f++) {
      const list = frames[f].T.clicked || [];
      for (let i = 0; i < list.length; i++) {
        const element = list[i].deref();
        if (element) set.add(element);
      }
    }
    return (element) => set.has(element) || typeof element.onclick === 'function' || typeof element.onmousedown === 'function' || typeof element.onpointerdown === 'function';
  };
  const closed = new WeakMap();
  let any = false;
  // Brings the shadow roots that scripts made up to date; called before each walk.
  L.findShadows = () => {
    const frames = T.frames();
    for (let f = 0; f < frames.length; f++) {
      const list = frames[f].T.shadowRoots;
      if (list) for (const shadow of list) {
        closed.set(shadow.host, shadow);
        any = true;
      }
    }
  };
  L.shadowOf = (element) => N.shadowRoot(element) || (any && closed.get(element)) || null;
}
