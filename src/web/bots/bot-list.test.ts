import { describe, expect, test } from 'vitest';
import type { Role } from '#contract/fields.ts';
import {
  allBots,
  hasBothKinds,
  keepOrder,
  matchesFilter,
  modeAction,
  seesBotTabs,
  sortBots,
  statusAction,
  statusDialog,
} from './bot-list.ts';

const tags: string[] = ['night'];
const bot = { nickname: 'Night Scalper', status: 'active', mode: 'paper', exchange_id: 'sandbox' } as const;

describe('filters', () => {
  test('BOTS-06, OP-28 the search matches a part of the nickname, whatever its case', () => {
    for (const search of ['', 'night', 'SCALP', 't s', '  night '])
      expect(matchesFilter({ ...bot, tags }, { ...allBots, search })).toBe(true);
    for (const search of ['day', 'night  scalper', 'sandbox']) expect(matchesFilter({ ...bot, tags }, { ...allBots, search })).toBe(false);
  });

  test('BOTS-07, BOTS-08, BOTS-09 status, mode, exchange and tag match exactly', () => {
    expect(matchesFilter({ ...bot, tags }, { search: '', status: 'active', mode: 'paper', exchange: 'sandbox', tag: 'night' })).toBe(true);
    expect(matchesFilter({ ...bot, tags }, { ...allBots, tag: 'nigh' })).toBe(false);
    expect(matchesFilter({ ...bot, tags }, { ...allBots, status: 'paused' })).toBe(false);
    expect(matchesFilter({ ...bot, tags }, { ...allBots, mode: 'live' })).toBe(false);
    expect(matchesFilter({ ...bot, tags }, { ...allBots, exchange: 'sand' })).toBe(false);
  });
});

test('BOTS-19, OP-29 active first, then paused, then stopped; within a status by nickname whatever its case, then by id', () => {
  const bots = [
    { id: '1', nickname: 'a', status: 'stopped', user_id: 'me' },
    { id: '3', nickname: 'b', status: 'active', user_id: 'other' },
    { id: '2', nickname: 'B', status: 'active', user_id: 'other' },
    { id: '4', nickname: 'A', status: 'active', user_id: 'other' },
    { id: '6', nickname: 'x', status: 'active', user_id: 'me' },
    { id: '5', nickname: 'z', status: 'paused', user_id: 'other' },
  ] as const;
  expect(sortBots(bots).map(({ id }) => id)).toEqual(['4', '2', '3', '6', '5', '1']); // whoever they belong to
  expect(bots.map(({ id }) => id)).toEqual(['1', '3', '2', '4', '6', '5']);
});

test('whose bots are listed is a choice for those who have some and see others', () => {
  const [mine, theirs] = [{ user_id: 'me' }, { user_id: 'other' }];
  expect([[mine, theirs], [mine], [theirs], []].map((bots) => hasBothKinds(bots, 'me'))).toEqual([true, false, false, false]);
});

test('an order that was shown is kept; new bots come last, in their own order', () => {
  const sorted = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];
  expect(keepOrder(['c', 'a', 'gone'], sorted).map(({ id }) => id)).toEqual(['c', 'a', 'b', 'd']);
  expect(keepOrder([], sorted)).toEqual(sorted);
});

test('BOTS-02, BOTS-03, BOTS-04 the tabs about a bot: always for admins and traders, else for a bot of their own', () => {
  const sees = (role: Role, owner: string | null) => seesBotTabs({ role, userId: 'me' }, owner === null ? null : { user_id: owner });
  expect([sees('admin', null), sees('trader', null), sees('operator', null), sees('investor', null)]).toEqual([true, true, false, false]);
  expect([sees('operator', 'me'), sees('operator', 'other'), sees('investor', 'me')]).toEqual([true, false, true]);
  expect(seesBotTabs(null, { user_id: 'me' })).toBe(false);
});

test('BOTS-12, BOTS-13, DATA-04 an active bot can be paused, any other can be activated', () => {
  expect(statusAction('active')).toEqual({ label: 'Pause', next: 'paused' });
  expect(statusAction('paused')).toEqual({ label: 'Activate', next: 'active' });
  expect(statusAction('stopped')).toEqual({ label: 'Activate', next: 'active' });
});

test('BOTS-14, BOTS-15, DATA-05 paper switches to live and live to paper', () => {
  expect(modeAction('paper')).toEqual({ label: 'Switch to Live', next: 'live' });
  expect(modeAction('live')).toEqual({ label: 'Switch to Paper', next: 'paper' });
});

test('BOTS-24, BOTS-25, OP-27 the dialog of a status change names and asks for it', () => {
  expect(statusDialog('active')).toEqual({ title: 'Activate Bot', message: 'Are you sure you want to activate this bot?' });
  expect(statusDialog('paused')).toEqual({ title: 'Pause Bot', message: 'Are you sure you want to pause this bot?' });
  expect(statusDialog('stopped')).toEqual({ title: 'Stop Bot', message: 'Are you sure you want to stop this bot?' });
});
