//! What asking cost, and when to stop.
//!
//! Comes in: tokens used, prices. Goes out: dollars, and whether another question may be asked. Must never know: what
//! was asked.

use super::AskError;
use serde::{Deserialize, Serialize};

/// Asking stops at this share of the budget: the next question might be dearer than the last.
const STOP_AT: f64 = 0.9;

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Dollars for a million tokens in.
    pub input: f64,
    /// Dollars for a million tokens out.
    pub output: f64,
}

impl Price {
    /// For a model on one's own machine.
    pub const FREE: Self = Self {
        input: 0.0,
        output: 0.0,
    };
    /// For a model whose price is not known: rather too much than too little.
    pub const CAREFUL: Self = Self {
        input: 15.0,
        output: 75.0,
    };
}

/// Tokens one question took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// In.
    pub input: u64,
    /// Out.
    pub output: u64,
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Dollars that may be spent.
    pub budget: f64,
    /// Dollars that were.
    pub spent: f64,
    /// Questions that were answered, well or not.
    pub questions: u32,
}

impl Ledger {
    /// Nothing spent yet.
    pub fn new(budget: f64) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// May another question be asked?
    ///
    /// # Errors
    /// [`AskError::Budget`] from nine tenths of the budget on; a budget of nothing allows nothing.
    pub fn may_ask(&self) -> Result<(), AskError> {
        if self.budget > 0.0 && self.spent < self.budget * STOP_AT {
            return Ok(());
        }
        Err(AskError::Budget {
            spent: self.spent,
            budget: self.budget,
        })
    }

    /// Books a question.
    pub fn pay(&mut self, price: Price, usage: Usage) {
        self.questions += 1;
        self.spent += (usage.input as f64 * price.input + usage.output as f64 * price.output) / 1e6;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_stops_at_nine_tenths() {
        let mut ledger = Ledger::new(0.01);
        let price = Price {
            input: 1.0,
            output: 10.0,
        };
        ledger.pay(
            price,
            Usage {
                input: 4000,
                output: 450,
            },
        );
        assert!((ledger.spent - 0.0085).abs() < 1e-12);
        assert!(ledger.may_ask().is_ok());
        ledger.pay(
            price,
            Usage {
                input: 500,
                output: 0,
            },
        );
        assert!(matches!(ledger.may_ask(), Err(AskError::Budget { .. })));
        assert!(Ledger::new(0.0).may_ask().is_err());
    }
}
