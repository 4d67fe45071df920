import { expect, test } from 'vitest';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { joinedFleet } from './joined-fleet.ts';

test('a bot of which nothing has changed stays the same object, however often the others change', () => {
  const [still, moving] = [asLive(aBot(1)), asLive(aBot(2))];
  const facts = liveOf([asLive(aBot(1), { today_pnl: 7 }), asLive(aBot(2), { today_pnl: 8 })]);
  const history = liveOf([asLive(aBot(1), { history: [0, 1] })]);
  const before = joinedFleet(liveOf([still, moving]), facts, history);
  const after = joinedFleet(liveOf([still, { ...moving, unrealized_pnl: 99 }]), facts, history);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
  expect(after[1]).toMatchObject({ unrealized_pnl: 99 });
});

test('a bot gets what the slower answers know of it as soon as they know something else', () => {
  const bot = { ...asLive(aBot(1)) };
  const { today_pnl: _today, history: _history, ...newest } = bot;
  const of = (today: number) => joinedFleet(liveOf([newest]), liveOf([{ ...bot, today_pnl: today }]), undefined);
  const newestBot = liveOf([newest]);
  expect(joinedFleet(newestBot, undefined, undefined)[0]?.today_pnl).toBeUndefined();
  expect(joinedFleet(newestBot, liveOf([{ ...bot, today_pnl: 3 }]), undefined)[0]?.today_pnl).toBe(3);
  expect(of(4)[0]?.today_pnl).toBe(4);
});

test('what is known of a bot in another mode is not shown beside the mode that it is in now', () => {
  const paper = liveOf([asLive(aBot(1), { today_pnl: 7, history: [0, 1] })]);
  const { today_pnl: _today, history: _history, ...live } = asLive(aBot(1, { mode: 'live' }));
  const [joined] = joinedFleet(liveOf([live]), paper, paper, paper);
  expect([joined?.mode, joined?.today_pnl, joined?.history]).toEqual(['live', undefined, undefined]);
});
