import { describe, expect, test } from 'vitest';
import { allBots, matchesFilter, modeAction, sortBots, statusAction, statusDialog } from './bot-list.ts';

const bot = { nickname: 'Night Scalper', status: 'active', mode: 'paper', exchange_id: 'sandbox' } as const;

describe('filters', () => {
  test('BOTS-06, OP-28 the search matches a part of the nickname, whatever its case', () => {
    for (const search of ['', 'night', 'SCALP', 't s', '  night ']) expect(matchesFilter(bot, { ...allBots, search })).toBe(true);
    for (const search of ['day', 'night  scalper', 'sandbox']) expect(matchesFilter(bot, { ...allBots, search })).toBe(false);
  });

  test('BOTS-07, BOTS-08, BOTS-09 status, mode and exchange match exactly', () => {
    expect(matchesFilter(bot, { search: '', status: 'active', mode: 'paper', exchange: 'sandbox' })).toBe(true);
    expect(matchesFilter(bot, { ...allBots, status: 'paused' })).toBe(false);
    expect(matchesFilter(bot, { ...allBots, mode: 'live' })).toBe(false);
    expect(matchesFilter(bot, { ...allBots, exchange: 'sand' })).toBe(false);
  });
});

test('BOTS-19, OP-29 active first, then paused, then stopped; then by nickname whatever its case, then by id', () => {
  const bots = [
    { id: '1', nickname: 'a', status: 'stopped' },
    { id: '3', nickname: 'b', status: 'active' },
    { id: '2', nickname: 'B', status: 'active' },
    { id: '4', nickname: 'A', status: 'active' },
    { id: '5', nickname: 'z', status: 'paused' },
  ] as const;
  expect(sortBots(bots).map(({ id }) => id)).toEqual(['4', '2', '3', '5', '1']);
  expect(bots.map(({ id }) => id)).toEqual(['1', '3', '2', '4', '5']);
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
