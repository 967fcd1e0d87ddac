//! A position in a list of tokens, and the spans of what was read.

use std::cell::OnceCell;
use std::sync::Arc;

use allways_source::{FileId, Span};

use crate::token::{Token, TokenKind};

pub(super) struct Cursor {
    /// Ends with an `End`, and has no other.
    tokens: Vec<Token>,
    /// For the tokens of an inline's call: where in the inline's body the argument was put, if the token is part
    /// of one. Empty for the tokens of the model itself.
    sites: Vec<Option<Span>>,
    position: usize,
    /// See [`Cursor::unmatched_closers`]; filled when first asked for.
    unmatched_closers: OnceCell<Vec<u32>>,
}

impl Cursor {
    pub(super) fn new(tokens: Vec<Token>) -> Cursor {
        Cursor::with_sites(tokens, Vec::new())
    }

    pub(super) fn with_sites(mut tokens: Vec<Token>, sites: Vec<Option<Span>>) -> Cursor {
        if tokens.last().is_none_or(|token| token.kind != TokenKind::End) {
            let span = tokens.last().map_or(Span::new(FileId(0), 0, 0), |token| token.span.after());
            tokens.push(Token {
                kind: TokenKind::End,
                text: Arc::from(""),
                span,
                starts_line: true,
                expansion: None,
            });
        }
        Cursor { tokens, sites, position: 0, unmatched_closers: OnceCell::new() }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The token `n` places ahead; the `End` if there are not so many.
    pub(super) fn nth(&self, n: usize) -> &Token {
        self.at(self.position + n)
    }

    pub(super) fn at(&self, position: usize) -> &Token {
        &self.tokens[position.min(self.tokens.len() - 1)]
    }

    pub(super) fn previous(&self) -> Option<&Token> {
        self.position.checked_sub(1).map(|position| &self.tokens[position])
    }

    pub(super) fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn rewind(&mut self, position: usize) {
        self.position = position;
    }

    pub(super) fn jump_to_end(&mut self) {
        self.position = self.tokens.len() - 1;
    }

    /// The tokens from `start` up to, not including, `end`.
    pub(super) fn slice(&self, start: usize, end: usize) -> &[Token] {
        &self.tokens[start..end]
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// How many `}` from here on close a brace that is open here.
    pub(super) fn unmatched_closers(&self) -> usize {
        let counts = self.unmatched_closers.get_or_init(|| {
            let mut counts = vec![0; self.tokens.len()];
            let mut count = 0u32;
            for (position, token) in self.tokens.iter().enumerate().rev() {
                if token.is("}") {
                    count += 1;
                } else if token.is("{") {
                    count = count.saturating_sub(1);
                }
                counts[position] = count;
            }
            counts
        });
        counts[self.position] as usize
    }

    /// What was read since `start`.
    ///
    /// A text that lies wholly in one argument of an inline's call is where the user wrote it; one that mixes
    /// arguments and body is where it stands in the body, as a cover of both would be some random part of the
    /// file.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let last = self.position.saturating_sub(1).max(start);
        match (self.site(start), self.site(last)) {
            (Some(first), Some(second)) if first == second => self.at(start).span.to(self.at(last).span),
            (first, second) => first.unwrap_or(self.at(start).span).to(second.unwrap_or(self.at(last).span)),
        }
    }

    fn site(&self, position: usize) -> Option<Span> {
        self.sites.get(position).copied().flatten()
    }
}
