import { aFill, anOrder } from '#engine/account/testing/an-order.ts';
import { nothingImported } from '#storage/bots/running-bots.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import { enter, market, Rig, start } from '#engine/bot/testing/rig.ts';
import { toStoredMemory } from '#engine/bot/stored-state.ts';
import { to8Decimals } from '#engine/market/rounding.ts';
import type { SettingsInput } from '#engine/settings/normalise-settings.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { describe, expect, test } from 'vitest';
import type { BotFacts, BotSums } from './step-writes.ts';
import { stepNotices } from './step-notices.ts';
import { tradeMessages } from './trade-messages.ts';
import { decisionRows, mustBeWritten, snapshotOf, stepWrites } from './step-writes.ts';
import { tradeIdOf } from './trade-rows.ts';

const facts: BotFacts = {
  botId: 'bot-1',
  nickname: 'Quiet',
  ownerEmail: 'owner@example.com',
  mode: 'paper',
  epoch: '3',
  startingBalance: '10000',
  timeInForce: {},
  versions: { bot: 3, strategy: 2 },
  stakeCurrency: 'USDT',
  imported: nothingImported,
};
const none: BotSums = { profit: 0, fees: 0, wins: 0, trades: 0 };
const tradeId = tradeIdOf('bot-1', 'paper', 1);

/** A bot whose steps are turned into rows one after the other, as a runner does. */
function writer(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}) {
  const rig = new Rig({ ...market, ...settings }, callbacks);
  let sums = none;
  const write = (effects: readonly BotEffect[], more: { latencyMs?: number; unrealizedPnl?: number } = {}) => {
    const made = stepWrites(facts, rig.state, effects, sums, {
      confidenceOf: ({ id }) => id / 10,
      unrealizedPnl: more.unrealizedPnl ?? 0,
      latencyMs: more.latencyMs ?? null,
      now: start + 7,
    });
    sums = made.sums;
    return made.writes;
  };
  return { rig, write, sums: () => sums };
}
const entered = (settings: Partial<SettingsInput> = {}) => {
  const made = writer(settings);
  const opening = [...made.rig.candle(1, enter), ...made.rig.tick(60, 100)];
  return { ...made, opening };
};

describe('a step that enters', () => {
  test('leaves the trade as it is now with its order and fill, the decision and the memory, and no figures', () => {
    const { rig, opening, write, sums } = entered();
    const writes = write(opening, { latencyMs: 12 });
    expect(writes.trades).toHaveLength(1);
    expect(writes.trades[0]).toMatchObject({
      trade: { id: tradeId, status: 'open', confidence: 0.1, entryPrice: 100.01, botVersion: 3, strategyVersion: 2 },
      orders: [{ status: 'filled', acknowledgedAt: new Date(start + 3_600_012) }],
      fills: [{ exchangeFillId: expect.any(String) }],
    });
    expect(writes).toMatchObject({
      closed: [],
      correctedTrades: [],
      cancelledOrders: [],
      entersTrades: true,
      decisions: [{ botId: 'bot-1', epoch: '3', symbol: 'BTC/USDT', action: 'enter', gate: null }],
      consecutiveLosses: 0,
      snapshot: null,
      paused: null,
    });
    expect(writes.memory).toEqual(toStoredMemory(rig.state));
    expect(sums()).toEqual(none);
  });

  test('OP-27 is also one in which an entry that has waited is filled on paper: the kill switch may forbid it until then', () => {
    const waits = {
      orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
      entryPricing: { side: 'same', useOrderBook: false },
    } as const;
    const { rig, opening, write } = entered(waits);
    expect(write(opening)).toMatchObject({ entersTrades: true, trades: [{ orders: [{ status: 'open' }] }] });
    const filling = rig.tick(61, 99);
    expect(write(filling)).toMatchObject({ entersTrades: true, trades: [{ orders: [{ status: 'filled' }] }] });
    expect(write(rig.tick(62, 85))).toMatchObject({ entersTrades: false, trades: [{ trade: { status: 'closed' } }] });
  });

  test('has orders that are acknowledged as they were sent, when nothing was waited for', () => {
    const { opening, write } = entered();
    const [order] = write(opening).trades[0]?.orders ?? [];
    expect(order?.acknowledgedAt).toEqual(order?.sentAt);
  });
});

