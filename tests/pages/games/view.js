// What is to be drawn: the cells of one moment, common to every renderer, with the defects of drawing.
'use strict';

const PALETTES = {
  plain: { I: '#2fb3c9', O: '#d9b126', T: '#8e5bc0', S: '#4aa653', Z: '#cf4a4a', J: '#3f62c4', L: '#d97f2b', well: '#14161c', line: '#23262f', text: '#e8e8ee', page: '#0c0d11', wall: '#666b78' },
  light: { I: '#7cc4d1', O: '#d8c98a', T: '#b39ccb', S: '#9cc6a0', Z: '#d9a0a0', J: '#9cabd6', L: '#dcb795', well: '#f3f3f0', line: '#e7e7e2', text: '#333333', page: '#fbfbf8', wall: '#cfcfc8' },
  mono: { I: '#d0d0d0', O: '#d0d0d0', T: '#d0d0d0', S: '#d0d0d0', Z: '#d0d0d0', J: '#d0d0d0', L: '#d0d0d0', well: '#202020', line: '#2c2c2c', text: '#dddddd', page: '#181818', wall: '#707070' },
  // Liquid-crystal look: the empty blocks are drawn too.
  lcd: { I: '#1d2416', O: '#1d2416', T: '#1d2416', S: '#1d2416', Z: '#1d2416', J: '#1d2416', L: '#1d2416', well: '#9aa88a', line: '#8b997c', text: '#1d2416', page: '#b7c2a8', wall: '#56614a' },
};
const PALETTE = PALETTES[param('palette', 'plain')];

function createView(game) {
  const trail = new Map();
  let lastStack = '';
  return () => {
    const stack = game.visible().map(line => [...line]);
    const flashing = game.clearing.length > 0 && Math.floor(game.clearProgress() * 6) % 2 === 0;
    for (const r of game.clearingRows()) if (r >= 0 && flashing) stack[r].fill('flash');
    const active = game.cells().filter(([, r]) => r >= 0 && r < game.rows);
    if (defect('trails')) {
      const key = `${game.games} ${game.lines}`;
      if (key !== lastStack) { trail.clear(); lastStack = key; }
      for (const [c, r] of trail.keys().map(k => k.split(',').map(Number))) stack[r][c] ??= trail.get(`${c},${r}`);
      for (const [c, r] of active) trail.set(`${c},${r}`, game.piece.kind);
    }
    let ghost = [];
    if (param('ghost', 'none') !== 'none' && game.piece !== null && game.state === 'playing') {
      const dy = game.drop();
      ghost = game.cells().map(([c, r]) => [c, r + dy]).filter(([c, r]) => r >= 0 && stack[r][c] === null);
    }
    const cells = stack.map(line => [...line]);
    for (const [c, r] of active) cells[r][c] = game.piece.kind;
    return { stack, active, kind: game.piece?.kind ?? null, ghost, cells, fraction: param('smooth') ? game.fraction() : 0 };
  };
}
const colour = kind => (kind === 'flash' ? '#ffffff' : PALETTE[kind]);
const paler = (hex, share) => `rgb(${[1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)).join(' ')} / ${share})`;

// A small picture of a piece, for previews and the held piece, as [width, height, cells].
function thumbnail(kind) {
  const box = BOXES[kind].slice(1)[0];
  const top = Math.min(...box.map(([, r]) => r));
  return box.map(([c, r]) => [c, r - top]);
}
