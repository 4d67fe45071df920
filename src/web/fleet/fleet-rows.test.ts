import type { Gate } from '#engine/bot/effect.ts';
import { describe, expect, test } from 'vitest';
import { aBot, asLive, sampleTime } from '../testing/samples/bots.ts';
import { botSentence } from './decision-sentence.ts';
import { fleetTotals, foldedRows, foundBots, hiddenText, needsAttention, rowsShown } from './fleet-rows.ts';
import { isLate, priceAge, pricesLateAfterMs } from '../live/price-age.ts';
import type { FleetBot } from '../live/joined-fleet.ts';

const now = Date.parse(sampleTime);
const bot = (number: number, changes: Partial<FleetBot> = {}): FleetBot => asLive(aBot(number), changes);
const names = (bots: readonly FleetBot[]) => bots.map(({ nickname }) => nickname);
const sentence = (changes: Partial<FleetBot>) => {
  const { what, why } = botSentence(bot(1, changes));
  return why === '' ? what : `${what}: ${why}`;
};
const decided = (action: string, gate: Gate | null, direction: 'long' | 'short' | null = null) =>
  sentence({ last_decision: { time: sampleTime, symbol: 'BTC/USDT', action, gate, direction } });

describe('the sentence of a bot', () => {
  test.each([
    ['enter', null, 'long', 'Entered BTC/USDT long'],
    ['exit', null, null, 'Left BTC/USDT'],
    ['hold', null, null, 'Holding BTC/USDT'],
    ['hold', 'exit-not-profitable', null, 'Holding BTC/USDT: the exit signal waits for a profit'],
    ['hold', 'has-open-trade', 'long', 'Holding BTC/USDT: a new signal came while the trade is open'],
    ['none', 'no-signal', null, 'No signal in BTC/USDT'],
    ['none', 'stale-candle', 'long', 'No entry in BTC/USDT long: the newest candle is too old'],
    ['none', 'expired-signal', 'long', 'No entry in BTC/USDT long: the signal came too late'],
    ['none', 'stopped', 'long', 'No entry in BTC/USDT long: the bot was stopped'],
    ['none', 'paused', 'long', 'No entry in BTC/USDT long: the bot was paused'],
    ['none', 'locked', 'short', 'No entry in BTC/USDT short: the pair is locked for now'],
    ['none', 'slots-full', 'long', 'No entry in BTC/USDT long: no free slot (3 of 3 open)'],
    ['none', 'no-price', null, 'No entry in BTC/USDT: no price came before the next candle closed'],
    ['none', 'insufficient-balance', 'long', 'No entry in BTC/USDT long: the free balance is below the stake'],
    ['none', 'stake-too-large', 'long', "No entry in BTC/USDT long: the stake is above the market's maximum"],
    ['none', 'stake-too-small', 'long', "No entry in BTC/USDT long: the stake is below the market's minimum"],
    ['none', 'amount-too-small', 'long', "No entry in BTC/USDT long: the amount is below the market's minimum"],
    ['none', 'refused-by-strategy', 'long', 'No entry in BTC/USDT long: the strategy refused it'],
    ['none', 'a-new-gate' as Gate, 'long', 'No entry in BTC/USDT long: a new gate'],
  ] as const)('%s, %s, %s', (action, gate, direction, text) => {
    expect(decided(action, gate, direction)).toBe(text);
  });

  test('OP-86 a bot that makes no entries says so instead; a problem comes first; before the first candle it waits', () => {
    expect(sentence({ status: 'stopped', last_error: 'old' })).toBe('Stopped: nothing runs');
    expect(sentence({ status: 'paused' })).toBe('Paused: no new entries');
    expect(sentence({ status: 'paused', open_trades: 1 })).toBe('Paused: no new entries; open trades keep their stops and exits');
    expect(sentence({ last_error: 'sandbox does not have BTC/USDT' })).toBe('Problem: sandbox does not have BTC/USDT');
    expect(sentence({ last_decision: null })).toBe('Waiting: the next candle has not closed yet');
  });
});

test('ADD-bot-decisions: a bot says how its last hour and day were, where its last decision has no reason that matters more', () => {
  const nearest = { candle_time: sampleTime, symbol: 'ETH/USDT', name: 'RSI', value: 31, threshold: 30 };
  const counts = {
    last_hour: { candles: 60, signals: 0, entered: 0, nearest },
    last_day: { candles: 1440, signals: 2, entered: 1, nearest },
  };
  const said = 'last hour 60 candles, no signal, last day 1,440, 2 signals, 1 entered; the nearest was 00:00 in ETH/USDT, RSI 31 of 30';
  const decision = { time: sampleTime, symbol: 'BTC/USDT', action: 'none', gate: 'no-signal', direction: null };
  expect(sentence({ ...counts, last_decision: decision })).toBe(`No signal in BTC/USDT: ${said}`);
  expect(sentence({ ...counts, last_decision: { ...decision, symbol: 'ETH/USDT', action: 'hold', gate: null } })).toBe(
    `Holding ETH/USDT: ${said.replace(' in ETH/USDT', '')}`,
  );
  expect(sentence({ ...counts, last_decision: { ...decision, gate: 'locked' } })).toBe('No entry in BTC/USDT: the pair is locked for now');
  expect(sentence({ ...counts, status: 'paused', last_decision: decision })).toBe('Paused: no new entries');
});

