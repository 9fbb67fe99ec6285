//! Any bytes as a profile: it is read, and then reads back as it was written, or refused; it never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tetrascope::profile::Profile;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(profile) = Profile::parse(text) {
        let again = profile.to_text().expect("what was read can be written");
        assert_eq!(Profile::parse(&again).as_ref(), Ok(&profile), "{again}");
    }
});
