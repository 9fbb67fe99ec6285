//! What a page is made of, as one number.

use super::Page;
use super::error::{BrowserError, Result};
use serde_json::{Value, json};
use url::Url;
use xxhash_rust::xxh3::Xxh3;

/// Parts of a page that are looked at: one of more is not known again.
const MOST_PARTS: usize = 200;

/// Bytes of one part: a larger one is not read to its end.
const MOST_BYTES: usize = 32 << 20;

/// A frame and the address of a part of it.
struct Part {
    frame: String,
    url: String,
}

impl Page {
    /// A fingerprint of the documents, scripts and style sheets of the page as they were delivered, in all frames. Pages
    /// with the same one are the same, but for data they fetch. `None` where a part cannot be had.
    ///
    /// # Errors
    /// Where the page does not answer.
    pub async fn fingerprint(&self) -> Result<Option<String>> {
        let tree = self
            .send("Page.getResourceTree", json!({}), self.deadline)
            .await?;
        let root = &tree["frameTree"];
        let origin = root["frame"]["url"]
            .as_str()
            .and_then(|u| Url::parse(u).ok());
        let mut parts = Vec::new();
        collect(root, &mut parts);
        if parts.is_empty() || parts.len() > MOST_PARTS {
            return Ok(None);
        }
        let mut sums: Vec<u128> = Vec::new();
        for part in &parts {
            let Some(content) = self.content(part).await? else {
                tracing::debug!(part = part.url, "a part of the page cannot be had");
                return Ok(None);
            };
            let mut hash = Xxh3::new();
            hash.update(name(&part.url, origin.as_ref()).as_bytes());
            hash.update(&[0]);
            hash.update(content.as_bytes());
            sums.push(hash.digest128());
        }
        // In whichever order they arrived.
        sums.sort_unstable();
        let mut all = Xxh3::new();
        for sum in sums {
            all.update(&sum.to_le_bytes());
        }
        Ok(Some(format!("{:032x}", all.digest128())))
    }

    /// The text of a part as the browser kept it; asked for once more where it was not to be kept (`no-store`).
    async fn content(&self, part: &Part) -> Result<Option<String>> {
        let params = json!({"frameId": part.frame, "url": part.url});
        let kept = self.send("Page.getResourceContent", params, self.deadline);
        match kept.await {
            Ok(answer) => return Ok(answer["content"].as_str().map(Into::into)),
            Err(BrowserError::Protocol { .. }) => {}
            Err(error) => return Err(error),
        }
        let params = json!({
            "frameId": part.frame,
            "url": part.url,
            "options": {"disableCache": false, "includeCredentials": true},
        });
        let asked = self.send("Network.loadNetworkResource", params, self.deadline);
        let stream = match asked.await {
            Ok(answer) => answer["resource"]["stream"].as_str().map(String::from),
            Err(BrowserError::Protocol { .. }) => None,
            Err(error) => return Err(error),
        };
        let Some(stream) = stream else {
            return Ok(None);
        };
        let mut text = String::new();
        let read = loop {
            let params = json!({"handle": stream});
            let piece = match self.send("IO.read", params, self.deadline).await {
                Ok(piece) => piece,
                Err(BrowserError::Protocol { .. }) => break None,
                Err(error) => return Err(error),
            };
            text.push_str(piece["data"].as_str().unwrap_or_default());
            if piece["eof"].as_bool() != Some(false) {
                break Some(text);
            }
            if text.len() > MOST_BYTES {
                break None;
            }
        };
        self.post("IO.close", json!({"handle": stream}));
        Ok(read)
    }
}

fn collect(tree: &Value, parts: &mut Vec<Part>) {
    let frame = tree["frame"]["id"].as_str().unwrap_or_default();
    let mut add = |url: &Value| {
        if let Some(url) = url.as_str() {
            parts.push(Part {
                frame: frame.into(),
                url: url.into(),
            });
        }
    };
    add(&tree["frame"]["url"]);
    for resource in tree["resources"].as_array().into_iter().flatten() {
        let wanted = matches!(resource["type"].as_str(), Some("Script" | "Stylesheet"));
        let failed = resource["failed"].as_bool() == Some(true);
        if wanted && !failed {
            add(&resource["url"]);
        }
    }
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        collect(child, parts);
    }
}

/// An address as it is the same the next time: a page served from this machine has another port in each run.
fn name(url: &str, origin: Option<&Url>) -> String {
    match Url::parse(url) {
        Ok(url) if url.scheme() == "blob" => "blob:".into(),
        Ok(url) if origin.is_some_and(|o| o.origin() == url.origin()) => {
            let query = url.query().map_or(String::new(), |q| format!("?{q}"));
            format!("{}{query}", url.path())
        }
        _ => url.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_page_and_another_host_is() {
        let here = Url::parse("http://127.0.0.1:4000/a/").ok();
        assert_eq!(
            name("http://127.0.0.1:4000/a/x.js?v=1", here.as_ref()),
            "/a/x.js?v=1"
        );
        assert_eq!(
            name("https://cdn.test/x.js", here.as_ref()),
            "https://cdn.test/x.js"
        );
        assert_eq!(
            name("blob:http://127.0.0.1:4000/1-2", here.as_ref()),
            "blob:"
        );
    }

    #[test]
    fn parts_are_found_in_all_frames() {
        let tree = json!({
            "frame": {"id": "1", "url": "http://a/"},
            "resources": [
                {"url": "http://a/x.js", "type": "Script"},
                {"url": "http://a/gone.js", "type": "Script", "failed": true},
                {"url": "http://a/x.png", "type": "Image"},
            ],
            "childFrames": [{"frame": {"id": "2", "url": "http://a/in"}, "resources": []}],
        });
        let mut parts = Vec::new();
        collect(&tree, &mut parts);
        let found: Vec<_> = parts
            .iter()
            .map(|p| (p.frame.as_str(), p.url.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("1", "http://a/"),
                ("1", "http://a/x.js"),
                ("2", "http://a/in")
            ]
        );
    }
}
