//! Accessibility, from what was measured of a page: what fails, and what only a person can tell.
//!
//! Comes in: Evidence. Goes out: [`Accessibility`]. Must never know: a browser. The rules are those of WCAG 2.2 (A and
//! AA) that a program can decide or at least raise; none of them counts for the score.

use super::build::plain;
use super::types::{Accessibility, Finding, FindingKind};
use crate::evidence::{Evidence, Start};
use crate::model::{Access, Action, Contrast, Measure, Rect, StartMechanism, Tabs};

/// Places and names told of one finding.
const TOLD: usize = 5;
/// Roles of things that do something and need a name.
const CONTROLS: [&str; 17] = [
    "button",
    "link",
    "checkbox",
    "radio",
    "switch",
    "textbox",
    "searchbox",
    "combobox",
    "listbox",
    "slider",
    "spinbutton",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "tab",
    "treeitem",
    "PopUpButton",
];
/// The least that text must be able to grow to (1.4.4).
const LEAST_ZOOM: f64 = 2.0;

struct Findings(Vec<Finding>);

impl Findings {
    /// A rule is told once, with what was found first.
    fn add(&mut self, kind: FindingKind, rule: &str, wcag: &str, reason: String, at: Vec<Rect>) {
        if self.0.iter().all(|f| f.rule != rule) {
            self.0.push(Finding {
                rule: rule.into(),
                kind,
                wcag: wcag.into(),
                reason,
                places: at.into_iter().take(TOLD).collect(),
            });
        }
    }

    fn fails(&mut self, rule: &str, wcag: &str, reason: impl Into<String>) {
        self.add(FindingKind::Fails, rule, wcag, reason.into(), Vec::new());
    }

    fn person(&mut self, rule: &str, wcag: &str, reason: impl Into<String>) {
        let kind = FindingKind::NeedsAPerson;
        self.add(kind, rule, wcag, reason.into(), Vec::new());
    }
}

/// What is to be said of the page; `None` where it was not looked at.
pub(super) fn judge(evidence: &Evidence) -> Option<Accessibility> {
    let seen: Vec<&Access> = evidence
        .measures()
        .iter()
        .filter_map(|(_, m)| match m {
            Measure::Access(access) => Some(access.as_ref()),
            _ => None,
        })
        .collect();
    let last = *seen.last()?;
    let mut found = Findings(Vec::new());
    document(last, &mut found);
    // The title screen and the running game each have their own; the game comes first.
    for access in seen.iter().rev() {
        names(access, &mut found);
        contrast(access, &mut found);
        mouse(access, &mut found);
    }
    for tabs in evidence.measures().iter().filter_map(|(_, m)| match m {
        Measure::Tabs(tabs) => Some(tabs),
        _ => None,
    }) {
        focus(tabs, &mut found);
    }
    play(evidence, &mut found);
    moving(last, &mut found);
    let texts = |kind: FindingKind| -> Vec<String> {
        let of_kind = found.0.iter().filter(|f| f.kind == kind);
        of_kind
            .map(|f| format!("{} (WCAG {})", f.reason, f.wcag))
            .collect()
    };
    let issues = texts(FindingKind::Fails);
    Some(Accessibility {
        issue_count: issues.len(),
        pass: issues.is_empty(),
        needs_a_person: texts(FindingKind::NeedsAPerson),
        issues,
        findings: found.0,
    })
}

/// The document: title, language, zoom, structure.
fn document(page: &Access, found: &mut Findings) {
    if page.title.trim().is_empty() {
        found.fails("title", "2.4.2", "the document has no title");
    }
    let lang = page.lang.trim();
    if lang.is_empty() {
        found.fails(
            "language",
            "3.1.1",
            "the document does not say its language, so a screen reader may read it in another one",
        );
    } else if !is_language(lang) {
        let reason = format!("the document's language {:?} is none", plain(lang));
        found.fails("language", "3.1.1", reason);
    }
    if let Some(how) = zoom_refused(&page.viewport) {
        let reason = format!("the page does not let itself be enlarged ({})", plain(&how));
        found.fails("zoom", "1.4.4", reason);
    }
    let has = |role: &str| page.nodes.iter().any(|n| n.role == role);
    if !page.nodes.is_empty() && !has("heading") {
        found.person(
            "headings",
            "1.3.1, 2.4.6",
            "there is no heading to find one's way by",
        );
    }
    if !page.nodes.is_empty() && !has("main") {
        found.person(
            "landmarks",
            "1.3.1",
            "no part of the page is marked as its main one",
        );
    }
    if page.tab_order > 0 {
        let reason = format!(
            "{} elements put themselves before the page's order (tabindex above 0): is the order still one that makes sense?",
            page.tab_order
        );
        found.person("tab_order", "2.4.3", reason);
    }
}

