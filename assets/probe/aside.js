// Which changes of a page lie aside of a region, so that what is shown there stays as it is: most games write numbers
// beside their board all the time.
// Comes in: what was observed, as it is observed. Goes out: did all of it since a version lie aside? Knows no pixels.
{
  const { N } = L;
  // So many changes are remembered; who asks for more has to look himself.
  const KEPT = 256;
  // A record that tells of more elements is not looked into.
  const MANY = 24;
  // An element whose edge is so near may have a shadow over the region.
  const NEAR = 4;
  // What is made of more elements changes with most of what is written.
  const MOST = 400;
  let log = [];
  let from = 0;
  // `elements`: all that show the change; null where that is not known.
  L.note = (version, elements) => {
    if (log.length >= KEPT) {
      log = [];
      from = version - 1;
    }
    L.push(log, { version, elements });
  };
  // Does it hold texts only? Then what it shows is where it is. What is drawn in SVG may be shown elsewhere, too.
  const isLeaf = (node) => N.nodeType(node) === 1 && N.namespaceURI(node) !== L.SVG_NS && N.childElementCount(node) === 0 && N.localName(node) !== 'iframe' && !L.shadowOf(node);
  const leaves = (nodes, near, elements) => {
    for (let i = 0; i < nodes.length; i++) {
      if (N.nodeType(nodes[i]) === 3) continue;
      if (near || !isLeaf(nodes[i])) return false;
      L.push(elements, nodes[i]);
    }
    return true;
  };
  // The elements that show what the record of an observer tells, given what rules look at beside an element itself
  // (`near`: its neighbours; `contents`: what it holds); null where others may.
  L.shownBy = (r, { near, contents }) => {
    if (r.type === 'characterData') {
      const parent = N.parentNode(r.target);
      return contents || !parent || N.nodeType(parent) !== 1 || N.namespaceURI(parent) === L.SVG_NS ? null : [parent];
    }
    if (N.nodeType(r.target) !== 1 || N.namespaceURI(r.target) === L.SVG_NS) return null;
    if (r.type === 'attributes') return near || !isLeaf(r.target) ? null : [r.target];
    if (contents || r.addedNodes.length + r.removedNodes.length > MANY) return null;
    const elements = [r.target];
    return leaves(r.addedNodes, near, elements) && leaves(r.removedNodes, near, elements) ? elements : null;
  };
  const isAway = (element, region) => {
    if (N.ownerDocument(element) !== document) return false;
    const r = N.rect(element);
    const x = r.left + window.scrollX;
    const y = r.top + window.scrollY;
    const right = x + Math.max(r.width, N.scrollWidth(element));
    const bottom = y + Math.max(r.height, N.scrollHeight(element));
    return x > region[0] + region[2] + NEAR || y > region[1] + region[3] + NEAR || right < region[0] - NEAR || bottom < region[1] - NEAR || (right === x && bottom === y);
  };
  // Does an item show something in the region? What lies near it is listed, too.
  const reaches = (it, region) =>
    it.origin || it.turn || (it.look && (it.look.shadows || it.look.outline)) || !(it.x > region[0] + region[2] + NEAR || it.y > region[1] + region[3] + NEAR || it.x + it.w < region[0] - NEAR || it.y + it.h < region[1] - NEAR);
  // Where the elements of a list are, as numbers in a row; null where there are too many, or some in other documents.
  const places = (items, region) => {
    const at = [];
    let last = null;
    for (let i = 0; i < items.length; i++) {
      const { element } = items[i];
      if (!element || element === last || !reaches(items[i], region)) continue;
      last = element;
      if (at.length >= 4 * MOST || N.ownerDocument(element) !== document) return null;
      const r = N.rect(element);
      L.push(at, r.left);
      L.push(at, r.top);
      L.push(at, r.width);
      L.push(at, r.height);
    }
    return at;
  };
  // To be asked when the list is made: what `isAside` has to know of it.
  L.placed = (list, region) => {
    list.places = places(list.items, region);
    list.held = null;
  };
  const holds = (list, element, region) => {
    if (!list.held) {
      list.held = new Set();
      for (let i = 0; i < list.items.length; i++) if (list.items[i].element && reaches(list.items[i], region)) list.held.add(list.items[i].element);
    }
    return list.held.has(element);
  };
  // Did all that changed after `version` show beside the region only, and did nothing in it move for that?
  L.isAside = (version, list, region) => {
    if (version < from || !list.places) return false;
    for (let i = log.length - 1; i >= 0 && log[i].version > version; i--) {
      const { elements } = log[i];
      if (!elements) return false;
      for (let k = 0; k < elements.length; k++) if (holds(list, elements[k], region) || !isAway(elements[k], region)) return false;
    }
    const now = places(list.items, region);
    if (!now || now.length !== list.places.length) return false;
    for (let i = 0; i < now.length; i++) if (now[i] !== list.places[i]) return false;
    return true;
  };
}
