//! Keys, mouse and wheel, as a person would use them.
//!
//! Comes in: keys and points in the viewport. Goes out: input events the browser trusts, handled by the page by
//! the time a call returns, or, where it is to be soon, by the time the page is asked anything else. Must never know:
//! what a key means to a game.

use super::error::{BrowserError, Result};
use super::page::Page;
use super::wire::lock;
use crate::model::{Key, PageSignal};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Deadline of a look at what has the focus.
const ANSWER: Duration = Duration::from_secs(20);

/// A key event that was sent, and its answer.
pub(super) struct UnderWay {
    key: Key,
    answer: Pin<Box<dyn Future<Output = Result<Value>> + Send>>,
}

const KEYS: &str = "Input.dispatchKeyEvent";

/// CDP's bit for a modifier key: Alt 1, Control 2, Meta 4, Shift 8.
fn modifier(key: &Key) -> u8 {
    match key.as_str() {
        "Alt" => 1,
        "Control" => 2,
        "Meta" => 4,
        "Shift" => 8,
        _ => 0,
    }
}

/// Does a printable key type its text? Not with Control, Alt or Meta held.
fn types(held: u8) -> bool {
    held.is_multiple_of(8)
}

fn key_event(kind: &str, key: &Key, held: u8, repeat: bool) -> Value {
    // A capital or a shifted sign comes with Shift held.
    let shifted = key.as_str().chars().count() == 1
        && key
            .as_str()
            .chars()
            .all(|c| c.is_ascii_uppercase() || "<>?:\"{}|_+~!@#$%^&*()".contains(c));
    let mut event = json!({
        "type": kind,
        "key": key.as_str(),
        "code": key.code(),
        "windowsVirtualKeyCode": key.key_code(),
        "nativeVirtualKeyCode": key.key_code(),
        "modifiers": held | if shifted { 8 } else { 0 },
        "autoRepeat": repeat,
    });
    if modifier(key) != 0 {
        event["location"] = json!(1);
    }
    if kind == "keyDown"
        && types(held)
        && let Some(text) = key.text()
    {
        event["text"] = json!(text);
        event["unmodifiedText"] = json!(text);
    }
    event
}

impl Page {
    /// Presses a key and leaves it down; `repeat` is for the presses a keyboard sends while it is held.
    pub async fn key_down(&self, key: &Key, repeat: bool) -> Result<()> {
        self.input(KEYS, self.down(key, repeat)).await
    }

    /// Releases a key.
    pub async fn key_up(&self, key: &Key) -> Result<()> {
        self.input(KEYS, self.up(key)).await
    }

    /// As [`Page::key_down`], without waiting for the page to handle it: to go there and back costs more than the key.
    /// Whatever the page is asked next waits until it did.
    pub fn key_down_soon(&self, key: &Key) -> Result<()> {
        self.soon(key, self.down(key, false))
    }

    /// As [`Page::key_up`], likewise.
    pub fn key_up_soon(&self, key: &Key) -> Result<()> {
        self.soon(key, self.up(key))
    }

    fn soon(&self, key: &Key, event: Value) -> Result<()> {
        let answer = Box::pin(self.ask(KEYS, event)?);
        let key = key.clone();
        lock(&self.under_way).push_back(UnderWay { key, answer });
        Ok(())
    }

    /// Waits until the page has handled the keys that are under way.
    ///
    /// # Errors
    /// [`BrowserError::Timeout`] where it did not, which is a signal, too; the keys after that one are given up.
    pub(super) async fn settle(&self) -> Result<()> {
        loop {
            let Some(UnderWay { key, answer }) = lock(&self.under_way).pop_front() else {
                return Ok(());
            };
            let answered = self.answered(answer, KEYS, self.deadline).await;
            let Err(error) = answered else { continue };
            lock(&self.under_way).clear();
            let BrowserError::Timeout { deadline, .. } = error else {
                return Err(error);
            };
            let what = format!("key {key}");
            let signal = PageSignal::Unresponsive { what: what.clone() };
            self.watch.signals.push(signal);
            return Err(BrowserError::Timeout { what, deadline });
        }
    }