describe('a step that closes', () => {
  test('leaves the closed trade, what it adds to the figures, and a snapshot after it', () => {
    const { rig, opening, write, sums } = entered({ minimalRoi: { 0: 0.01 } });
    write(opening);
    const closing = rig.tick(61, 110);
    const [trade] = rig.closed();
    const writes = write(closing, { unrealizedPnl: 2 });
    const profit = trade?.profit ?? 0;
    expect(profit).toBeGreaterThan(0);
    const fees = String(writes.trades[0]?.trade.fees);
    expect(writes.trades).toMatchObject([{ trade: { id: tradeId, status: 'closed', profit }, orders: [{}, {}], fills: [{}, {}] }]);
    expect(writes.closed).toEqual([
      { botId: 'bot-1', mode: 'paper', startingBalance: '10000', profit, fees, closedAt: new Date(trade?.closeTime ?? 0) },
    ]);
    expect(sums()).toEqual({ profit: rig.state.closedProfit, fees: Number(fees), wins: 1, trades: 1 });
    expect(writes.snapshot).toEqual(snapshotOf(facts, sums(), 2, start + 7));
    expect(writes.correctedTrades).toEqual([]);
  });

  test('leaves a snapshot in which imported trades count, and are no money of the bot', () => {
    const imported = { trades: 3, wins: 1, profit: '-20.00000001', fees: '1.5' };
    const sums = { profit: 5, fees: 0.5, wins: 1, trades: 1 };
    expect(snapshotOf({ ...facts, imported }, sums, 2, start)).toMatchObject({
      realizedPnl: -15.00000001,
      netPnl: -13.00000001,
      totalFees: 2,
      winRate: 0.5,
      currentBalance: 10_005,
    });
  });

  test('at a loss adds no win, and the losses in a row are those of the engine', () => {
    const { rig, opening, write, sums } = entered();
    write(opening);
    const writes = write(rig.tick(61, 80));
    expect(sums()).toMatchObject({ wins: 0, trades: 1 });
    expect(sums().profit).toBeLessThan(0);
    expect(writes.consecutiveLosses).toBe(1);
  });

  test('for the last loss in a row mails the owner that the bot has paused', () => {
    const { rig, opening, write } = entered({ maxConsecutiveLosses: 1 });
    write(opening);
    expect(write(rig.tick(61, 80)).paused).toEqual({
      recipient: 'owner@example.com',
      subject: 'Bot paused',
      body: expect.stringMatching(/^Your bot "Quiet" has closed 1 trades in a row at a loss and was paused\./u),
    });
  });

  test('the mail about a live bot says so', () => {
    const { rig, opening } = entered({ maxConsecutiveLosses: 1 });
    const live = { ...facts, mode: 'live' } as const;
    const circumstances = { confidenceOf: () => null, unrealizedPnl: 0, latencyMs: null, now: start + 7 };
    const { writes } = stepWrites(live, rig.state, [...opening, ...rig.tick(61, 80)], none, circumstances);
    expect(writes.paused?.body).toMatch(/^LIVE: real orders, real money\./u);
  });
});

test('limits are asked about a new entry with the middle of the market, and not about one that takes the place of another', () => {
  const { rig, write } = writer({
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market', forceExit: 'market' },
    entryPricing: { side: 'same', useOrderBook: false },
  });
  const opening = [...rig.candle(1, enter), ...rig.tick(60, 100, { bid: 96, ask: 104 })];
  const [order] = rig.state.trades[0]?.orders ?? [];
  expect(order?.price).toBe(96);
  expect(write(opening).entries).toEqual([{ clientOrderId: order?.id, mid: 100 }]);
  const following = opening.map((effect) =>
    effect.kind === 'order-created' ? { ...effect, order: { ...effect.order, action: 'replace' as const } } : effect,
  );
  expect(write(following).entries).toEqual([]);
});

test('a step in which an entry is never filled leaves a cancelled trade and its cancelled order, and no figures', () => {
  const { rig, write, sums } = writer({
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market', forceExit: 'market' },
    entryPricing: { side: 'same', useOrderBook: false },
    unfilledTimeout: { entryMs: 60_000, exitMs: 60_000 },
  });
  const opening = [...rig.candle(1, enter), ...rig.tick(60, 100)];
  const [waiting] = rig.state.trades;
  expect(waiting?.amount).toBe(0);
  const [order] = waiting?.orders ?? [];
  write(opening);
  const ending = rig.tick(75, 105);
  expect(ending.map(({ kind }) => kind)).toContain('trade-cancelled');
  const writes = write(ending);
  expect(writes.trades[0]).toMatchObject({ trade: { id: tradeId, status: 'cancelled', closedAt: new Date(start + 7) } });
  expect(writes.trades[1]).toMatchObject({ trade: { status: 'open', closedAt: null } }); // its signal holds still
  expect(writes.cancelledOrders).toEqual([order?.id]);
  expect([writes.closed, writes.snapshot, sums()]).toEqual([[], null, none]);
});

