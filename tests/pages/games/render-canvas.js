// Boards drawn on a 2D canvas, in many looks, and with plain WebGL.
'use strict';

const RENDERERS = {};

const CELL = number('cell', 24);
const STYLE = param('style', 'flat'), BACK = param('back', 'plain');

function paintBlock(g, x, y, s, fill) {
  const inner = s - 1;
  g.fillStyle = fill;
  if (STYLE === 'bevel') {
    g.fillRect(x, y, inner, inner);
    g.fillStyle = 'rgb(255 255 255 / 45%)'; g.fillRect(x, y, inner, 3); g.fillRect(x, y, 3, inner);
    g.fillStyle = 'rgb(0 0 0 / 40%)'; g.fillRect(x, y + inner - 3, inner, 3); g.fillRect(x + inner - 3, y, 3, inner);
  } else if (STYLE === 'gradient') {
    const shade = g.createLinearGradient(x, y, x + s, y + s);
    shade.addColorStop(0, '#ffffff'); shade.addColorStop(0.35, fill); shade.addColorStop(1, '#101010');
    g.fillStyle = shade;
    g.fillRect(x, y, inner, inner);
  } else if (STYLE === 'outline') {
    g.strokeStyle = fill; g.lineWidth = 2;
    g.strokeRect(x + 2, y + 2, s - 5, s - 5);
  } else if (STYLE === 'round') {
    g.beginPath(); g.arc(x + s / 2, y + s / 2, s * 0.42, 0, 7); g.fill();
  } else if (STYLE === 'inset') {
    g.fillRect(x + 2, y + 2, s - 4, s - 4);
  } else if (STYLE === 'glow') {
    g.shadowColor = fill; g.shadowBlur = 14;
    g.fillRect(x + 1, y + 1, s - 2, s - 2);
    g.shadowBlur = 0;
  } else g.fillRect(x, y, inner, inner);
}

function paintBack(g, cols, rows, s) {
  g.fillStyle = PALETTE.well;
  g.fillRect(0, 0, cols * s, rows * s);
  for (let r = 0; r < rows; r += 1) {
    for (let c = 0; c < cols; c += 1) {
      const x = c * s, y = r * s;
      if (BACK === 'checker') { g.fillStyle = (r + c) % 2 ? '#2b3040' : '#181b25'; g.fillRect(x, y, s, s); }
      else if (BACK === 'lcd') { g.strokeStyle = PALETTE.line; g.lineWidth = 2; g.strokeRect(x + 3, y + 3, s - 6, s - 6); g.fillStyle = PALETTE.line; g.fillRect(x + 7, y + 7, s - 14, s - 14); }
      else if (BACK === 'grid') { g.strokeStyle = PALETTE.line; g.lineWidth = 1; g.strokeRect(x + 0.5, y + 0.5, s, s); }
      else if (BACK === 'texture') {
        for (let i = 0; i < 6; i += 1) {
          const n = (c * 7919 + r * 104729 + i * 1299709) % 997;
          g.fillStyle = `rgb(${60 + n % 50} ${40 + n % 31} ${30 + n % 23})`;
          g.fillRect(x + n % (s - 6), y + (n * 3) % (s - 6), 6 + n % 7, 3);
        }
      } else if (BACK === 'gradient') { g.fillStyle = `rgb(${20 + r * 5} ${24 + c * 6} ${70 + r * 3})`; g.fillRect(x, y, s, s); }
    }
  }
}

// Everything in the field's own coordinates; `which` picks the layer.
function paintField(g, v, cols, rows, s, which = 'both') {
  if (which !== 'pieces') paintBack(g, cols, rows, s);
  if (which === 'back') return;
  v.stack.forEach((line, r) => line.forEach((kind, c) => { if (kind) paintBlock(g, c * s, r * s, s, colour(kind)); }));
  for (const [c, r] of v.ghost) {
    if (param('ghost') === 'faint') { g.fillStyle = paler(PALETTE[v.kind], 0.28); g.fillRect(c * s, r * s, s - 1, s - 1); }
    else if (param('ghost') === 'same') paintBlock(g, c * s, r * s, s, colour(v.kind));
    else { g.strokeStyle = PALETTE[v.kind]; g.lineWidth = 1; g.strokeRect(c * s + 1.5, r * s + 1.5, s - 4, s - 4); }
  }
  for (const [c, r] of v.active) paintBlock(g, c * s, (r + v.fraction) * s, s, colour(v.kind));
}