/// A language tag, as far as its shape tells.
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=8).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && parts.all(|p| (1..=8).contains(&p.len()) && p.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The setting of `<meta name=viewport>` that keeps a page from being enlarged.
fn zoom_refused(viewport: &str) -> Option<String> {
    viewport.split([',', ';']).find_map(|setting| {
        let (name, value) = setting.split_once('=')?;
        let (name, value) = (name.trim().to_lowercase(), value.trim().to_lowercase());
        let number = value.parse::<f64>().ok();
        let refused = match name.as_str() {
            "user-scalable" => value == "no" || number.is_some_and(|n| n.abs() < 1.0),
            "maximum-scale" => number.is_some_and(|n| (0.0..LEAST_ZOOM).contains(&n)),
            _ => false,
        };
        refused.then(|| format!("{name}={value}"))
    })
}

/// What a screen reader is given: names of controls and pictures.
fn names(page: &Access, found: &mut Findings) {
    let nameless = |wanted: &dyn Fn(&str, bool) -> bool| -> Vec<&str> {
        page.nodes
            .iter()
            .filter(|n| n.name.trim().is_empty() && wanted(&n.role, n.focusable))
            .map(|n| n.role.as_str())
            .collect()
    };
    let controls = nameless(&|role, focusable| focusable && CONTROLS.contains(&role));
    if !controls.is_empty() {
        let reason = format!(
            "{} without a name: a screen reader says what it is, not what it does",
            counted(&controls)
        );
        found.fails("control_names", "4.1.2", reason);
    }
    let pictures = nameless(&|role, _| role == "image" || role == "img");
    if !pictures.is_empty() {
        let reason = format!("{} without a text that stands for it", counted(&pictures));
        found.fails("picture_names", "1.1.1", reason);
    }
    if !page.bare_canvases.is_empty() {
        let n = page.bare_canvases.len();
        let what = if n == 1 {
            "a canvas has"
        } else {
            "canvases have"
        };
        let reason = format!(
            "{}{what} neither a name nor content to fall back on: a screen reader does not know it is there",
            if n == 1 {
                String::new()
            } else {
                format!("{n} ")
            }
        );
        let kind = FindingKind::Fails;
        let at = page.bare_canvases.clone();
        found.add(kind, "canvas_names", "1.1.1", reason, at);
    }
    if page.canvas_texts > 0 {
        let reason = format!(
            "{} texts are drawn on a canvas, where only the eye reads them: do they stand elsewhere, too?",
            page.canvas_texts
        );
        found.person("canvas_texts", "1.1.1, 1.4.5", reason);
    }
}

/// "2 button, 1 link"
fn counted(roles: &[&str]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for role in roles {
        match counts.iter_mut().find(|(r, _)| r == role) {
            Some((_, n)) => *n += 1,
            None => counts.push((role, 1)),
        }
    }
    let parts: Vec<String> = counts.iter().map(|(r, n)| format!("{n} {r}")).collect();
    plain(&parts.join(", "))
}

fn contrast(page: &Access, found: &mut Findings) {
    let (low, unclear): (Vec<&Contrast>, Vec<&Contrast>) = page
        .contrasts
        .iter()
        .partition(|c| c.ratio.is_some_and(|(_, most)| most < c.needed));
    let told = |list: &[&Contrast]| -> String {
        let some: Vec<String> = list
            .iter()
            .take(TOLD)
            .map(|c| match c.ratio {
                Some((least, _)) => {
                    format!("{:?} {least:.1} of {}", plain(&c.text), c.needed)
                }
                None => format!("{:?}", plain(&c.text)),
            })
            .collect();
        let more = list.len().saturating_sub(TOLD);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        some.join(", ") + &more
    };
    let places = |list: &[&Contrast]| list.iter().map(|c| c.rect).collect::<Vec<_>>();
    if !low.is_empty() {
        let reason = format!("too little contrast: {}", told(&low));
        let kind = FindingKind::Fails;
        found.add(kind, "contrast", "1.4.3", reason, places(&low));
    }
    if !unclear.is_empty() {
        let reason = format!(
            "is the contrast enough on what lies behind (a picture, a gradient)? {}",
            told(&unclear)
        );
        let kind = FindingKind::NeedsAPerson;
        found.add(kind, "contrast_unclear", "1.4.3", reason, places(&unclear));
    }
}

fn mouse(page: &Access, found: &mut Findings) {
    if page.mouse_only.is_empty() {
        return;
    }
    let names: Vec<String> = page
        .mouse_only
        .iter()
        .take(TOLD)
        .map(|n| match n.text.trim() {
            "" => format!("a nameless {}", n.tag),
            text => format!("{:?}", plain(text)),
        })
        .collect();
    let reason = format!(
        "{} that can be clicked cannot be reached by the keyboard: does a key do the same? {}",
        page.mouse_only.len(),
        names.join(", ")
    );
    let at = page.mouse_only.iter().map(|n| n.rect).collect();
    let kind = FindingKind::NeedsAPerson;
    found.add(kind, "mouse_only", "2.1.1", reason, at);
}

/// Where the Tab key led.
fn focus(tabs: &Tabs, found: &mut Findings) {
    let Some((first, rest)) = tabs.stops.split_first() else {
        return;
    };
    if rest.is_empty() || rest.iter().any(|s| s != first) {
        return;
    }
    if first.is_empty() && tabs.tabbable > 0 {
        let reason = format!(
            "while the game runs the Tab key reaches none of {} controls",
            tabs.tabbable
        );
        found.fails("tab_dead", "2.1.1", reason);
    } else if tabs.tabbable > 1 {
        let reason = format!(
            "the focus stays on {} whatever Tab is pressed, and {} controls wait",
            plain(first),
            tabs.tabbable
        );
        found.fails("tab_trap", "2.1.2", reason);
    }
}

/// Starting and playing by keyboard alone.
fn play(evidence: &Evidence, found: &mut Findings) {
    if let Some((_, Start::Started(Some(candidate), _))) = evidence.start()
        && matches!(
            candidate.mechanism,
            StartMechanism::Button | StartMechanism::ClickCanvas
        )
    {
        let native = evidence.surveys().iter().any(|(_, s)| {
            s.clickables.iter().any(|c| {
                Some(&c.selector) == candidate.selector.as_ref()
                    && matches!(c.tag.as_str(), "button" | "a" | "input" | "summary")
            })
        });
        if !native {
            let reason = format!(
                "it was started by a click on {}, which is no button: does a key start it, too?",
                plain(&candidate.label)
            );
            found.person("start_by_keyboard", "2.1.1", reason);
        }
    }
    if let Some((_, map, _)) = evidence.controls() {
        let looked = map.key_observations.len() > 1;
        let missing = |action: Action| map.key(action).is_none();
        let sides = [Action::MoveLeft, Action::MoveRight];
        if looked && sides.into_iter().all(missing) {
            let reason = "no key was found that moves the piece: it cannot be played without a pointer, as far as was seen";
            found.person("play_by_keyboard", "2.1.1", reason);
        }
        if map.get(Action::Pause).is_some_and(|m| m.key.is_none()) && looked {
            let reason = "no key was found that pauses the game: who needs time has no way to get it, unless a control gives it";
            found.person("pause", "2.2.2", reason);
        }
    }
}

/// What moves or changes by itself.
fn moving(page: &Access, found: &mut Findings) {
    if page.live.is_empty() {
        let reason = "no part of the page is one whose changes are read out: is the score, and the end of the game, told to who cannot see it?";
        found.person("live_regions", "4.1.3", reason);
    }
    if page.endless_animations > 0 && !page.asks_for_reduced_motion {
        let reason = format!(
            "{} animations never end and the page does not ask whether motion is to be reduced",
            page.endless_animations
        );
        found.person("motion", "2.2.2, 2.3.3", reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AxNode, Named, Record, RecordBody, Stamp};

    fn judged(measures: Vec<Measure>) -> Option<Accessibility> {
        let mut evidence = Evidence::default();
        for (seq, measure) in measures.into_iter().enumerate() {
            let stamp = Stamp {
                seq: seq as u64,
                ..Stamp::default()
            };
            let body = RecordBody::Measured(measure);
            evidence.push(&Record { stamp, body });
        }
        judge(&evidence)
    }

    fn node(role: &str, name: &str, focusable: bool) -> AxNode {
        AxNode {
            role: role.into(),
            name: name.into(),
            focusable,
        }
    }

    fn good() -> Access {
        Access {
            title: "テトリス".into(),
            lang: "ja-JP".into(),
            viewport: "width=device-width, initial-scale=1, maximum-scale=5".into(),
            nodes: vec![
                node("RootWebArea", "", true),
                node("heading", "a", false),
                node("main", "", false),
                node("button", "はじめる", true),
                node("image", "logo", false),
                node("Canvas", "board", false),
            ],
            tabbable: 1,
            texts: 4,
            live: vec![Rect::new(0.0, 0.0, 9.0, 9.0)],
            ..Access::default()
        }
    }

    fn access(page: Access) -> Measure {
        Measure::Access(Box::new(page))
    }

    fn rules(a: &Accessibility, kind: FindingKind) -> Vec<&str> {
        let of_kind = a.findings.iter().filter(|f| f.kind == kind);
        of_kind.map(|f| f.rule.as_str()).collect()
    }

    #[test]
    fn a_page_that_was_not_looked_at_is_not_judged_and_a_good_one_has_nothing_to_say() {
        assert_eq!(judged(Vec::new()), None);
        let a = judged(vec![access(good())]).unwrap_or_default();
        assert!(a.pass, "{a:?}");
        assert_eq!((a.issue_count, a.findings.len()), (0, 0), "{a:?}");
    }

    #[test]
    fn each_fault_is_told_once_with_its_reason() {
        let text = |text: &str, ratio, needed| Contrast {
            text: text.into(),
            ratio,
            needed,
            ..Contrast::default()
        };
        let bad = Access {
            title: " ".into(),
            lang: "english (us)".into(),
            viewport: "width=400; user-scalable=no".into(),
            nodes: vec![
                node("button", "", true),
                node("button", " ", true),
                node("link", "", true),
                node("button", "", false),
                node("image", "", false),
            ],
            contrasts: vec![
                text("grey\u{202e}", Some((1.4, 1.4)), 4.5),
                text("on a gradient", Some((2.0, 9.0)), 4.5),
                text("on a picture", None, 3.0),
            ],
            canvas_texts: 3,
            bare_canvases: vec![Rect::new(1.0, 2.0, 3.0, 4.0)],
            mouse_only: vec![Named {
                tag: "div".into(),
                ..Named::default()
            }],
            tab_order: 1,
            endless_animations: 2,
            ..good()
        };
        let a = judged(vec![access(bad.clone()), access(bad)]).unwrap_or_default();
        assert!(!a.pass);
        assert_eq!(
            rules(&a, FindingKind::Fails),
            [
                "title",
                "language",
                "zoom",
                "control_names",
                "picture_names",
                "canvas_names",
                "contrast"
            ]
        );
        assert_eq!(a.issue_count, 7);
        assert_eq!(
            rules(&a, FindingKind::NeedsAPerson),
            [
                "headings",
                "landmarks",
                "tab_order",
                "canvas_texts",
                "contrast_unclear",
                "mouse_only",
                "motion"
            ]
        );
        let reason = |rule: &str| {
            let found = a.findings.iter().find(|f| f.rule == rule);
            found.map(|f| f.reason.clone()).unwrap_or_default()
        };
        assert!(reason("control_names").starts_with("2 button, 1 link without a name"));
        assert_eq!(
            reason("contrast"),
            "too little contrast: \"grey\" 1.4 of 4.5"
        );
        assert!(
            reason("contrast_unclear").contains("\"on a gradient\" 2.0 of 4.5, \"on a picture\"")
        );
        assert!(a.issues[1].ends_with("(WCAG 3.1.1)"), "{:?}", a.issues);
    }

    #[test]
    fn a_focus_that_never_moves_is_a_trap_or_a_dead_key_only_where_something_waits() {
        let tabs = |stops: &[&str], tabbable| {
            let stops = stops.iter().map(ToString::to_string).collect();
            let measures = vec![access(good()), Measure::Tabs(Tabs { stops, tabbable })];
            let a = judged(measures).unwrap_or_default();
            a.findings.first().map(|f| f.rule.clone())
        };
        assert_eq!(tabs(&["", "", ""], 2), Some("tab_dead".into()));
        assert_eq!(tabs(&["#a", "#a", "#a"], 2), Some("tab_trap".into()));
        assert_eq!(tabs(&["#a", "#a", "#a"], 1), None);
        assert_eq!(tabs(&["", "", ""], 0), None);
        assert_eq!(tabs(&["", "#a", ""], 1), None);
        assert_eq!(tabs(&[""], 3), None);
    }

    #[test]
    fn language_tags_and_zoom_are_read_as_browsers_read_them() {
        for tag in ["en", "de-AT", "zh-Hant-TW", "x-klingon"] {
            assert_eq!(is_language(tag), tag != "x-klingon", "{tag}");
        }
        for tag in ["e", "en_US", "english language", "-", "12"] {
            assert!(!is_language(tag), "{tag}");
        }
        for (viewport, refused) in [
            ("width=device-width, user-scalable=0", true),
            ("MAXIMUM-SCALE=1.0", true),
            ("maximum-scale=2", false),
            ("user-scalable=yes, maximum-scale=10", false),
            ("", false),
        ] {
            assert_eq!(zoom_refused(viewport).is_some(), refused, "{viewport}");
        }
    }
}
