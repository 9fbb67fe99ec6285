//! The accessibility tree of a page, as the browser would hand it to a screen reader.
//!
//! Comes in: a [`Page`]. Goes out: its nodes, without those that only hold others. Must never know: what they should be.

use super::error::{Result, clean};
use super::page::Page;
use crate::model::AxNode;
use serde_json::{Value, json};
use std::time::Duration;

/// Nodes kept; a page with more is not told of them all.
const MAX_NODES: usize = 3_000;
/// Frames looked into beside the top one.
const MAX_FRAMES: usize = 10;
const MAX_NAME: usize = 200;

/// Roles that say nothing by themselves: plain text, line breaks, boxes.
const QUIET: [&str; 8] = [
    "none",
    "generic",
    "StaticText",
    "InlineTextBox",
    "LineBreak",
    "ListMarker",
    "paragraph",
    "LayoutTableCell",
];

impl Page {
    /// The accessibility tree of the page and of its frames, in document order.
    pub async fn ax_tree(&self, deadline: Duration) -> Result<Vec<AxNode>> {
        let tree = self.send("Page.getFrameTree", json!({}), deadline).await?;
        let mut frames = Vec::new();
        frame_ids(&tree["frameTree"], &mut frames);
        let mut nodes = Vec::new();
        for (n, frame) in frames.iter().take(1 + MAX_FRAMES).enumerate() {
            let answer = self
                .send(
                    "Accessibility.getFullAXTree",
                    json!({"frameId": frame}),
                    deadline,
                )
                .await;
            match answer {
                Ok(answer) => read(&answer["nodes"], &mut nodes),
                // A frame may go while it is asked for.
                Err(_) if n > 0 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(nodes)
    }
}

fn frame_ids(tree: &Value, into: &mut Vec<String>) {
    if let Some(id) = tree["frame"]["id"].as_str() {
        into.push(id.into());
    }
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        frame_ids(child, into);
    }
}

fn read(nodes: &Value, into: &mut Vec<AxNode>) {
    for node in nodes.as_array().into_iter().flatten() {
        if into.len() >= MAX_NODES {
            return;
        }
        if node["ignored"].as_bool() == Some(true) {
            continue;
        }
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let focusable = node["properties"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|p| p["name"] == "focusable" && p["value"]["value"] == true);
        if QUIET.contains(&role) && !focusable {
            continue;
        }
        into.push(AxNode {
            role: clean(role, 60),
            name: clean(node["name"]["value"].as_str().unwrap_or_default(), MAX_NAME),
            focusable,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_plain_text_are_left_out_unless_the_keyboard_reaches_them() {
        let node = |role: &str, name: &str, focusable: bool, ignored: bool| {
            json!({
                "ignored": ignored, "role": {"value": role}, "name": {"value": name},
                "properties": [{"name": "focusable", "value": {"value": focusable}}],
            })
        };
        let answer = json!([
            node("RootWebArea", "Game", true, false),
            node("generic", "", false, false),
            node("generic", "", true, false),
            node("StaticText", "Score", false, false),
            node("button", "Start\u{1b}[31m", true, false),
            node("button", "gone", true, true),
            "not a node",
        ]);
        let mut found = Vec::new();
        read(&answer, &mut found);
        let said: Vec<String> = found
            .iter()
            .map(|n| format!("{}:{}:{}", n.role, n.name, n.focusable))
            .collect();
        assert_eq!(
            said,
            [
                "RootWebArea:Game:true",
                "generic::true",
                "button:Start[31m:true",
                "::false"
            ]
        );
    }
}
