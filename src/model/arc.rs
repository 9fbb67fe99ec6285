//! How what is behind an `Arc` stands in text: as the thing itself (serde's own `rc` feature would be one for every
//! crate of the build).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// For `Arc<T>`: `#[serde(with = "arc")]`.
pub fn serialize<T: Serialize, S: Serializer>(this: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
    T::serialize(this, to)
}

/// See [`serialize`].
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Arc<T>, D::Error> {
    T::deserialize(from).map(Arc::new)
}

/// For `Option<Arc<T>>`: `#[serde(with = "arc::option")]`.
pub mod option {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    /// See [`super::serialize`].
    #[allow(clippy::ref_option)]
    pub fn serialize<T: Serialize, S: Serializer>(
        this: &Option<Arc<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        this.as_deref().serialize(to)
    }

    /// See [`super::serialize`].
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Arc<T>>, D::Error> {
        Option::<T>::deserialize(from).map(|t| t.map(Arc::new))
    }
}