test.for([
  ['refused', 'failed'],
  ['expired', 'cancelled'],
  ['cancelled', 'cancelled'],
] as const)('OP-85, DATA-24 an entry that the exchange says is %s leaves a trade that is %s', ([state, status]) => {
  const { rig, write } = writer();
  Object.assign(rig.context, { execution: 'exchange' });
  write([...rig.candle(1, enter), ...rig.tick(60, 100)]);
  const [order] = rig.state.trades[0]?.orders ?? [];
  if (order === undefined) throw new Error('Nothing was ordered');
  const report = { state, requested: order.amount, filled: 0, fills: [] };
  const effects = rig.take({ kind: 'order-update', time: start + 3_600_000, orderId: order.id, report });
  expect(write(effects).trades).toMatchObject([{ trade: { id: tradeId, status, closedAt: new Date(start + 7) } }]);
});

describe('what a late fill or a late payment of funding corrects', () => {
  const corrected = (profit: number, profitChange: number, feeInQuote: number | null, isFill = true) => {
    const { rig, opening, write, sums } = entered({ minimalRoi: { 0: 0.01 } });
    write(opening);
    write(rig.tick(61, 110));
    const before = sums();
    const [trade] = rig.closed();
    if (trade === undefined) throw new Error('Nothing was closed');
    const fill = { id: 'late', price: 100, amount: 1, fee: 0.5, feeCurrency: 'USDT', feeInQuote, liquidity: 'taker', time: 9 } as const;
    const effect = { kind: 'trade-corrected', time: 9, trade: { ...trade, profit }, fill: isFill ? fill : null, profitChange } as const;
    rig.state.closedProfit += profitChange;
    const writes = write([effect]);
    return { before, after: sums(), writes, usual: 100 * trade.feeClose };
  };

  test.each([
    ['a win that stays one', 5, -1, 0],
    ['a win that becomes a loss', -5, -100, -1],
    ['a loss that becomes a win', 5, 100, 1],
    ['a win that becomes nothing', 0, -1, -1],
    ['nothing that becomes a win', 1, 1, 1],
  ])('%s', (_what, profit, profitChange, wins) => {
    const { before, after, writes } = corrected(profit, profitChange, 0.5);
    expect(after.wins - before.wins).toBe(wins);
    expect(after.trades).toBe(before.trades);
    expect(after.fees).toBeCloseTo(before.fees + 0.5, 12);
    expect(writes.correctedTrades).toEqual([tradeId]);
    expect(writes.trades).toMatchObject([{ trade: { id: tradeId, status: 'closed', profit } }]);
    expect(writes.closed).toEqual([]);
    // Else the history of the balance would end with what it was before.
    expect(before.profit + profitChange).toBeCloseTo(after.profit, 12);
    expect(writes.snapshot).toMatchObject({ realizedPnl: to8Decimals(after.profit), totalFees: after.fees });
  });

  test('a payment has no fee', () => {
    const { before, after, writes } = corrected(-5, -100, null, false);
    expect([after.fees, after.wins]).toEqual([before.fees, before.wins - 1]);
    expect(writes.correctedTrades).toEqual([tradeId]);
  });

  test('a fee whose value is not known counts as what is usual', () => {
    const { before, after, usual } = corrected(5, 1, null);
    expect(usual).toBeGreaterThan(0);
    expect(after.fees).toBeCloseTo(before.fees + usual, 12);
  });
});

describe('whether a step must be on the disk before the bot continues', () => {
  const { rig, opening } = entered();
  const [trade] = rig.state.trades;
  if (trade === undefined) throw new Error('Nothing was opened');
  const updated = (changes: Partial<typeof trade>): BotEffect[] => [
    { kind: 'trade-updated', time: start, trade: { ...trade, ...changes } },
  ];
  const before = structuredClone(rig.state);

  test.each([
    ['nothing has come of it', [], false],
    ['a decision alone', rig.effects.filter(({ kind }) => kind === 'decision'), false],
    ['prices seen', updated({ maxRate: 120, minRate: 80 }), false],
    ['a stop that moved', updated({ stop: trade.stop + 1 }), true],
    ['another amount', updated({ amount: trade.amount / 2 }), true],
    ['funding', updated({ fundingFees: 1 }), true],
    ['a trade that was not known', updated({ id: 99 }), true],
    ['an entry', opening, true],
    ['a mail to the owner', [{ kind: 'bot-paused', time: start, reason: 'max-consecutive-losses', losses: 1 }] as BotEffect[], true],
  ])('%s', (_what, effects, isNeeded) => {
    expect(mustBeWritten(before, effects)).toBe(isNeeded);
  });
});