// What lively games draw over their boards: a beam where a piece came down, a flash where rows were, after what was above
// them has come down, sparks, points that rise; and a board that shakes.
function createEffects(game, canvas, cols, rows, s) {
  const all = [];
  const add = (ms, draw) => all.push({ since: performance.now(), ms, draw });
  const shake = () => canvas.animate(
    [-1, 1, -0.6, 0.8, 0].map((turn, i) => ({ transform: `translate(${i % 2 ? 2 : -2}px, ${i % 3 - 1}px) rotate(${turn}deg)` })),
    { duration: 300 },
  );
  const happen = ({ columns, rows: full }) => {
    if (columns) {
      add(120, (g, age) => { g.fillStyle = `rgb(255 255 255 / ${0.35 * (1 - age)})`; for (const c of columns) g.fillRect(c * s, 0, s, rows * s); });
      add(950, (g, age) => {
        g.globalAlpha = 1 - age; g.fillStyle = '#9fb0e6'; g.shadowColor = '#9fb0e6'; g.shadowBlur = 9;
        g.font = '13px monospace'; g.textAlign = 'center'; g.textBaseline = 'middle';
        g.fillText(`+${columns.length * 11}`, cols * s / 2, rows * s * 0.6 - 28 * age);
        g.shadowBlur = 0; g.globalAlpha = 1;
      });
      return;
    }
    add(260, (g, age) => { g.fillStyle = `rgb(255 255 255 / ${0.55 * (1 - age)})`; for (const r of full) g.fillRect(0, r * s, cols * s, s); });
    for (let i = 0; i < cols * 2; i += 1) {
      add(600, (g, age) => { g.globalAlpha = 1 - age; g.fillStyle = '#ffd166'; g.fillRect((i / 2 + 0.3 + (i % 3 - 1) * age) * s, (full[0] + (age * 2 - 1) * age * 2) * s, 5, 5); g.globalAlpha = 1; });
    }
    shake();
  };
  return g => {
    for (const one of game.happened.splice(0)) happen(one);
    const now = performance.now();
    for (const one of all) if (now - one.since < one.ms) one.draw(g, (now - one.since) / one.ms);
    while (all.length > 0 && now - all[0].since > 1000) all.shift();
  };
}

function newCanvas(host, width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width; canvas.height = height;
  host.append(canvas);
  return canvas;
}

