//! Opening an address: how far a document has come, and when to stop waiting for it.
//!
//! Comes in: an address and a deadline. Goes out: an [`Arrival`] or a typed error.
//! Must never know: what the document is asked afterwards.

use super::error::{BrowserError, Result, clean};
use super::page::{Page, SIGN_OF_LIFE};
use super::watch::{Life, Loading};
use crate::model::PageSignal;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::time::{Duration, Instant};
use url::Url;

/// Times in a row that a document may be replaced under a question.
const REPLACED: u32 = 3;

/// How far a document had loaded when [`Page::goto`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadState {
    /// Its load event has fired.
    Complete,
    /// It was parsed; something it refers to (an image, a script) did not come within the deadline.
    Interactive,
    /// It did not come to its end within the deadline; what there was is shown.
    Partial,
    /// It does not answer: most likely a script that never ends ([`Page::unhang`] may help).
    Hung,
}

/// What [`Page::goto`] came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// The document's address, after redirects; untrusted.
    pub url: String,
    /// The HTTP status, where there is one.
    pub status: Option<u16>,
    /// How far it had loaded.
    pub state: LoadState,
    /// How long that took.
    pub elapsed: Duration,
}

impl Page {
    /// Opens an address and waits for its load event, at most for `deadline`.
    ///
    /// A document that is there but has not finished by then is no error: loading is stopped and the
    /// [`Arrival`] says how far it came. An error is an address that cannot be opened, leads to a host that is
    /// not allowed, or does not answer at all.
    pub async fn goto(&self, url: &str, deadline: Duration) -> Result<Arrival> {
        let failed = |why: String| BrowserError::Navigation {
            url: clean(url, 500),
            why: clean(&why, 500),
        };
        let parsed = Url::parse(url).map_err(|e| failed(e.to_string()))?;
        if !self.watch.policy.allows(&parsed) {
            return Err(failed("its host is not allowed".into()));
        }
        self.watch.loading.send_modify(|l| l.refused = None);
        if let Some(withheld) = &self.withheld {
            withheld.opened_anew();
        }
        let open = async |this: &Self| {
            let answer = this
                .send("Page.navigate", json!({"url": parsed.as_str()}), deadline)
                .await?;
            if let Some(error) = answer["errorText"].as_str() {
                let refused = this.watch.loading.borrow().refused.clone();
                // An address that answers with a download is "aborted", too.
                return Err(failed(refused.map_or_else(
                    || error.to_string(),
                    |to| format!("it leads to {to}, whose host is not allowed"),
                )));
            }
            Ok(answer["loaderId"].as_str().map(str::to_string))
        };
        self.arrive(deadline, open).await
    }

    /// Goes to an empty document, and waits until it is there: a page that listens for being left is asked before it
    /// is, and a navigation that begins while it goes asks it in vain, for ever.
    pub(super) async fn leave(&self, deadline: Duration) -> Result<()> {
        let open = async |this: &Self| {
            let blank = json!({"url": "about:blank"});
            let answer = this.send("Page.navigate", blank, deadline).await?;
            Ok(answer["loaderId"].as_str().map(str::to_string))
        };
        self.arrive(deadline, open).await.map(drop)
    }

    /// [`Page::call`]; where a page replaces its document meanwhile, the one that comes instead is asked. Pages load
    /// themselves anew when a new version of them has come, for instance.
    pub(super) async fn call_anew<T: DeserializeOwned>(
        &self,
        expression: &str,
        deadline: Duration,
    ) -> Result<T> {
        let begun = Instant::now();
        for _ in 0..REPLACED {
            let before = self.watch.loading.borrow().loader.clone();
            match self.call(expression, deadline).await {
                Err(BrowserError::DocumentReplaced) => {}
                answer => return answer,
            }
            let mut loading = self.watch.loading.subscribe();
            let there = loading.wait_for(|l| l.loader != before && (l.complete || l.stopped));
            let left = deadline.saturating_sub(begun.elapsed());
            match self.or_dead(there, left, "load").await {
                // As far as it came: what is there can be asked.
                Ok(_) | Err(BrowserError::Timeout { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.call(expression, deadline).await
    }

    /// Loads the document again, as [`Page::goto`] does.
    pub async fn reload(&self, deadline: Duration) -> Result<Arrival> {
        let before = self.watch.loading.borrow().loader.clone();
        self.arrive(deadline, async |this: &Self| {
            this.send("Page.reload", json!({}), deadline).await?;
            // The answer may come before the new document does.
            let mut loading = this.watch.loading.subscribe();
            let fresh = async {
                let now = loading.wait_for(|l| l.loader != before).await;
                now.map(|l| l.loader.clone()).ok()
            };
            this.or_dead(fresh, deadline, "reload").await
        })
        .await
    }

    async fn or_dead<T>(
        &self,
        wait: impl Future<Output = T>,
        deadline: Duration,
        what: &str,
    ) -> Result<T> {
        let mut life = self.watch.life.subscribe();
        tokio::select! {
            biased;
            dead = life.wait_for(|l| *l != Life::Alive) => {
                Err(dead.ok().and_then(|l| l.error()).unwrap_or(BrowserError::BrowserGone))
            }
            done = wait => Ok(done),
            () = tokio::time::sleep(deadline) => Err(BrowserError::Timeout { what: what.into(), deadline }),
        }
    }

    async fn arrive(
        &self,
        deadline: Duration,
        open: impl AsyncFnOnce(&Self) -> Result<Option<String>>,
    ) -> Result<Arrival> {
        let begin = Instant::now();
        let loader = match open(self).await {
            Ok(loader) => loader,
            Err(error) => {
                if let BrowserError::Timeout { what, .. } = &error {
                    self.post("Page.stopLoading", json!({}));
                    self.watch
                        .signals
                        .push(PageSignal::Unresponsive { what: what.clone() });
                }
                return Err(error);
            }
        };
        let mut state = LoadState::Complete;
        if let Some(loader) = loader {
            let mut loading = self.watch.loading.subscribe();
            // A document that sends on to another one at once has another loader by the time we look.
            let mut came = false;
            let done = async {
                let wait = loading.wait_for(|l| {
                    came |= l.loader == loader;
                    came && (l.complete || l.stopped)
                });
                wait.await.is_ok_and(|l| l.complete)
            };
            let left = deadline.saturating_sub(begin.elapsed());
            match self.or_dead(done, left, "load").await {
                Ok(true) => {}
                Ok(false) | Err(BrowserError::Timeout { .. }) => state = self.how_far().await?,
                Err(error) => return Err(error),
            }
        }
        let Loading { url, status, .. } = self.watch.loading.borrow().clone();
        Ok(Arrival {
            url,
            status,
            state,
            elapsed: begin.elapsed(),
        })
    }

    async fn how_far(&self) -> Result<LoadState> {
        let dom = self.watch.loading.borrow().dom;
        self.post("Page.stopLoading", json!({}));
        match self.evaluate("1", SIGN_OF_LIFE).await {
            Ok(_) | Err(BrowserError::Script { .. } | BrowserError::DocumentReplaced) => {
                Ok(if dom {
                    LoadState::Interactive
                } else {
                    LoadState::Partial
                })
            }
            Err(BrowserError::Timeout { .. }) => Ok(LoadState::Hung),
            Err(error) => Err(error),
        }
    }
}
