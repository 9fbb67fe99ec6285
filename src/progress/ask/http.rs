//! The only place that reaches the network.
//!
//! Comes in: a request. Goes out: a reply, or words about why there is none. Must never know: what it is about.

use super::{Reply, Transport};
use std::time::Duration;

/// Replies longer than this are cut: a megabyte.
const LONGEST: u64 = 1 << 20;

/// HTTP, with TLS where the address says so. Blocks its thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Http;

impl Transport for Http {
    fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
        timeout: Duration,
    ) -> Result<Reply, String> {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // A redirect would carry the key elsewhere.
            .max_redirects(0)
            .build()
            .into();
        let mut request = agent.post(url).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut reply = request.send(body).map_err(|e| e.to_string())?;
        let retry_after = reply
            .headers()
            .get("retry-after")
            .and_then(|v| v.to_str().ok())
            .and_then(|v| v.trim().parse().ok());
        let status = reply.status().as_u16();
        let body = reply
            .body_mut()
            .with_config()
            .limit(LONGEST)
            .read_to_string()
            .map_err(|e| e.to_string())?;
        Ok(Reply {
            status,
            retry_after,
            body,
        })
    }
}
