//! What could start the game from a screen, likeliest first.
//!
//! Comes in: a survey. Goes out: candidates. Must never know: words of any language, what came of a candidate.

use crate::driver::controls::candidate_keys;
use crate::model::{
    Clickable, Key, StartCandidate, StartMechanism, Surface, SurfaceKind, Survey, TextSource,
};

/// Pixels from which on a higher button is no more prominent: whole panels listen for clicks, too.
const HIGHEST_BUTTON: f64 = 80.0;

/// Links of a title that are followed.
const LINKS: usize = 6;

/// A key as a candidate.
pub fn press(key: &str, mechanism: StartMechanism) -> StartCandidate {
    let key = Key::new(key);
    StartCandidate {
        mechanism,
        label: format!("key {key}"),
        position: None,
        selector: None,
        key: Some(key),
    }
}

fn click_on(surface: &Surface) -> StartCandidate {
    StartCandidate {
        mechanism: StartMechanism::ClickCanvas,
        label: "click on the playfield".into(),
        position: Some(surface.rect.centre()),
        selector: None,
        key: None,
    }
}

/// What could start the game from this screen, likeliest first. Links that lead away and disabled controls are none; but
/// where a page shows nothing that could be a board and no button, it may be a title whose game is on another page.
pub fn candidates(survey: &Survey) -> Vec<StartCandidate> {
    let mut out = Vec::new();
    let button = |c: &Clickable| StartCandidate {
        mechanism: StartMechanism::Button,
        label: if c.text.is_empty() {
            format!("button {}", c.tag)
        } else {
            format!(
                "button \u{201c}{}\u{201d}",
                c.text.chars().take(40).collect::<String>()
            )
        },
        position: Some(c.rect.centre()),
        selector: Some(c.selector.clone()).filter(|s| !s.is_empty()),
        key: None,
    };
    let usable = || {
        survey
            .clickables
            .iter()
            .filter(|c| !c.leads_away && !c.disabled && !c.blank)
            .filter(|c| c.rect.width > 1.0 && c.rect.height > 1.0)
    };
    // What lies over the rest asks to be answered first; and of its like what is high and has a name.
    let prominence = |c: &&Clickable| {
        // How wide a button is depends on its words; a little higher or lower says nothing: then the order of the
        // page counts.
        let height = c.rect.height.clamp(1.0, HIGHEST_BUTTON);
        let size = (height.log2() * 2.0).round() as i32;
        (c.text.trim().is_empty(), -size)
    };
    let mut over: Vec<_> = usable().filter(|c| c.on_top && c.in_overlay).collect();
    over.sort_by_key(prominence);
    out.extend(over.into_iter().map(button));
    out.push(press("Enter", StartMechanism::Enter));
    out.push(press(" ", StartMechanism::Space));
    // A board is clicked as a board. What is drawn all over a button is no board.
    let surface_like = |c: &Clickable| {
        survey.surfaces.iter().any(|s| {
            s.rect.height > HIGHEST_BUTTON
                && (s.rect.width - c.rect.width).abs() < 8.0
                && (s.rect.height - c.rect.height).abs() < 8.0
        })
    };
    let mut plain: Vec<_> = usable()
        .filter(|c| c.on_top && !c.in_overlay && !surface_like(c))
        .collect();
    plain.sort_by_key(prominence);
    out.extend(plain.into_iter().map(button));
    let board = survey
        .surfaces
        .iter()
        .find(|s| s.kind != SurfaceKind::Svg || s.rect.height > 100.0);
    out.extend(board.map(click_on));
    // Menus that are drawn: the places of their texts.
    out.extend(
        survey
            .texts
            .iter()
            .filter(|t| matches!(t.source, TextSource::Canvas | TextSource::Svg))
            .take(8)
            .map(|t| StartCandidate {
                mechanism: StartMechanism::ClickCanvas,
                label: format!(
                    "click on the drawn text \u{201c}{}\u{201d}",
                    t.text.chars().take(40).collect::<String>()
                ),
                position: Some(t.rect.centre()),
                selector: None,
                key: None,
            }),
    );
    out.extend(ASKED_AT_ONCE.map(|k| press(k, StartMechanism::Anykey)));
    out.extend(usable().filter(|c| !c.on_top).take(4).map(button));
    if survey.surfaces.is_empty() && usable().next().is_none() {
        let on =
            |c: &&Clickable| c.leads_on && c.on_top && c.rect.width > 1.0 && c.rect.height > 1.0;
        out.extend(survey.clickables.iter().filter(on).take(LINKS).map(button));
    }
    out
}

