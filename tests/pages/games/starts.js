// The ways into a game: each takes the page and calls `begin` when the player has found it.
'use strict';

const STARTS = {
  auto: (page, begin) => begin(),
  button: (page, begin) => { const b = page.button(page.veil(), say('start') || '▶', () => { page.unveil(); begin(); }); return b; },
  enter: (page, begin) => { page.veil(`${say('press')} ⏎`); page.onceKey(e => e.key === 'Enter', () => { page.unveil(); begin(); }); },
  // The same key drops hard once the game runs.
  space: (page, begin) => { page.veil(`${say('press')} ␣`); page.onceKey(e => e.key === ' ', () => { page.unveil(); begin(); }); },
  // One letter, and nothing on the page says which.
  letter: (page, begin) => page.onceKey(e => e.key === 'g', begin),
  any: (page, begin) => { page.veil(say('press')); page.onceKey(() => true, () => { page.unveil(); begin(); }); },
  click: (page, begin) => {
    page.text = [say('title'), '●'];
    page.board.addEventListener('click', () => { page.text = []; page.board.focus({ preventScroll: true }); begin(); }, { once: true });
  },
  two_step: (page, begin) => {
    const box = page.veil();
    page.button(box, say('help') || '?', () => {
      const modal = make('div', page.root, `position:fixed;inset:12% 25%;background:${PALETTE.page};border:2px solid ${PALETTE.text};padding:30px;z-index:20`);
      make('p', modal).textContent = say('help');
      page.button(modal, say('ok') || '×', () => {
        modal.remove();
        box.replaceChildren();
        page.button(box, say('start') || '▶', () => { page.unveil(); begin(); });
      });
    });
  },
  // The screen with the second button comes by itself, a while after the first was pressed.
  late: (page, begin) => {
    page.button(page.veil(), say('help') || '?', () => {
      page.veil('…');
      setTimeout(() => page.button(page.veil(), say('start') || '▶', () => { page.unveil(); begin(); }), 5000);
    });
  },
  countdown: (page, begin) => {
    page.button(page.veil(), say('start') || '▶', () => {
      let left = 3;
      const tick = () => {
        if (left === 0) { page.unveil(); begin(); return; }
        page.veil(String(left));
        left -= 1;
        setTimeout(tick, 1000);
      };
      tick();
    });
  },
  cookie: (page, begin) => {
    STARTS.button(page, begin);
    const banner = make('div', page.root, `position:fixed;inset:0;background:rgb(0 0 0 / 80%);color:#fff;display:grid;place-content:center;gap:16px;z-index:50`);
    make('p', banner).textContent = say('cookie');
    page.button(banner, say('accept') || '✓', () => banner.remove());
  },
  // Written on the board itself: Enter opens the choice of modes, Enter again starts.
  canvas_menu: (page, begin) => {
    page.text = [say('title'), `▸ ${say('start')}`, `  ${say('options')}`];
    page.onceKey(e => e.key === 'Enter', () => {
      page.text = [say('mode'), '▸ 1', '  2'];
      page.onceKey(e => e.key === 'Enter', () => { page.text = []; begin(); });
    });
  },
  // The first entry leads nowhere: one step down, then Enter.
  canvas_arrows: (page, begin) => {
    let at = 0;
    const write = () => { page.text = [say('title'), ...[say('options'), say('start')].map((word, i) => `${i === at ? '▸' : ' '} ${word}`)]; };
    write();
    const step = e => {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') at = 1 - at;
      else if (e.key === 'Enter' && at === 1) { removeEventListener('keydown', step); page.text = []; begin(); return; }
      if (page.text.length > 0) write();
    };
    addEventListener('keydown', step);
  },
  // Enter opens a choice of settings, of which the last starts the game; Enter on the others does nothing.
  canvas_setup: (page, begin) => {
    page.text = [say('title'), `▸ ${say('start')}`, `  ${say('options')}`];
    page.onceKey(e => e.key === 'Enter', () => {
      const rows = [say('mode'), say('options'), say('more'), say('start')];
      let at = 0;
      const write = () => { page.text = rows.map((word, i) => `${i === at ? '▸' : ' '} ${word}`); };
      write();
      const step = e => {
        if (e.key === 'ArrowDown') at = (at + 1) % rows.length;
        else if (e.key === 'ArrowUp') at = (at + rows.length - 1) % rows.length;
        else if (e.key === 'Enter' && at === rows.length - 1) { removeEventListener('keydown', step); page.text = []; begin(); return; }
        write();
      };
      // The press that opened it is over by then.
      setTimeout(() => addEventListener('keydown', step));
    });
  },
  // The same on screens that flicker, with a bar that glows behind the chosen row; the marker of the first one blinks.
  canvas_glow: (page, begin) => {
    const menu = (rows, marked, chosen) => {
      let at = 0;
      const write = () => { page.lit = at; page.text = rows.map((word, i) => (i === at && marked && Date.now() % 1000 < 500 ? `▸ ${word}` : word)); };
      const blinks = setInterval(write, 100);
      const step = e => {
        if (e.key === 'ArrowDown') at = (at + 1) % rows.length;
        else if (e.key === 'ArrowUp') at = (at + rows.length - 1) % rows.length;
        else if (e.key === 'Enter' && chosen(at)) { removeEventListener('keydown', step); clearInterval(blinks); return; }
        write();
      };
      write();
      setTimeout(() => addEventListener('keydown', step));
    };
    const settings = [say('mode'), say('more'), say('start')];
    menu([say('start'), say('options'), say('help')], true, at => {
      if (at === 0) menu(settings, false, row => row === 2 && (page.text = [], page.lit = -1, begin(), true));
      else menu([say('ok'), say('cookie'), say('help')], false, () => false);
      return true;
    });
  },
  // A title on which blocks fall and come to rest, one after another, until Enter is pressed.
  resting: (page, begin) => {
    page.attract = 'rest';
    page.onceKey(e => e.key === 'Enter', () => { page.attract = ''; begin(); });
  },
  // The same under words that go with it.
  resting_words: (page, begin) => {
    page.attract = 'rest';
    page.text = [`▸ ${say('start')}`, `  ${say('options')}`];
    page.onceKey(e => e.key === 'Enter', () => { page.attract = ''; page.text = []; begin(); });
  },
  // A title on which a game plays itself, until Enter is pressed.
  demonstration: (page, begin) => {
    page.attract = 'play';
    page.onceKey(e => e.key === 'Enter', () => { page.attract = ''; begin(); });
  },
  // The button stays, keeps the focus, and pauses when pressed again.
  focus_keep: (page, begin, game) => {
    const button = page.button(page.side, say('start') || '▶', () => {
      if (game.state === 'menu') begin(); else if (game.state !== 'over') game.pause();
      button.textContent = game.state === 'paused' ? say('resume') || '▶' : say('pause') || '❚❚';
    });
  },
  // The button stays, keeps the focus, and begins another game when pressed again.
  focus_anew: (page, begin, game) => {
    page.button(page.side, say('start') || '▶', () => { if (game.state === 'menu') begin(); else game.start(); });
  },
  // A drop before the game has begun finds no ground, ever.
  hasty: (page, begin) => {
    const drop = e => { if (e.key === ' ') for (;;); };
    addEventListener('keydown', drop);
    page.button(page.side, say('start') || '▶', () => { removeEventListener('keydown', drop); page.board.focus?.(); begin(); });
  },
  // Nobody plays without a name.
  name: (page, begin) => {
    const veil = page.veil(say('title')), field = make('input', veil);
    page.button(veil, say('start') || '▶', () => { if (field.value.trim() === '') return; page.unveil(); begin(); });
  },
  decoys: (page, begin, game) => {
    const bar = make('div', page.side, 'display:grid;gap:8px;margin:0 0 16px');
    page.button(bar, say('reset') || '↺', () => { if (game.state === 'playing') game.start(); });
    page.button(bar, say('pause') || '❚❚', () => game.pause());
    const link = make('a', bar, `color:${PALETTE.text}`);
    link.href = 'https://example.com/'; link.textContent = say('more') || '↗';
    const start = page.button(bar, say('start') || '▶', () => { start.disabled = true; page.board.focus?.(); begin(); });
  },
  // A title over blocks that fall by themselves: motion, but no game.
  title: (page, begin) => {
    page.attract = 'fall';
    page.button(page.veil(say('title')), say('start') || '▶', () => { page.attract = ''; page.unveil(); begin(); });
  },
  // They go to the sides by themselves, too: sooner or later just after a key.
  drifting: (page, begin) => {
    page.attract = 'drift';
    page.button(page.veil(say('title')), say('start') || '▶', () => { page.attract = ''; page.unveil(); begin(); });
  },
};