RENDERERS.canvas = (host, game) => {
  const { cols, rows } = game, wide = cols * CELL, high = rows * CELL;
  const mode = param('mode', 'plain');
  // Drawn walls: blocks like those of the pieces, left, right and below.
  const wall = BACK === 'border' ? CELL : 0;
  const sub = mode === 'sub', left = sub ? 90 : wall, top = sub ? 50 : 0;
  const full = [sub ? wide + 300 : wide + 2 * wall, sub ? high + 90 : high + wall];
  const scale = mode === 'dpr' ? devicePixelRatio : mode === 'css' ? 0.5 : 1;
  const canvas = newCanvas(host, Math.round(full[0] * scale), Math.round(full[1] * scale));
  canvas.style.width = `${full[0]}px`; canvas.style.height = `${full[1]}px`;
  host.style.cssText += `;position:relative;width:${full[0]}px;height:${full[1]}px`;
  if (mode === 'css') canvas.style.imageRendering = 'pixelated';
  let over = null, hidden = null;
  if (mode === 'two') { over = newCanvas(host, full[0], full[1]); for (const c of [canvas, over]) c.style.cssText += ';position:absolute;left:0;top:0'; }
  if (mode === 'offscreen') hidden = new OffscreenCanvas(full[0], full[1]);
  const g = (hidden ?? canvas).getContext('2d');
  g.scale(scale, scale);
  let backDone = false;
  const effects = number('effects', 0) > 0 ? createEffects(game, canvas, cols, rows, CELL) : null;
  const paint = (v, hud) => {
    g.save();
    if (sub) {
      g.fillStyle = PALETTE.page; g.fillRect(0, 0, ...full);
      g.fillStyle = PALETTE.text; g.font = '16px sans-serif'; g.textBaseline = 'alphabetic';
      hud.forEach(([word, value], i) => { g.fillText(word, left + wide + 30, 200 + i * 60); g.fillText(value, left + wide + 30, 224 + i * 60); });
      g.fillText(hud.title, left, 32);
      for (const [i, kind] of hud.next.entries()) for (const [c, r] of thumbnail(kind)) paintBlock(g, left + wide + 30 + c * 18, 70 + i * 60 + r * 18, 18, PALETTE[kind]);
    }
    if (wall) {
      for (let r = 0; r <= rows; r += 1) for (let c = -1; c <= cols; c += 1) {
        if (c < 0 || c === cols || r === rows) paintBlock(g, (c + 1) * CELL, r * CELL, CELL, PALETTE.wall);
      }
    }
    g.translate(left, top);
    if (mode === 'two') {
      if (!backDone) { paintField(g, v, cols, rows, CELL, 'back'); backDone = true; }
      const p = over.getContext('2d');
      p.clearRect(0, 0, ...full);
      paintField(p, v, cols, rows, CELL, 'pieces');
    } else {
      g.beginPath(); g.rect(0, 0, wide, high); g.clip();
      paintField(g, v, cols, rows, CELL);
      effects?.(g);
    }
    g.restore();
    if (hidden) canvas.getContext('2d').drawImage(hidden, 0, 0);
  };
  return { element: over ?? canvas, paint, context: (over ?? canvas).getContext('2d'), width: full[0], height: full[1], field: [left / full[0], top / full[1], wide / full[0], high / full[1]] };
};

// Quads of one colour each, in a triangle list written anew every frame.
RENDERERS.webgl = (host, game) => {
  const { cols, rows } = game;
  const canvas = newCanvas(host, cols * CELL, rows * CELL);
  const gl = canvas.getContext('webgl', { antialias: false, alpha: false });
  const shader = (type, source) => { const s = gl.createShader(type); gl.shaderSource(s, source); gl.compileShader(s); return s; };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, 'attribute vec2 at; attribute vec3 ink; varying vec3 v; void main(){ v = ink; gl_Position = vec4(at, 0., 1.); }'));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, 'precision mediump float; varying vec3 v; void main(){ gl_FragColor = vec4(v, 1.); }'));
  gl.linkProgram(program); gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  for (const [name, size, offset] of [['at', 2, 0], ['ink', 3, 8]]) {
    const where = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(where); gl.vertexAttribPointer(where, size, gl.FLOAT, false, 20, offset);
  }
  const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
  return { element: canvas, width: cols * CELL, height: rows * CELL, paint(v) {
    const out = [];
    const quad = (c, r, gap, hex) => {
      const [x0, x1] = [c, c + 1 - gap].map(x => 2 * x / cols - 1), [y0, y1] = [r, r + 1 - gap].map(y => 1 - 2 * y / rows), ink = rgb(hex);
      for (const [x, y] of [[x0, y0], [x1, y0], [x0, y1], [x0, y1], [x1, y0], [x1, y1]]) out.push(x, y, ...ink);
    };
    for (let r = 0; r < rows; r += 1) for (let c = 0; c < cols; c += 1) quad(c, r, 0.03, BACK === 'checker' && (r + c) % 2 ? '#2b3040' : PALETTE.well);
    v.stack.forEach((line, r) => line.forEach((kind, c) => { if (kind) quad(c, r, 0.05, colour(kind)); }));
    for (const [c, r] of v.active) quad(c, r + v.fraction, 0.05, colour(v.kind));
    gl.clearColor(...rgb(PALETTE.line), 1); gl.clear(gl.COLOR_BUFFER_BIT);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(out), gl.STREAM_DRAW);
    gl.drawArrays(gl.TRIANGLES, 0, out.length / 5);
  } };
};
