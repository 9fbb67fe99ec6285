// The keys of the test games: which key does what (`keys`), and when a key counts (`trigger`).
'use strict';

// Per scheme, what KeyboardEvent.key each action answers to.
const SCHEMES = {
  arrows: { left: 'ArrowLeft', right: 'ArrowRight', soft: 'ArrowDown', cw: 'ArrowUp', ccw: 'z', hard: ' ', hold: 'c', pause: 'p', restart: 'r' },
  wasd: { left: 'a', right: 'd', soft: 's', cw: 'w', ccw: 'q', hard: ' ', hold: 'e', pause: 'p', restart: 'r' },
  vim: { left: 'h', right: 'l', soft: 'j', cw: 'k', ccw: 'i', hard: ' ', hold: 'u', pause: 'p', restart: 'r' },
  digits: { left: '4', right: '6', soft: '2', cw: '8', ccw: '7', hard: '5', hold: '9', pause: '0', restart: '1' },
  // The arrows turn, letters move.
  split: { left: 'a', right: 'd', soft: 's', ccw: 'ArrowLeft', cw: 'ArrowRight', hard: 'ArrowDown', pause: 'p', restart: 'r' },
  space_pause: { left: 'ArrowLeft', right: 'ArrowRight', soft: 'ArrowDown', cw: 'x', ccw: 'z', hard: 'ArrowUp', pause: ' ', restart: 'Enter' },
  qw: { left: 'ArrowLeft', right: 'ArrowRight', soft: 'ArrowDown', ccw: 'q', cw: 'w', hard: 'ArrowUp', pause: 'Escape', restart: 'Enter' },
  page: { left: 'ArrowLeft', right: 'ArrowRight', soft: 'ArrowDown', cw: 'PageUp', hard: 'PageDown', pause: 'Pause', restart: 'Home' },
  bare: { left: 'ArrowLeft', right: 'ArrowRight', soft: 'ArrowDown', cw: 'ArrowUp', restart: 'Enter' },
};
const SCHEME = SCHEMES[param('keys', 'arrows')];

// keyCode of the keys above, for pages that read nothing else.
const CODES = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, ' ': 32, Enter: 13, Escape: 27, PageUp: 33, PageDown: 34, Pause: 19, Home: 36 };
const codeOf = key => CODES[key] ?? key.toUpperCase().charCodeAt(0);

// Listens at `target` and calls `act(action)`; returns a function to be called once a frame.
function listen(target, game, act) {
  const trigger = param('trigger', 'keydown'), softMode = param('soft', 'step');
  const down = new Map();
  const actionOf = event => Object.keys(SCHEME).find(action =>
    (trigger === 'keycode' ? codeOf(SCHEME[action]) === event.keyCode : SCHEME[action] === (event.key.length === 1 ? event.key.toLowerCase() : event.key)));
  const quiet = event => { if (!defect('page_scroll') && !(param('start')?.startsWith('focus_') && event.key === ' ')) event.preventDefault(); };
  const steers = action => action === 'left' || action === 'right' || action === 'soft';
  const press = action => { if (action === 'soft' && softMode === 'held') game.softHeld = true; else act(action); };

  target.addEventListener('keydown', event => {
    const action = actionOf(event);
    if (!action) return;
    if (trigger !== 'keypress') quiet(event);
    const first = !down.has(action);
    if (first) down.set(action, 0);
    if (trigger === 'keyup' || trigger === 'keypress') return;
    if (trigger === 'polled' || trigger === 'das' || trigger === 'norepeat') {
      // The steering of a polled game waits for the next frame.
      if (first && !(trigger === 'polled' && steers(action))) press(action);
      return;
    }
    if (event.repeat && !steers(action)) return;
    press(action);
  });
  target.addEventListener('keypress', event => {
    const action = actionOf(event);
    if (trigger === 'keypress' && action) { quiet(event); press(action); }
  });
  target.addEventListener('keyup', event => {
    const action = actionOf(event);
    if (!action) return;
    if (action === 'soft') game.softHeld = false;
    if (trigger === 'keyup' && down.has(action)) press(action);
    down.delete(action);
  });
  addEventListener('blur', () => { down.clear(); game.softHeld = false; });

  return dt => {
    for (const [action, held] of down) {
      if (!steers(action) || (action === 'soft' && softMode === 'held')) continue;
      if (trigger === 'polled') act(action);
      if (trigger !== 'das') continue;
      // Delayed auto shift 167 ms, then a step each 33 ms.
      let now = held + dt;
      while (now >= 200) { now -= 33; act(action); }
      down.set(action, now);
    }
  };
}