test('a trade that has changed without an order is written too', () => {
  const { rig, opening, write } = entered();
  write(opening);
  const [trade] = rig.state.trades;
  if (trade === undefined) throw new Error('Nothing was opened');
  const moved = { kind: 'trade-updated', time: start, trade: { ...trade, stop: 95 } } as const;
  expect(write([moved]).trades).toMatchObject([{ trade: { id: tradeId, status: 'open', stopPrice: 95, closedAt: null } }]);
});

test('a trade that closes without profit or loss does not count as a winning one', () => {
  const { rig, opening, write, sums } = entered({ minimalRoi: { 0: 0.01 } });
  write(opening);
  rig.tick(61, 110);
  const [trade] = rig.closed();
  if (trade === undefined) throw new Error('Nothing was closed');
  write([{ kind: 'trade-closed', time: start, trade: { ...trade, profit: 0 } }]);
  expect(sums()).toMatchObject({ wins: 0, trades: 1 });
});

test('an order of a trade leaves the other open trades unwritten', () => {
  const { opening, write } = entered();
  const [filled] = opening.filter((effect) => effect.kind === 'order-filled');
  if (filled === undefined) throw new Error('Nothing was filled');
  expect(write([{ ...filled, tradeId: 99 }]).trades).toEqual([]);
});

test('an order that is made or filled without an effect of its trade is written as the state has it', () => {
  const { rig, opening, write } = entered();
  const filled = opening.filter(({ kind }) => kind === 'order-filled');
  expect(filled).toHaveLength(1);
  expect(write(filled).trades).toMatchObject([{ trade: { id: tradeId, status: 'open' }, orders: [{ status: 'filled' }], fills: [{}] }]);
  // What has no effect is not written.
  expect(write(rig.candle(2)).trades).toEqual([]);
});

test('decisions are those among the effects, with the time they were made', () => {
  const { opening } = entered();
  expect(decisionRows(facts, opening)).toMatchObject([
    { botId: 'bot-1', epoch: '3', candleTime: start, action: 'enter', decidedAt: start + 3_600_000 },
  ]);
  expect(
    decisionRows(
      facts,
      opening.filter(({ kind }) => kind !== 'decision'),
    ),
  ).toEqual([]);
});

describe('a snapshot', () => {
  test('has the sums, and shares of what the bot started with', () => {
    expect(snapshotOf(facts, { profit: 100.1 + 100.2, fees: 3, wins: 3, trades: 4 }, 50, 5)).toEqual({
      botId: 'bot-1',
      mode: 'paper',
      takenAt: new Date(5),
      netPnl: 250.3,
      netPnlPct: 2.503,
      unrealizedPnl: 50,
      realizedPnl: 200.3,
      totalFees: 3,
      winRate: 0.75,
      currentBalance: 10_200.3,
    });
  });

  test('of a bot without trades or without money has zeros, not nothing', () => {
    expect(snapshotOf({ ...facts, startingBalance: '0' }, none, 0, 5)).toMatchObject({ netPnlPct: 0, winRate: 0, currentBalance: 0 });
  });
});

