//! Lists that take little memory: a system has hundreds of thousands of them, and most are short or
//! shared.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut, Index};
use std::sync::Arc;

use crate::TransitionId;

/// A list that copies share until one of them is changed.
#[derive(Clone, PartialEq, Eq)]
pub struct Shared<T>(Arc<Vec<T>>);

/// A list that is mostly empty: then it takes one word, and no memory of its own.
#[derive(Clone, PartialEq, Eq)]
#[allow(clippy::box_collection, reason = "one word where there is nothing")]
pub struct Few<T>(Option<Box<Vec<T>>>);

/// The transitions that leave a location, in groups. Mostly that is one transition.
#[derive(Clone, PartialEq, Eq)]
pub struct Groups(Grouped);

#[derive(Clone, PartialEq, Eq)]
enum Grouped {
    /// One group of one.
    One(TransitionId),
    Many(Box<[Box<[TransitionId]>]>),
}

impl<T> Shared<T> {
    /// Whether two lists are the same memory.
    pub fn is_same(&self, other: &Shared<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared(Arc::new(Vec::new()))
    }
}

impl<T: Debug> Debug for Shared<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(list: Vec<T>) -> Shared<T> {
        Shared(Arc::new(list))
    }
}

impl<T> Deref for Shared<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

/// What others share is copied first.
impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        Arc::make_mut(&mut self.0)
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Shared<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T> Few<T> {
    /// Adds something at the end.
    pub fn push(&mut self, item: T) {
        self.0.get_or_insert_default().push(item);
    }

    /// Adds something at a position.
    pub fn insert(&mut self, position: usize, item: T) {
        self.0.get_or_insert_default().insert(position, item);
    }

    /// Keeps what `keep` says.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        if let Some(list) = &mut self.0 {
            list.retain(keep);
            if list.is_empty() {
                self.0 = None;
            }
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(None)
    }
}

impl<T: Debug> Debug for Few<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(list: Vec<T>) -> Few<T> {
        Few((!list.is_empty()).then(|| Box::new(list)))
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Few<T> {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_deref().map_or(&[], |list| list)
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.as_deref_mut().map_or(&mut [], |list| list)
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Few<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl Groups {
    /// The groups, in the order in which they are tried.
    pub fn iter(&self) -> GroupsIter<'_> {
        match &self.0 {
            Grouped::One(id) => GroupsIter { one: Some(std::slice::from_ref(id)), many: [].iter() },
            Grouped::Many(groups) => GroupsIter { one: None, many: groups.iter() },
        }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Grouped::One(_) => 1,
            Grouped::Many(groups) => groups.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The group that is tried first.
    pub fn first(&self) -> Option<&[TransitionId]> {
        self.iter().next()
    }
}

impl Default for Groups {
    fn default() -> Groups {
        Groups(Grouped::Many(Box::default()))
    }
}

impl Debug for Groups {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl From<Vec<Vec<TransitionId>>> for Groups {
    fn from(groups: Vec<Vec<TransitionId>>) -> Groups {
        Groups(match groups.as_slice() {
            [group] if group.len() == 1 => Grouped::One(group[0]),
            _ => Grouped::Many(groups.into_iter().map(Vec::into_boxed_slice).collect()),
        })
    }
}

impl Index<usize> for Groups {
    type Output = [TransitionId];

    fn index(&self, position: usize) -> &[TransitionId] {
        match &self.0 {
            Grouped::One(id) => std::slice::from_ref(&std::slice::from_ref(id)[position]),
            Grouped::Many(groups) => &groups[position],
        }
    }
}

impl<'a> IntoIterator for &'a Groups {
    type Item = &'a [TransitionId];
    type IntoIter = GroupsIter<'a>;

    fn into_iter(self) -> GroupsIter<'a> {
        self.iter()
    }
}

/// Goes over [`Groups`].
#[derive(Clone, Debug)]
pub struct GroupsIter<'a> {
    one: Option<&'a [TransitionId]>,
    many: std::slice::Iter<'a, Box<[TransitionId]>>,
}

impl<'a> Iterator for GroupsIter<'a> {
    type Item = &'a [TransitionId];

    fn next(&mut self) -> Option<&'a [TransitionId]> {
        self.one.take().or_else(|| self.many.next().map(|group| &**group))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.one.iter().len() + self.many.len();
        (left, Some(left))
    }
}

impl DoubleEndedIterator for GroupsIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.many.next_back().map(|group| &**group).or_else(|| self.one.take())
    }
}

impl ExactSizeIterator for GroupsIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Expr, Location, Place, Transition};

    /// A model of 200,000 statements is to need at most 100 MB: every word here costs it 1.6 MB, or
    /// more if there are copies.
    #[test]
    fn statements_are_small() {
        assert_eq!(size_of::<Place>(), 24);
        assert_eq!(size_of::<Expr>(), 32);
        assert_eq!(size_of::<Action>(), 64);
        assert_eq!(size_of::<Transition>(), 120);
        assert_eq!(size_of::<Location>(), 64);
    }

    #[test]
    fn groups_are_what_they_were_made_of() {
        let ids = |ids: &[u32]| ids.iter().map(|id| TransitionId(*id)).collect::<Vec<_>>();
        for groups in
            [vec![], vec![ids(&[])], vec![ids(&[3])], vec![ids(&[3, 1])], vec![ids(&[3]), ids(&[1, 2])]]
        {
            let made = Groups::from(groups.clone());
            assert_eq!((made.len(), made.is_empty()), (groups.len(), groups.is_empty()));
            assert_eq!(made.first(), groups.first().map(Vec::as_slice));
            assert!(made.iter().eq(groups.iter().map(Vec::as_slice)));
            assert!(made.iter().rev().eq(groups.iter().rev().map(Vec::as_slice)));
            assert!((0..groups.len()).all(|position| made[position] == groups[position][..]));
            assert_eq!(format!("{made:?}"), format!("{groups:?}"));
        }
    }

    #[test]
    fn a_copy_is_made_when_one_of_two_is_changed() {
        let first = Shared::from(vec![1, 2]);
        let mut second = first.clone();
        assert!(first.is_same(&second));
        second[0] = 3;
        assert_eq!((&first[..], &second[..]), (&[1, 2][..], &[3, 2][..]));
    }
}
