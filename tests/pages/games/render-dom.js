// Boards made of elements: div grids, tables, placed blocks, text and SVG.
'use strict';

const make = (tag, host, style = '', name = '') => {
  const e = document.createElement(tag);
  if (style) e.style.cssText = style;
  if (name) e.className = name;
  host.append(e);
  return e;
};
const svg = (tag, host, attributes = {}) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  host.append(e);
  return e;
};

// A cell for every place; `set(cell, kind, ghost)` writes it. Only cells that changed are written.
function everyCell(cells, set) {
  const before = [];
  return v => {
    const ghosts = new Set(v.ghost.map(String));
    v.cells.forEach((line, r) => line.forEach((kind, c) => {
      const i = r * line.length + c, ghost = !kind && ghosts.has(`${c},${r}`), key = `${kind}${ghost}`;
      if (before[i] === key) return;
      before[i] = key;
      set(cells[i], kind, ghost ? v.kind : null);
    }));
  };
}

const gridStyle = (cols, rows) => `display:grid;grid-template:repeat(${rows},${CELL}px)/repeat(${cols},${CELL}px);width:max-content`;
const BASE = `outline:1px solid ${PALETTE.line};background:${PALETTE.well};position:relative`;

function divGrid(host, game, set, name = 'b') {
  const element = make('div', host, `${gridStyle(game.cols, game.rows)};${BASE}`, name);
  const fade = param('fade') ? `transition:background-color ${param('fade')}ms` : '';
  const cells = Array.from({ length: game.cols * game.rows }, () => make('div', element, fade, 'q'));
  return { element, paint: everyCell(cells, set) };
}
RENDERERS.div_class = (h, g) => divGrid(h, g, (e, kind, ghost) => { e.className = kind ? `q k${kind}` : ghost ? 'q ghost' : 'q'; });
RENDERERS.div_style = (h, g) => divGrid(h, g, (e, kind, ghost) => {
  e.style.backgroundColor = kind ? colour(kind) : ghost ? paler(PALETTE[ghost], 0.25) : '';
});
RENDERERS.div_var = (h, g) => divGrid(h, g, (e, kind) => { if (kind) e.style.setProperty('--ink', colour(kind)); else e.style.removeProperty('--ink'); }, 'b var');
RENDERERS.div_checker = (h, g) => divGrid(h, g, (e, kind) => { e.className = kind ? `q k${kind}` : 'q'; }, 'b checker');
// Each block draws over the cells beside it.
RENDERERS.div_outlined = (h, g) => divGrid(h, g, (e, kind) => { e.className = kind ? `q k${kind}` : 'q'; }, 'b outlined');
RENDERERS.div_image = (h, g) => divGrid(h, g, (e, kind) => {
  e.style.backgroundImage = kind ? `linear-gradient(135deg, #fff, ${colour(kind)} 40%, #000)` : '';
});
RENDERERS.table = (host, game) => {
  const element = make('table', host, `border-collapse:collapse;${BASE}`, 't');
  const body = make('tbody', element), cells = [];
  for (let r = 0; r < game.rows; r += 1) {
    const line = make('tr', body);
    for (let c = 0; c < game.cols; c += 1) cells.push(make('td', line, `width:${CELL}px;height:${CELL}px;padding:0;border:1px solid ${PALETTE.line}`));
  }
  return { element, paint: everyCell(cells, (e, kind) => { e.style.background = kind ? colour(kind) : ''; }) };
};

// Only what is filled exists. `place` puts one block; blocks are made anew whenever something changed.
function placed(host, game, style, place, name = 'b') {
  const element = make('div', host, `width:${game.cols * CELL}px;height:${game.rows * CELL}px;${BASE};overflow:hidden;${style}`, name);
  let before = '';
  return { element, paint(v) {
    const key = JSON.stringify([v.cells, v.ghost]);
    if (key === before) return;
    before = key;
    element.replaceChildren();
    v.cells.forEach((line, r) => line.forEach((kind, c) => { if (kind) place(make('div', element, `background:${colour(kind)}`, 'block'), c, r); }));
    for (const [c, r] of v.ghost) place(make('div', element, `box-shadow:inset 0 0 0 2px ${PALETTE[v.kind]}`, 'block'), c, r);
  } };
}
RENDERERS.absolute = (h, g) => placed(h, g, '', (e, c, r) => {
  e.style.cssText += `;position:absolute;left:${c * CELL}px;top:${r * CELL}px;width:${CELL - 1}px;height:${CELL - 1}px`;
});
RENDERERS.grid_placed = (h, g) => placed(h, g, gridStyle(g.cols, g.rows), (e, c, r) => { e.style.cssText += `;grid-area:${r + 1}/${c + 1};margin:0 1px 1px 0`; });