/// Ways through a menu that is only drawn and has its selection moved by a key: so many moves, then the choice.
pub fn menu_ways() -> impl Iterator<Item = Vec<StartCandidate>> {
    (1..=MENU_ITEMS).map(|moves| {
        let mut way = vec![press(MENU_KEY, StartMechanism::Anykey); moves];
        way.push(press("Enter", StartMechanism::Enter));
        way
    })
}

/// Is it a step through a menu, which leaves its screen as it is?
pub fn is_menu_step(step: &StartCandidate) -> bool {
    step.key.as_ref().is_some_and(|k| k.as_str() == MENU_KEY)
}

/// Moves the selection of a drawn menu on.
pub const MENU_KEY: &str = "ArrowDown";
/// Items of a menu beyond the one that is selected at first that are tried.
const MENU_ITEMS: usize = 4;

/// Every other key that a page may have chosen for it.
pub fn other_keys() -> impl Iterator<Item = Key> {
    let named = ["F1", "F2", "F3", "F4"].map(Key::new);
    let asked = |key: &Key| ASKED_AT_ONCE.contains(&key.as_str()) || FIRST.contains(&key.as_str());
    candidate_keys()
        .into_iter()
        .chain(named)
        .filter(move |key| !asked(key))
}

/// Keys that are candidates on every screen, before its buttons.
const FIRST: [&str; 2] = ["Enter", " "];
/// Keys that are candidates on every screen, after its buttons.
const ASKED_AT_ONCE: [&str; 6] = ["s", "p", "n", "1", "Escape", "ArrowDown"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rect;

    fn button(text: &str) -> Clickable {
        Clickable {
            rect: Rect::new(10.0, 10.0, 80.0, 20.0),
            text: text.into(),
            tag: "button".into(),
            selector: format!("#{text}"),
            leads_away: false,
            leads_on: false,
            disabled: false,
            on_top: true,
            in_overlay: false,
            blank: false,
        }
    }

    #[test]
    fn a_button_with_a_picture_all_over_it_is_one_and_the_board_itself_is_none() {
        let field = Rect::new(200.0, 10.0, 300.0, 600.0);
        let board = Clickable {
            rect: field,
            ..button("arena")
        };
        let surface = |kind, rect| Surface {
            kind,
            rect,
            columns: 0,
            rows: 0,
        };
        let survey = Survey {
            surfaces: vec![
                surface(SurfaceKind::Canvas, field),
                surface(SurfaceKind::Svg, button("go").rect),
            ],
            clickables: vec![button("go"), board],
            ..Survey::default()
        };
        let labels: Vec<String> = candidates(&survey).into_iter().map(|c| c.label).collect();
        assert!(labels.iter().any(|l| l.contains("go")), "{labels:?}");
        assert!(!labels.iter().any(|l| l.contains("arena")), "{labels:?}");
    }

    #[test]
    fn a_title_with_nothing_but_links_leads_on_to_pages_of_its_own_host() {
        let link = |text, leads_on| Clickable {
            leads_away: true,
            leads_on,
            ..button(text)
        };
        let mut survey = Survey {
            clickables: vec![link("out", false), link("play", true)],
            ..Survey::default()
        };
        let last = |s: &Survey| candidates(s).pop().map(|c| c.label).unwrap_or_default();
        assert!(last(&survey).contains("play"));
        survey.clickables.push(button("plain"));
        assert!(!candidates(&survey).iter().any(|c| c.label.contains("play")));
    }

    #[test]
    fn links_away_and_disabled_buttons_are_no_candidates_and_overlays_come_first() {
        let survey = Survey {
            clickables: vec![
                button("plain"),
                Clickable {
                    leads_away: true,
                    ..button("away")
                },
                Clickable {
                    disabled: true,
                    ..button("off")
                },
                Clickable {
                    in_overlay: true,
                    ..button("modal")
                },
            ],
            ..Survey::default()
        };
        let labels: Vec<String> = candidates(&survey).into_iter().map(|c| c.label).collect();
        assert!(labels[0].contains("modal"), "{labels:?}");
        assert!(labels.iter().any(|l| l.contains("plain")));
        assert!(
            !labels
                .iter()
                .any(|l| l.contains("away") || l.contains("off"))
        );
    }
}
