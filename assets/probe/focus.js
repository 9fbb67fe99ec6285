// What has the keyboard's focus.
// Comes in: the live frames. Goes out: a path to what has it, and the focus taken from a button or put back where it was.
// Knows no meaning.
{
  const { N } = L;
  // T.focus() -> a path to what has the focus, '' for the page itself.
  T.focus = () => {
    let doc = document;
    let element = N.active(doc);
    for (let i = 0; element && i < 20; i++) {
      const shadow = L.shadowOf(element);
      let inner = shadow ? N.activeIn(shadow) : null;
      if (!inner && N.localName(element) === 'iframe') {
        try {
          doc = N.frameDocument(element);
          const at = doc && N.active(doc);
          inner = at && N.localName(at) !== 'body' ? at : null;
        } catch {
          // A frame of another origin.
        }
      }
      if (!inner) break;
      element = inner;
    }
    if (!element || /^(body|html)$/.test(N.localName(element))) return '';
    return L.selectorOf(element).slice(0, 200);
  };

  /** What Space or Enter presses while it has the focus. */
  const BUTTON = 'button, summary, a[href], [role=button], input[type=button], input[type=submit], input[type=reset], input[type=image]';
  let kept = [];
  // T.keepFocus(): remembers what has the focus in each document.
  T.keepFocus = () => {
    kept = T.frames().map(({ doc }) => [doc, N.active(doc)]);
    return null;
  };
  // T.leaveButton() -> was there a button with the focus, which Space and Enter would press? It has lost it, as by a click
  // beside it.
  T.leaveButton = () => {
    let left = false;
    const had = T.frames().map(({ doc }) => [doc, N.active(doc)]);
    for (let i = had.length - 1; i >= 0; i--) {
      const is = had[i][1];
      if (!is) continue;
      const inner = (L.shadowOf(is) && N.activeIn(L.shadowOf(is))) || is;
      if (!N.matches(inner, BUTTON)) continue;
      N.blur(inner);
      left = true;
    }
    if (left) kept = had;
    return left;
  };
  // T.giveFocusBack(): in each document where something else has it since. What is in an outer one comes last: there a
  // frame is what has the focus, or not.
  T.giveFocusBack = () => {
    for (let i = kept.length - 1; i >= 0; i--) {
      const [doc, was] = kept[i];
      const is = N.active(doc);
      if (is === was || !is) continue;
      const inner = L.shadowOf(is) ? N.activeIn(L.shadowOf(is)) : null;
      N.blur(inner || is);
      if (was && was !== N.body(doc) && N.isConnected(was)) N.giveFocus(was, { preventScroll: true });
    }
    kept = [];
    return null;
  };
}