describe('messages for people', () => {
  test('OP-58 one when a trade holds something for the first time, one when it is closed', () => {
    const { rig, opening, write } = entered({ minimalRoi: { 0: 0.01 } });
    const texts = (effects: readonly BotEffect[]) => write(effects).messages?.map(({ text }) => text);
    expect(texts(opening)).toEqual([expect.stringMatching(/^Quiet: opened BTC\/USDT long at 100\.01 for \d+(?:\.\d+)? USDT \(paper\)$/u)]);
    expect(texts(rig.tick(61, 101))).toEqual([]);
    expect(texts(rig.tick(62, 110))).toEqual([
      expect.stringMatching(/^Quiet: closed BTC\/USDT long at [\d.]+, \+[\d.]+ USDT \(paper, roi\)$/u),
    ]);
  });

  test('OP-58 each is also a row: time, bot, symbol, direction, entry, exit, pnl, and what the row is known by', () => {
    const { rig, opening, write } = entered({ minimalRoi: { 0: 0.01 } });
    const rows = (effects: readonly BotEffect[]) => write(effects).messages?.map(({ cells }) => cells);
    const id = tradeId.replaceAll('-', '').slice(0, 12);
    expect(rows(opening)).toEqual([
      [new Date(start + 3_600_000).toISOString(), 'Quiet', 'BTC/USDT', 'long', 100.01, '', '', `${id}-opened`],
    ]);
    const closing = rig.tick(61, 110);
    const [trade] = rig.closed();
    expect(rows(closing)).toEqual([
      [new Date(trade?.closeTime ?? 0).toISOString(), 'Quiet', 'BTC/USDT', 'long', 100.01, trade?.closeRate, trade?.profit, `${id}-closed`],
    ]);
    expect(trade?.profit).toBeGreaterThan(0);
  });

  test('OP-58 of a trade that is closed in parts both prices are those of the whole, as in its row, in notices too', () => {
    const { rig, opening } = entered({ minimalRoi: { 0: 0.01 } });
    expect(opening).not.toEqual([]);
    const [trade] = rig.state.trades;
    if (trade === undefined) throw new Error('Nothing was opened');
    const exit = (id: string, amount: number, price: number) =>
      anOrder({ id, purpose: 'exit', side: 'sell', state: 'filled', amount, filled: amount, fills: [aFill({ id, amount, price })] });
    const half = trade.amount / 2;
    const orders = [...trade.orders, exit('first', half, 150), exit('last', half, 90)];
    const closed = { ...trade, isOpen: false, amount: half, closeRate: 90, closeTime: start, profit: 19, orders };
    const effects = [{ kind: 'trade-closed', time: start, trade: closed } as const];
    const [message] = tradeMessages({ botId: 'bot-1', nickname: 'Quiet', mode: 'paper', stakeCurrency: 'USDT' }, effects, new Map());
    expect(message?.cells.slice(4, 7)).toEqual([100.01, 120, 19]);
    expect(message?.text).toMatch(/^Quiet: closed BTC\/USDT long at 120, \+19 USDT /u);
    const [notice] = stepNotices({ botId: 'bot-1', nickname: 'Quiet', mode: 'paper', stakeCurrency: 'USDT' }, effects, new Map());
    expect(notice?.text).toMatch(/ closed BTC\/USDT long at 120: /u);
  });

  test('OP-58 a loss has its sign, and a name calls nobody', () => {
    const { rig, opening } = entered({ stoploss: -0.05 });
    const of = { botId: 'bot-1', nickname: '<!channel> @everyone', mode: 'testnet', stakeCurrency: 'USDC' } as const;
    const messages = (effects: readonly BotEffect[]) =>
      tradeMessages(of, effects, new Map([...rig.state.trades, ...rig.closed()].map((trade) => [trade.id, trade]))).map(({ text }) => text);
    expect(messages(opening)[0]).toMatch(/^!channel everyone: opened/u);
    expect(messages(rig.tick(61, 90)).at(-1)).toMatch(/, -[\d.]+ USDC \(testnet, stop_loss\)$/u);
  });
});

describe('notices for the channels of the owner', () => {
  test('of a trade that was opened and closed, and of a bot that pauses itself, with the figures of the rows', () => {
    const { rig, opening, write } = entered({ maxConsecutiveLosses: 1 });
    const opened = write(opening);
    const row = opened.trades[0]?.trade;
    expect(opened.notices).toEqual([
      { topic: 'trade-opened', text: `PAPER: Quiet opened BTC/USDT long: ${row?.amount} at ${row?.entryPrice}, stake ${row?.stake} USDT` },
    ]);
    const closing = write([...rig.tick(120, 50)]);
    const closed = closing.trades[0]?.trade;
    expect(Number(closed?.profit)).toBeLessThan(0);
    expect(closing.notices).toEqual([
      {
        topic: 'trade-closed',
        text: `PAPER: Quiet closed BTC/USDT long at ${closed?.exitPrice}: loss ${Math.abs(Number(closed?.profit))} USDT after fees (stop loss)`,
      },
      { topic: 'bot-paused', text: 'PAPER: Quiet paused itself after a loss. It still manages its open trades.' },
    ]);
  });
});
