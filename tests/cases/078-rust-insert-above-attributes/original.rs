//! The ledger: accounts, entries, and what may be booked on them.

use std::collections::BTreeMap;
use std::fmt;

use crate::money::Money;
use crate::time::Day;

/// What an account is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Asset,
    Liability,
    Income,
    Expense,
}

impl Kind {
    /// The sign with which a debit changes the balance.
    pub fn debit_sign(self) -> i64 {
        match self {
            Kind::Asset => 1,
            Kind::Expense => 1,
            Kind::Liability => -1,
            Kind::Income => -1,
        }
    }

    /// The letter that statements print in front of the number.
    pub fn letter(self) -> char {
        match self {
            Kind::Asset => 'A',
            Kind::Expense => 'X',
            Kind::Liability => 'L',
            Kind::Income => 'I',
        }
    }
}

/// One account and its running balance.
#[derive(Debug, Clone)]
pub struct Account {
    pub number: u32,
    pub name: String,
    pub kind: Kind,
    balance: Money,
    closed: Option<Day>,
}

/// Why an entry was turned down.
#[derive(Debug, PartialEq, Eq)]
pub enum BookingError {
    UnknownAccount(u32),
    Closed(u32),
    Unbalanced(Money),
}

impl fmt::Display for BookingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookingError::UnknownAccount(number) => write!(f, "no account {number}"),
            BookingError::Closed(number) => write!(f, "account {number} is closed"),
            BookingError::Unbalanced(rest) => write!(f, "entry is off by {rest}"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Ledger {
    accounts: BTreeMap<u32, Account>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub day: Day,
    pub text: String,
    pub lines: Vec<(u32, Money)>,
}

impl Ledger {
    pub fn open(&mut self, number: u32, name: &str, kind: Kind) -> &mut Account {
        self.accounts.entry(number).or_insert_with(|| Account {
            number,
            name: name.to_owned(),
            kind,
            balance: Money::ZERO,
            closed: None,
        })
    }

    pub fn book(&mut self, entry: Entry) -> Result<(), BookingError> {
        let mut rest = Money::ZERO;
        for (number, amount) in &entry.lines {
            let account = self
                .accounts
                .get(number)
                .ok_or(BookingError::UnknownAccount(*number))?;
            if account.closed.is_some() {
                return Err(BookingError::Closed(*number));
            }
            rest += *amount;
        }
        if rest != Money::ZERO {
            return Err(BookingError::Unbalanced(rest));
        }
        for (number, amount) in &entry.lines {
            let account = self.accounts.get_mut(number).expect("checked above");
            account.balance += *amount * account.kind.debit_sign();
        }
        self.entries.push(entry);
        Ok(())
    }

    pub fn balance(&self, number: u32) -> Option<Money> {
        self.accounts.get(&number).map(|account| account.balance)
    }
}