    fn down(&self, key: &Key, repeat: bool) -> Value {
        let held = self.modifiers.fetch_or(modifier(key), Ordering::Relaxed) | modifier(key);
        let kind = if key.text().is_some() && types(held) {
            "keyDown"
        } else {
            "rawKeyDown"
        };
        key_event(kind, key, held, repeat)
    }

    fn up(&self, key: &Key) -> Value {
        let held = self.modifiers.fetch_and(!modifier(key), Ordering::Relaxed) & !modifier(key);
        key_event("keyUp", key, held, false)
    }

    /// Moves the mouse to a point of the viewport, in CSS pixels.
    pub async fn mouse_move(&self, x: f64, y: f64) -> Result<()> {
        self.mouse("mouseMoved", x, y, json!({})).await
    }

    /// Takes the focus from the control to which a click or the Tab key gave it; what one writes in keeps it.
    pub async fn unfocus(&self) -> Result<()> {
        const SCRIPT: &str = "(() => { const e = document.activeElement; \
                              if (e && e !== document.body && e.localName !== 'canvas' && e.localName !== 'iframe' \
                                  && !e.isContentEditable && !('selectionStart' in e)) e.blur(); return 0 })()";
        let _: u32 = self.call(SCRIPT, ANSWER).await?;
        Ok(())
    }

    /// Moves there, presses the left button and releases it. A point of the viewport, in CSS pixels.
    pub async fn click(&self, x: f64, y: f64) -> Result<()> {
        self.mouse_move(x, y).await?;
        let button = |buttons: u8| json!({"button": "left", "buttons": buttons, "clickCount": 1});
        self.mouse("mousePressed", x, y, button(1)).await?;
        self.mouse("mouseReleased", x, y, button(0)).await
    }

    /// Presses the left button at one point, moves to another in steps, and releases it there.
    pub async fn drag(&self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        const STEPS: u32 = 8;
        let held = json!({"button": "left", "buttons": 1, "clickCount": 1});
        self.mouse_move(from.0, from.1).await?;
        self.mouse("mousePressed", from.0, from.1, held.clone())
            .await?;
        for step in 1..=STEPS {
            let share = f64::from(step) / f64::from(STEPS);
            let x = from.0 + (to.0 - from.0) * share;
            let y = from.1 + (to.1 - from.1) * share;
            self.mouse("mouseMoved", x, y, held.clone()).await?;
        }
        let free = json!({"button": "left", "buttons": 0, "clickCount": 1});
        self.mouse("mouseReleased", to.0, to.1, free).await
    }

    /// Turns the wheel at a point of the viewport, by CSS pixels (down and right are positive).
    pub async fn wheel(&self, x: f64, y: f64, delta_x: f64, delta_y: f64) -> Result<()> {
        let delta = json!({"deltaX": delta_x, "deltaY": delta_y});
        self.mouse("mouseWheel", x, y, delta).await
    }

    async fn mouse(&self, kind: &str, x: f64, y: f64, mut event: Value) -> Result<()> {
        event["type"] = json!(kind);
        let scale = self.shown_at();
        event["x"] = json!(x * scale);
        event["y"] = json!(y * scale);
        event["modifiers"] = json!(self.modifiers.load(Ordering::Relaxed));
        self.input("Input.dispatchMouseEvent", event).await
    }

    async fn input(&self, method: &'static str, event: Value) -> Result<()> {
        self.send(method, event, self.deadline).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_carry_what_games_look_at() {
        let event = key_event("keyDown", &Key::new("z"), 0, false);
        assert_eq!(event["code"], "KeyZ");
        assert_eq!(event["windowsVirtualKeyCode"], 90);
        assert_eq!(event["text"], "z");
        let event = key_event("rawKeyDown", &Key::new("ArrowLeft"), 0, true);
        assert_eq!(event["windowsVirtualKeyCode"], 37);
        assert_eq!(event["autoRepeat"], true);
        assert!(event["text"].is_null());
    }

    #[test]
    fn a_key_types_nothing_while_control_is_held() {
        assert!(key_event("keyDown", &Key::new("c"), 2, false)["text"].is_null());
        assert_eq!(
            key_event("keyDown", &Key::new("C"), 0, false)["modifiers"],
            8
        );
    }
}
