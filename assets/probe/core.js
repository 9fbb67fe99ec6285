// core.js: what every other probe script stands on.
//
// In:  CFG, a window whose own scripts have not run yet.
// Out: `T`, hung on the window under a random name: untouched natives, the family of same-origin frames,
//      what the page listens for, every shadow root; and, for the other scripts of this closure,
//      `imitate`, `replaceMethod`, `replaceGetter`, `replaceSetter`, `replaceClass`.
// Must never know: what the page shows, or what any of this is used for.
//
// All probe scripts share one function scope; a `return` here ends all of them.

// Pages have classes of their own by these names, a Map for instance.
const {
  Array, Boolean, Error, ImageData, Int32Array, Intl, Map, Math, Number, Object, Promise, Proxy, RangeError, Reflect, RegExp,
  Set, String, Symbol, TypeError, Uint8Array, Uint8ClampedArray, URL, WeakMap, WeakRef, WeakSet, isFinite, parseFloat, parseInt,
} = window;

// A frame can be handed the script twice (an initial about:blank keeps its window when it is navigated).
if (Object.prototype.hasOwnProperty.call(window, CFG.token)) return;

const W = window;
const T = Object.create(null);
Object.defineProperty(W, CFG.token, { value: T, enumerable: false, writable: false, configurable: false });

const parentT = (() => {
  try {
    return W.parent === W ? undefined : W.parent[CFG.token];
  } catch {
    return undefined; // a parent of another origin: this frame is the root of its own family
  }
})();
/** The T of the topmost same-origin frame. */
T.root = parentT ? parentT.root : T;

// --- Natives -------------------------------------------------------------------------------------------------