// Settled blocks in cells; the piece is one element that is moved by a transform, at once or in a transition.
RENDERERS.translate = (host, game) => {
  const slow = param('transition') ? ';transition:transform 90ms linear' : '';
  const { element, paint } = divGrid(host, game, (e, kind, ghost) => { e.style.background = kind ? colour(kind) : ghost ? paler(PALETTE[ghost], 0.25) : ''; });
  element.style.overflow = 'hidden';
  const piece = make('div', element, `position:absolute;left:0;top:0;width:0;height:0${slow}`);
  const blocks = Array.from({ length: 4 }, () => make('div', piece, `position:absolute;width:${CELL - 1}px;height:${CELL - 1}px`));
  let shown = -1;
  return { element, paint(v) {
    paint({ ...v, cells: v.stack });
    const p = game.piece;
    piece.hidden = p === null;
    if (p === null) return;
    const jump = shown !== game.pieces;
    shown = game.pieces;
    if (slow) piece.style.transition = jump ? 'none' : '';
    if (slow && !jump) piece.style.transition = 'transform 90ms linear';
    piece.style.transform = `translate(${p.x * CELL}px,${p.y * CELL}px)`;
    const cells = p.box;
    blocks.forEach((e, i) => { e.style.left = `${cells[i][0] * CELL}px`; e.style.top = `${cells[i][1] * CELL}px`; e.style.background = colour(v.kind); });
  } };
};

RENDERERS.pre = (host, game) => {
  const element = make('pre', host, `font:${CELL}px/1 monospace;margin:0;padding:0;width:max-content;${BASE};color:${PALETTE.text}`);
  // The walls are two characters on each side.
  const chars = 2 * game.cols + 4;
  return { element, field: [2 / chars, 0, 2 * game.cols / chars, 1], paint(v) {
    const text = v.cells.map(line => `<!${line.map(kind => (kind ? '[]' : ' .')).join('')}!>`).join('\n');
    if (element.textContent !== text) element.textContent = text;
  } };
};
const EMOJI = { I: '🟦', O: '🟨', T: '🟪', S: '🟩', Z: '🟥', J: '🟫', L: '🟧', flash: '⬜' };
RENDERERS.emoji = (h, g) => divGrid(h, g, (e, kind) => { e.textContent = kind ? EMOJI[kind] : '⬛'; }, 'b emoji');

// One character in a cell, in the colour of the text.
RENDERERS.text_cells = (h, g) => divGrid(h, g, (e, kind) => { e.textContent = kind ? '■' : ''; }, 'b emoji');

function svgBoard(host, game) {
  const wide = game.cols * CELL, high = game.rows * CELL;
  const element = svg('svg', host, { width: wide, height: high, viewBox: `0 0 ${game.cols} ${game.rows}`, style: BASE });
  svg('rect', element, { width: game.cols, height: game.rows, fill: PALETTE.well });
  return element;
}
RENDERERS.svg_rects = (host, game) => {
  const element = svgBoard(host, game), cells = [];
  for (let r = 0; r < game.rows; r += 1) for (let c = 0; c < game.cols; c += 1) cells.push(svg('rect', element, { x: c, y: r, width: 1, height: 1, fill: PALETTE.well, stroke: PALETTE.line, 'stroke-width': 0.04 }));
  return { element, paint: everyCell(cells, (e, kind) => e.setAttribute('fill', kind ? colour(kind) : PALETTE.well)) };
};
const outline = cells => cells.map(([c, r]) => `M${c} ${r}h1v1h-1z`).join('');
function svgStack(element, draw) {
  const layer = svg('g', element);
  let before = '';
  return v => {
    const key = JSON.stringify(v.stack);
    if (key === before) return;
    before = key;
    layer.replaceChildren();
    draw(layer, v.stack.flatMap((line, r) => line.flatMap((kind, c) => (kind ? [[c, r, kind]] : []))));
  };
}
RENDERERS.svg_group = (host, game) => {
  const element = svgBoard(host, game);
  const stack = svgStack(element, (layer, cells) => { for (const [x, y, kind] of cells) svg('rect', layer, { x, y, width: 0.95, height: 0.95, fill: colour(kind) }); });
  const group = svg('g', element), rects = Array.from({ length: 4 }, () => svg('rect', group, { width: 0.95, height: 0.95 }));
  return { element, paint(v) {
    stack(v);
    const p = game.piece;
    group.setAttribute('visibility', p ? 'visible' : 'hidden');
    if (!p) return;
    group.setAttribute('transform', `translate(${p.x} ${p.y + v.fraction})`);
    rects.forEach((e, i) => { e.setAttribute('x', p.box[i][0]); e.setAttribute('y', p.box[i][1]); e.setAttribute('fill', colour(p.kind)); });
  } };
};
RENDERERS.svg_stroke = (host, game) => {
  const element = svgBoard(host, game);
  const one = (layer, x, y, kind) => svg('rect', layer, { x: x + 0.1, y: y + 0.1, width: 0.8, height: 0.8, fill: 'none', stroke: colour(kind), 'stroke-width': 0.12 });
  const stack = svgStack(element, (layer, cells) => { for (const [x, y, kind] of cells) one(layer, x, y, kind); });
  const piece = svg('g', element);
  return { element, paint(v) { stack(v); piece.replaceChildren(); for (const [c, r] of v.active) one(piece, c, r, v.kind); } };
};
RENDERERS.svg_path = (host, game) => {
  const element = svgBoard(host, game);
  const stack = svgStack(element, (layer, cells) => {
    for (const kind of [...KINDS, 'flash']) {
      const own = cells.filter(cell => cell[2] === kind);
      if (own.length > 0) svg('path', layer, { d: outline(own), fill: colour(kind) });
    }
  });
  const piece = svg('path', element);
  return { element, paint(v) {
    stack(v);
    piece.setAttribute('d', outline(v.active));
    if (v.kind) piece.setAttribute('fill', colour(v.kind));
  } };
};