describe('the rows', () => {
  test('active before paused before stopped, live before paper, else as they came', () => {
    const bots = [bot(1), bot(2, { status: 'stopped' }), bot(3, { mode: 'live' }), bot(4, { status: 'paused' }), bot(5)];
    expect(names(foldedRows(bots, false, now).shown)).toEqual(['Bot 3', 'Bot 1', 'Bot 5', 'Bot 4', 'Bot 2']);
  });

  test('the bot that is watched is among the seven, wherever it stands', () => {
    const bots = [...Array.from({ length: 8 }, (_, i) => bot(i + 1, { open_trades: 1 })), bot(9, { status: 'stopped' })];
    expect(names(foldedRows(bots, false, now).shown)).not.toContain('Bot 9');
    const { shown, hidden } = foldedRows(bots, false, now, bots[8]?.bot_id);
    expect([names(shown).at(-1), shown.length, hidden.length]).toEqual(['Bot 9', 7, 2]);
  });

  test('bots are found by name and by the pair they have decided about, in any case', () => {
    const decision = { time: sampleTime, symbol: 'SOL/USDT', action: 'hold', gate: null, direction: null };
    const bots = [bot(1, { last_decision: null }), bot(2, { last_decision: decision })];
    expect(names(foundBots(bots, ' sol'))).toEqual(['Bot 2']);
    expect(names(foundBots(bots, 'BOT 1'))).toEqual(['Bot 1']);
    expect(names(foundBots(bots, ''))).toEqual(['Bot 1', 'Bot 2']);
    expect(foundBots(bots, 'none')).toEqual([]);
  });

  test('beyond seven what is late, active or in a trade is shown; the order of the rows stays', () => {
    const late = new Date(now - pricesLateAfterMs - 1).toISOString();
    const bots = [
      ...Array.from({ length: 8 }, (_, i) => bot(i + 1)),
      bot(9, { open_trades: 1 }),
      bot(10, { status: 'paused', last_tick_at: late }),
      bot(11, { status: 'stopped', last_tick_at: late }),
    ];
    const { shown, hidden } = foldedRows(bots, false, now);
    expect(shown).toHaveLength(rowsShown);
    expect(names(shown)).toEqual(['Bot 1', 'Bot 2', 'Bot 3', 'Bot 4', 'Bot 5', 'Bot 9', 'Bot 10']);
    expect(names(hidden)).toEqual(['Bot 6', 'Bot 7', 'Bot 8', 'Bot 11']);
    expect(hiddenText(hidden)).toBe('4 more: 3 active, 1 stopped');
    expect(hiddenText(hidden.slice(2))).toBe('2 more: Bot 8 has no open trade, Bot 11 is stopped');
    expect(foldedRows(bots, true, now).hidden).toEqual([]);
  });

  test('attention: late prices or a problem of a bot that runs', () => {
    expect(needsAttention(bot(1), now)).toBe(false);
    expect(needsAttention(bot(1), now + pricesLateAfterMs + 1)).toBe(true);
    expect(needsAttention(bot(1, { last_error: 'x' }), now)).toBe(true);
    expect(needsAttention(bot(1, { last_error: 'x', status: 'stopped' }), now)).toBe(false);
  });

  test('a price is late after a minute; a stopped bot needs none, a new one has none', () => {
    expect(priceAge(bot(1), now + 5_000)).toBe(5_000);
    expect(isLate(bot(1), now + pricesLateAfterMs)).toBe(false);
    expect(isLate(bot(1), now + pricesLateAfterMs + 1)).toBe(true);
    expect(priceAge(bot(1, { status: 'stopped' }), now)).toBeNull();
    expect(priceAge(bot(1, { last_tick_at: null }), now)).toBeNull();
  });
});

test('totals never add paper, test networks and live, nor two currencies', () => {
  const bots = [
    bot(1, { today_pnl: 1, unrealized_pnl: 2 }),
    bot(2, { today_pnl: 10, unrealized_pnl: 20, mode: 'live', exchange_id: 'binance' }),
    bot(5, { today_pnl: 1000, unrealized_pnl: 2000, mode: 'live', exchange_id: 'sandbox' }),
    bot(6, { today_pnl: 1000, unrealized_pnl: 0, mode: 'live', exchange_id: 'binance_testnet' }),
    bot(3, { today_pnl: 100, unrealized_pnl: 200 }),
    bot(4, { today_pnl: 0.5, unrealized_pnl: 0.25, stake_currency: 'BTC' }),
  ];
  expect(fleetTotals(bots)).toEqual([
    { mode: 'live', currency: 'USDT', today: 10, unrealized: 20 },
    { mode: 'testnet', currency: 'USDT', today: 2000, unrealized: 2000 },
    { mode: 'paper', currency: 'USDT', today: 101, unrealized: 202 },
    { mode: 'paper', currency: 'BTC', today: 0.5, unrealized: 0.25 },
  ]);
});
