//! A bounded queue of what a page signals.
//!
//! Comes in: signals, as many as a hostile page likes. Goes out: the same in order, the rest counted.
//! Must never know: where they come from.

use super::wire::lock;
use crate::model::PageSignal;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// How many signals wait at most. Nobody reads a thousand dialogs; who reads in time loses none.
const CAPACITY: usize = 1024;

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Signals {
    queue: Mutex<VecDeque<PageSignal>>,
    dropped: AtomicU64,
    arrived: Notify,
}

/// Is this a signal whose loss would change what is known of the page?
fn vital(signal: &PageSignal) -> bool {
    matches!(
        signal,
        PageSignal::Crashed | PageSignal::BrowserGone | PageSignal::Loaded { .. }
    )
}

impl Signals {
    /// Queues a signal. When full, the newest is dropped and counted; for a vital one the oldest makes room.
    pub fn push(&self, signal: PageSignal) {
        {
            let mut queue = lock(&self.queue);
            if queue.len() >= CAPACITY {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                if !vital(&signal) {
                    return;
                }
                let oldest = queue.iter().position(|s| !vital(s)).unwrap_or(0);
                queue.remove(oldest);
            }
            queue.push_back(signal);
        }
        self.arrived.notify_one();
    }

    /// Everything that waits.
    pub fn drain(&self) -> Vec<PageSignal> {
        lock(&self.queue).drain(..).collect()
    }

    /// The next one, as soon as there is one.
    pub async fn next(&self) -> PageSignal {
        loop {
            let arrived = self.arrived.notified();
            if let Some(signal) = lock(&self.queue).pop_front() {
                return signal;
            }
            arrived.await;
        }
    }

    /// How many were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_bounded_and_counted_and_a_crash_gets_through() {
        let signals = Signals::default();
        for n in 0..CAPACITY + 10 {
            signals.push(PageSignal::ConsoleError {
                text: n.to_string(),
            });
        }
        signals.push(PageSignal::Crashed);
        let all = signals.drain();
        assert_eq!(all.len(), CAPACITY);
        assert_eq!(all.last(), Some(&PageSignal::Crashed));
        assert_eq!(signals.dropped(), 11);
    }
}
