import { expect, test } from 'vitest';
import { everyone, matchesUser, pageCount, pageText, pageWindow, pairsText } from './user-list.ts';

test.each([
  [1, 1, [1]],
  [2, 3, [1, 2, 3]],
  [1, 5, [1, 2, 3, 4, 5]],
  [5, 5, [1, 2, 3, 4, 5]],
  [3, 9, [1, 2, 3, 4, 5]],
  [4, 9, [2, 3, 4, 5, 6]],
  [7, 9, [5, 6, 7, 8, 9]],
  [9, 9, [5, 6, 7, 8, 9]],
])('USERS-33 on page %i of %i the buttons are %j', (page, pages, buttons) => {
  expect(pageWindow(page, pages)).toEqual(buttons);
});

test.each([
  [0, 1],
  [1, 1],
  [10, 1],
  [11, 2],
  [500, 50],
])('USERS-11 %i users fill %i pages', (total, pages) => {
  expect(pageCount(total)).toBe(pages);
});

test.each([
  [1, 1, 'Showing 1 to 1 of 1 users'],
  [1, 10, 'Showing 1 to 10 of 10 users'],
  [2, 11, 'Showing 11 to 11 of 11 users'],
  [3, 42, 'Showing 21 to 30 of 42 users'],
  [5, 42, 'Showing 41 to 42 of 42 users'],
])('USERS-31 page %i of %i users', (page, total, text) => {
  expect(pageText(page, total)).toBe(text);
});

test.each([
  [[], ''],
  [['A/B'], 'A/B'],
  [['A/B', 'C/D'], 'A/B, C/D'],
  [['A/B', 'C/D', 'E/F'], 'A/B, C/D +1'],
])('USERS-29 of the pairs %j two are named', (pairs, text) => {
  expect(pairsText(pairs)).toBe(text);
});

test.each([
  ['', '', true],
  [' LINDQ ', '', true],
  ['harbour', '', true],
  ['nobody', '', false],
  ['', 'trader', true],
  ['', 'admin', false],
  ['ada', 'admin', false],
])('USERS-06, USERS-07 search %j and role %j: %s', (search, role, isFound) => {
  const user = { display_name: 'Ada Lindqvist', email: 'ada@Harbour.example', role: 'trader' } as const;
  expect(matchesUser(user, { ...everyone, search, role })).toBe(isFound);
});
