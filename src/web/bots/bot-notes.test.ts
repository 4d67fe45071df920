import { expect, test } from 'vitest';
import { aBot, asLive, sampleTime } from '../testing/samples/bots.ts';
import { attentionNotes, modeObstacle } from './bot-notes.ts';
import { botTotals } from './bot-totals.ts';

const now = Date.parse(sampleTime);

test('a bot that paused itself, late prices and a problem are noted; a bot that is well has no note', () => {
  const bot = aBot(1);
  expect(attentionNotes(bot, asLive(bot), now)).toEqual([]);
  const paused = aBot(1, { status: 'paused', current_consecutive_losses: 5 });
  expect(attentionNotes(paused, asLive(paused), now)).toEqual(['Paused after 5 losses in a row.']);
  expect(attentionNotes(aBot(1, { status: 'paused', current_consecutive_losses: 4 }), undefined, now)).toEqual([]);
  expect(attentionNotes(bot, asLive(bot), now + 360_000)).toEqual(['Prices are 6m 0s old. No entries until they are fresh.']);
  expect(attentionNotes(paused, asLive(paused), now + 61_000)[1]).toBe('Prices are 1m 1s old.');
  expect(attentionNotes(bot, asLive(bot, { last_error: 'no BTC/USDT' }), now)).toEqual(['no BTC/USDT']);
  const stopped = aBot(1, { status: 'stopped' });
  expect(attentionNotes(stopped, asLive(stopped, { last_error: 'old' }), now + 360_000)).toEqual([]);
});

test('BOTS-14, API-36 why a mode cannot change now', () => {
  const paper = aBot(1);
  const live = aBot(1, { mode: 'live' });
  expect(modeObstacle(paper, asLive(paper))).toBeNull();
  expect(modeObstacle(paper, undefined)).toBe('The state of this bot is not known yet');
  expect(modeObstacle(paper, asLive(paper, { live_obstacle: 'no-api-key' }))).toBe(
    'Needs an API key: add one on Configure Bot or in your account settings.',
  );
  expect(modeObstacle(paper, asLive(paper, { live_obstacle: 'live-trading-disabled' }))).toBe(
    'Live trading is switched off on this server.',
  );
  expect(modeObstacle(paper, asLive(paper, { open_trades: 1 }))).toBe('The mode cannot change while trades are open.');
  expect(modeObstacle(live, asLive(live, { live_obstacle: 'live-trading-disabled' }))).toBeNull();
});

test('totals keep live and paper apart and leave out bots that the person may not see', () => {
  const bots = [aBot(1), aBot(2, { status: 'paused', total_pnl: -2.3 }), aBot(3, { mode: 'live', total_pnl: 100 }), aBot(4)];
  const live = new Map(bots.slice(0, 3).map((bot) => [bot.id, asLive(bot, { open_trades: 2 })]));
  const shared = { currency: 'USDT', startingBalance: 300, balance: 312.3, openTrades: 2, slots: 3 };
  expect(botTotals(bots, live)).toEqual([
    { ...shared, mode: 'testnet', bots: 1, active: 1, pnl: 100 },
    { ...shared, mode: 'paper', bots: 2, active: 1, pnl: 10, startingBalance: 600, balance: 624.6, openTrades: 4, slots: 6 },
  ]);
});

test('totals of live bots at a test network are never those of real money', () => {
  const bots = [aBot(1, { mode: 'live', exchange_id: 'binance', total_pnl: -5 }), aBot(2, { mode: 'live', total_pnl: 100 })];
  const live = new Map(bots.map((bot) => [bot.id, asLive(bot)]));
  expect(botTotals(bots, live).map(({ mode, bots: count, pnl }) => [mode, count, pnl])).toEqual([
    ['live', 1, -5],
    ['testnet', 1, 100],
  ]);
});