const methodsOf = (constructor) => {
  const methods = Object.create(null);
  if (!constructor) return methods;
  for (const name of Object.getOwnPropertyNames(constructor.prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(constructor.prototype, name);
    if (typeof descriptor.value === "function") methods[name] = descriptor.value;
  }
  return methods;
};

// Promises settle in microtasks, however deep a chain; a message arrives only after all of them, and is not
// clamped to 4 ms as nested timeouts are.
const channel = new W.MessageChannel();
// A ring by index, not push and shift: the page may replace those.
const awaiting = Object.create(null);
let firstAwaiting = 0;
let nextAwaiting = 0;
channel.port1.onmessage = () => {
  const resolve = awaiting[firstAwaiting];
  delete awaiting[firstAwaiting];
  firstAwaiting += 1;
  resolve();
};
const send = channel.port2.postMessage.bind(channel.port2);
const tick = () =>
  new Promise((resolve) => {
    awaiting[nextAwaiting] = resolve;
    nextAwaiting += 1;
    send(null);
  });

/** Steps of a chain of promises that are waited for without leaving the task; chains in games have two to five. */
const CHAIN = 12;
/** Lets what a callback of the page left to its promises run. A page that ever spoke in messages gets a whole task for
 *  it, since a message comes in a task of its own. For all others the task goes on: at its end every canvas that was
 *  drawn on is rasterized, which takes four times as long as drawing it, and what the next frame paints over needs
 *  none. */
const settle = async () => {
  if (T.root.messages) await tick();
  else for (let i = 0; i < CHAIN; i++) await undefined;
};

/** Natives as they were before the page ran. Those of `context2d` and `offscreen2d` want `.call(context, ...)`. */
T.native = {
  tick,
  setTimeout: W.setTimeout.bind(W),
  clearTimeout: W.clearTimeout.bind(W),
  setInterval: W.setInterval.bind(W),
  clearInterval: W.clearInterval.bind(W),
  requestAnimationFrame: W.requestAnimationFrame.bind(W),
  cancelAnimationFrame: W.cancelAnimationFrame.bind(W),
  now: W.performance.now.bind(W.performance),
  Date: W.Date,
  random: Math.random,
  reportError: W.reportError.bind(W),
  getComputedStyle: W.getComputedStyle.bind(W),
  MutationObserver: W.MutationObserver,
  OffscreenCanvas: W.OffscreenCanvas,
  addEventListener: W.EventTarget.prototype.addEventListener,
  getContext: W.HTMLCanvasElement.prototype.getContext,
  getOffscreenContext: W.OffscreenCanvas && W.OffscreenCanvas.prototype.getContext,
  context2d: methodsOf(W.CanvasRenderingContext2D),
  offscreen2d: methodsOf(W.OffscreenCanvasRenderingContext2D),
};

// --- Replacing natives so that they still look native ---------------------------------------------------------

// Shared by the family: a page may ask one frame's toString about another frame's function.
T.disguises = parentT ? T.root.disguises : new WeakMap();
const nativeToString = Function.prototype.toString;

/** Gives `replacement` the name, the length and the source text of `original`, and returns it. */
const imitate = (replacement, original) => {
  Object.defineProperty(replacement, "name", { value: original.name, configurable: true });
  Object.defineProperty(replacement, "length", { value: original.length, configurable: true });
  // What is replaced twice has its native text still.
  T.disguises.set(replacement, T.disguises.get(original) ?? nativeToString.call(original));
  return replacement;
};

const replaceSlot = (owner, name, slot, make) => {
  const descriptor = owner && Object.getOwnPropertyDescriptor(owner, name);
  const original = descriptor && descriptor[slot];
  if (typeof original !== "function" || !descriptor.configurable) return;
  Object.defineProperty(owner, name, { ...descriptor, [slot]: imitate(make(original), original) });
};
/** Replaces a method by `make(original)`; written as a method in an object literal it is no constructor, as natives are. */
const replaceMethod = (owner, name, make) => replaceSlot(owner, name, "value", make);
const replaceGetter = (owner, name, make) => replaceSlot(owner, name, "get", make);
const replaceSetter = (owner, name, make) => replaceSlot(owner, name, "set", make);

/** Puts a proxy with these traps before a class: prototype, statics, `instanceof` and subclassing stay native. */
const replaceClass = (name, traps) => {
  const original = W[name];
  if (typeof original !== "function") return;
  const proxy = new Proxy(original, traps(original));
  T.disguises.set(proxy, nativeToString.call(original));
  const descriptor = Object.getOwnPropertyDescriptor(W, name);
  Object.defineProperty(W, name, { ...descriptor, value: proxy });
  const back = Object.getOwnPropertyDescriptor(original.prototype, "constructor");
  if (back && back.configurable) Object.defineProperty(original.prototype, "constructor", { ...back, value: proxy });
};

replaceMethod(Function.prototype, "toString", () => ({
  toString() {
    const disguise = typeof this === "function" ? T.disguises.get(this) : undefined;
    return disguise === undefined ? nativeToString.call(this) : disguise;
  },
}).toString);

// --- The family of frames ---------------------------------------------------------------------------------------

/** Is this T's document still shown? After a navigation the window proxy leads to another T. */
T.alive = () => {
  try {
    return !W.closed && W[CFG.token] === T;
  } catch {
    return false;
  }
};
T.window = W;
if (T.root === T) T.members = [T];
else T.root.members.push(T);

/** All live same-origin frames, parents before children: `{win, doc, T, element}`. */
T.frames = () => {
  const root = T.root;
  if (root.members.some((member) => !member.alive())) root.members = root.members.filter((member) => member.alive());
  return root.members.map((member) => {
    const win = member.window;
    return { win, doc: win.document, T: member, element: member === root ? null : win.frameElement };
  });
};

// --- Keys ---------------------------------------------------------------------------------------------------------

/** How many key events the browser has given to the page. Of this family, counted by the root. */
T.keys = 0;
const countKey = (event) => {
  if (event.isTrusted) T.root.keys++;
};
for (const type of ["keydown", "keyup"]) T.native.addEventListener.call(W, type, countKey, { capture: true, passive: true });

// --- Leaving the page ---------------------------------------------------------------------------------------------

/** Events that tell a page that it is left, as it is or after the next document is there. Many games save themselves
 *  then. What is asked before (`beforeunload`) is heard: it is over by then. */
const LEAVING = ["pagehide", "visibilitychange", "unload", "freeze", "blur"];
const unheard = (event) => {
  if (T.root.left) event.stopImmediatePropagation();
};
// The first to listen, and from above: nothing of the page hears it earlier.
for (const type of LEAVING) T.native.addEventListener.call(W, type, unheard, true);
/** From now on nothing of this family hears that it is left. */
T.leave = () => {
  T.root.left = true;
  return true;
};

// --- What the page listens for -----------------------------------------------------------------------------------

/** Every event type anything in this frame ever listened for. */
T.listened = new Set();
/** What listens for so many types is a framework's root, which hears of all there is to hear of, wanted or not. */
const ROOT_TYPES = 30;
/** What of this frame listens for the ends of animations, and was not told from a root yet; so many are no roots. */
const enders = [];
const MOST_ROOTS = 32;
const typesOf = new WeakMap();
let endsHeard = false;
const listens = (target, type) => {
  T.listened.add(type);
  if (endsHeard || target === null || typeof target !== "object") return;
  let types = typesOf.get(target);
  if (!types) typesOf.set(target, (types = new Set()));
  if (types.size < ROOT_TYPES) types.add(type);
  const ender = MOTION_EVENTS.has(type.toLowerCase()) && enders.length <= MOST_ROOTS;
  if (ender && !enders.includes(target)) enders.push(target);
};
/** Does something listen for the ends of animations that is no root of a framework? */
T.hearsEnds = () => {
  endsHeard ||= enders.length > MOST_ROOTS || enders.some((target) => typesOf.get(target).size < ROOT_TYPES);
  if (endsHeard) enders.length = 0;
  return endsHeard;
};

const MOTION_EVENTS = new Set(["transitionend", "animationend", "webkittransitionend", "webkitanimationend", "finish"]);
const FAMILIES = {
  keydown: /^keydown$/,
  keyup: /^keyup$/,
  keypress: /^keypress$/,
  click: /^(click|dblclick|auxclick)$/,
  pointer: /^(mouse|pointer)(down|up|move|over|enter)$/,
  touch: /^touch(start|end|move)$/,
};

replaceMethod(W.EventTarget.prototype, "addEventListener", (original) => ({
  addEventListener(type, listener) {
    if (listener) listens(this ?? W, String(type));
    // `arguments` keeps what was given: fewer than two must throw as natively.
    return Reflect.apply(original, this, arguments);
  },
}).addEventListener);

const ON_PROPERTIES = ["keydown", "keyup", "keypress", "click", "dblclick", "mousedown", "mouseup", "mousemove",
  "pointerdown", "pointerup", "pointermove", "touchstart", "touchend", "touchmove", ...MOTION_EVENTS];
for (const type of ON_PROPERTIES)
  for (const owner of [W, W.Document.prototype, W.HTMLElement.prototype, W.SVGElement.prototype, W.Animation && W.Animation.prototype])
    replaceSetter(owner, "on" + type, (original) => ({
      set(value) {
        if (value) {
          T.listened.add(type);
          endsHeard ||= MOTION_EVENTS.has(type);
        }
        return Reflect.apply(original, this, [value]);
      },
    }).set);

const listenersOf = (listened, doc) => {
  const found = {};
  for (const [family, pattern] of Object.entries(FAMILIES)) {
    found[family] = [...listened].some((type) => pattern.test(type));
    // Handlers written as attributes pass through neither hook.
    if (!found[family] && doc)
      found[family] = ON_PROPERTIES.some((type) => pattern.test(type) && doc.querySelector(`[on${type}]`) !== null);
  }
  return found;
};
Object.defineProperty(T, "listeners", { get: () => listenersOf(T.listened, W.document), enumerable: true });

/** The listeners of all frames together. */
T.allListeners = () => {
  const all = {};
  for (const frame of T.frames())
    for (const [family, present] of Object.entries(frame.T.listeners)) all[family] = Boolean(all[family] || present);
  return all;
};

// --- Shadow roots -------------------------------------------------------------------------------------------------

const shadowReferences = [];
/** Iterable over every live shadow root that script attached, closed ones too. */
T.shadowRoots = {
  *[Symbol.iterator]() {
    for (const reference of shadowReferences) {
      const shadow = reference.deref();
      if (shadow && shadow.host.isConnected) yield shadow;
    }
  },
  get size() {
    return [...this].length;
  },
};
replaceMethod(W.Element.prototype, "attachShadow", (original) => ({
  attachShadow() {
    const shadow = Reflect.apply(original, this, arguments);
    shadowReferences.push(new WeakRef(shadow));
    return shadow;
  },
}).attachShadow);

// --- What is animated ---------------------------------------------------------------------------------------------

const nodeType = Object.getOwnPropertyDescriptor(W.Node.prototype, "nodeType").get;
/** Of a document, whose type is 9, and of a shadow root. */
const animationsIn = [W.Document, W.ShadowRoot].map((type) => type && type.prototype.getAnimations);
/** What was asked since the script last let go; nothing of the page runs before that. */
T.asked = parentT ? T.root.asked : new Map();
const letGo = async () => {
  await undefined;
  T.asked.clear();
};
/** The animations of a document or shadow root. To ask makes the browser bring all styles up to date. */
T.animationsOf = (root) => {
  const asked = T.asked;
  let list = asked.get(root);
  if (list) return list;
  if (asked.size === 0) letGo();
  const ask = animationsIn[Reflect.apply(nodeType, root, []) === 9 ? 0 : 1];
  asked.set(root, (list = ask ? Reflect.apply(ask, root, []) : []));
  return list;
};
