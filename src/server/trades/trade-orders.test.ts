import { addDecisions } from '#storage/bots/decisions.ts';
import { aFillRow, anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let botId = '';
const at = (ms: number) => new Date(Date.UTC(2026, 2, 1, 12) + ms);

beforeAll(async () => {
  owner = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'Momentum' });
});

test('ADD-trade-orders: every order with what was decided, each state with its time in ms, and each fill', async () => {
  const trade = aTradeRow(botId, {
    symbol: 'ETH/USDT',
    mode: 'testnet',
    openedAt: at(0),
    engineState: JSON.stringify({ priceTick: 0.01 }),
    entryPrice: '2060.5',
    stopPrice: '2039.95',
    entryTag: 'cross',
  });
  const entry = anOrderRow(trade, {
    signalKey: 'testnet ETH/USDT 2026-03-01T11:55:00.000Z enter',
    requested: '0.5',
    filled: '0.3',
    price: '2060.9',
    averagePrice: '2060.5',
    status: 'open',
    reason: 'cross',
    plannedAt: at(38),
    sentAt: at(182),
    acknowledgedAt: at(3412),
    expiresAt: at(2182),
    exchangeOrderId: '8841',
    timeInForce: 'GTC',
  });
  const stop = anOrderRow(trade, { purpose: 'stop', side: 'sell', type: 'stop', stopPrice: '2039.95', price: null, status: 'refused' });
  const fill = aFillRow(entry, { price: '2060.5', amount: '0.3', fee: '0.0001', feeCurrency: 'BNB', feeQuote: null, isMaker: true });
  await writeTrades(db, [
    {
      trade,
      orders: [entry, { ...stop, plannedAt: at(3460), refusal: 'would trigger at once' }],
      fills: [{ ...fill, filledAt: at(3411), exchangeFillId: '77' }],
    },
  ]);
  for (const [state, ms, detail] of [
    ['sent', 182, 'attempt 1, valid for 2000 ms'],
    ['unknown', 600, null],
    ['open', 3412, null],
  ] as const)
    await sql`insert into order_events (order_id, at, state, detail)
      select id, ${at(ms)}, ${state}, ${detail} from orders where client_order_id = ${entry.clientOrderId}`.execute(db);

  const shown = await owner.tradeOrders({ params: { id: trade.id }, query: {} });
  expect(shown).toMatchObject({
    trade_id: trade.id,
    bot_id: botId,
    nickname: 'Momentum',
    exchange_id: 'sandbox',
    symbol: 'ETH/USDT',
    mode: 'testnet',
    status: 'open',
    opened_at: at(0).toISOString(),
    price_tick: 0.01,
    stop_price: 2039.95,
    pnl: null,
  });
  expect(shown.orders[0]).toEqual({
    order_id: entry.clientOrderId,
    exchange_order_id: '8841',
    purpose: 'entry',
    side: 'buy',
    type: 'limit',
    time_in_force: 'GTC',
    price: 2060.9,
    stop_price: null,
    requested: 0.5,
    filled: 0.3,
    average_price: 2060.5,
    reason: 'cross',
    signal_candle: '2026-03-01T11:55:00.000Z',
    state: 'open',
    attempts: 1,
    refusal: null,
    planned_at: at(38).toISOString(),
    sent_at: at(182).toISOString(),
    acknowledged_at: at(3412).toISOString(),
    expires_at: at(2182).toISOString(),
    closed_at: null,
    stop_gap_ms: null,
    alike_before: 0,
    events: [
      { at: at(182).toISOString(), state: 'sent', detail: 'attempt 1, valid for 2000 ms' },
      { at: at(600).toISOString(), state: 'unknown', detail: null },
      { at: at(3412).toISOString(), state: 'open', detail: null },
    ],
    fills: [
      {
        fill_id: '77',
        at: at(3411).toISOString(),
        price: 2060.5,
        amount: 0.3,
        fee: 0.0001,
        fee_currency: 'BNB',
        fee_value: null,
        is_maker: true,
      },
    ],
  });
  // What was never sent has no attempts, and a key without a candle names none.
  expect(shown.orders[1]).toMatchObject({ attempts: 0, signal_candle: null, refusal: 'would trigger at once', events: [], fills: [] });
});

test('ADD-trade-orders: a trade of which no order is kept has none', async () => {
  const trade = aTradeRow(botId, { status: 'closed', closedAt: at(9), profit: '-1.5', profitRatio: '-0.015' });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const shown = await owner.tradeOrders({ params: { id: trade.id }, query: {} });
  expect(shown).toMatchObject({ orders: [], pnl: -1.5, pnl_ratio: -0.015, price_tick: null });
});

test('ADD-trade-orders is for whoever may see the bot; an order shows nothing of another trade', async () => {
  const [trade, other] = [aTradeRow(botId), aTradeRow(botId)];
  await writeTrades(
    db,
    [trade, other].map((each) => ({ trade: each, orders: [anOrderRow(each)], fills: [] })),
  );
  for (const role of ['admin', 'operator', 'investor'] as const) {
    const shown = await (await server.signedIn(role)).tradeOrders({ params: { id: trade.id }, query: {} });
    expect(shown.orders).toHaveLength(1);
  }
  const stranger = await server.signedIn('trader');
  expect((await failure(stranger.tradeOrders({ params: { id: trade.id }, query: {} }))).message).toBe(
    '403 You do not have access to this bot',
  );
  const missing = '00000000-0000-4000-8000-00000000dead';
  expect((await failure(owner.tradeOrders({ params: { id: missing }, query: {} }))).message).toBe('404 Trade not found');
});

test('ADD-trade-orders: of stops that fail in the same way in a row the first and the last are listed, with how many are left out', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet' });
  let made = 0;
  const order = (given: Parameters<typeof anOrderRow>[1]) =>
    anOrderRow(trade, { clientOrderId: `fold-${made}`, plannedAt: at(1_000 * made++), acknowledgedAt: at(0), closedAt: at(500), ...given });
  const stop = (given: Parameters<typeof anOrderRow>[1]) =>
    order({ purpose: 'stop', side: 'sell', type: 'stop', status: 'refused', ...given });
  const many = (count: number, given: Parameters<typeof anOrderRow>[1]) => Array.from({ length: count }, () => stop(given));
  const orders = [
    order({ status: 'filled', filled: 5 }), // 0
    ...many(1_000, { refusal: 'Too many stops (12).' }), // 1 to 1000
    stop({ refusal: 'Margin is insufficient.' }), // 1001
    ...many(3, { refusal: 'Too many stops (13).' }), // 1002 to 1004
    order({ purpose: 'exit', side: 'sell', status: 'refused', refusal: 'Too many stops (13).' }), // 1005
    ...many(4, { status: 'expired' }), // 1006 to 1009
    ...many(3, { status: 'cancelled' }), // 1010 to 1012
    ...many(3, { status: 'expired', closedAt: at(60_000) }), // 1013 to 1015 have stood for a minute
    ...many(3, { status: 'expired', filled: 1 }), // 1016 to 1018
    ...many(3, { status: 'cancelled', reason: 'cancelled by the bot' }), // 1019 to 1021
    ...many(3, { status: 'expired', reason: 'lost' }), // 1022 to 1024
  ];
  await writeTrades(db, [
    {
      trade,
      orders: orders.map((each, i) => ({ ...each, refusal: [12, 998].includes(i) ? 'Too many stops (7).' : (each.refusal ?? null) })),
      fills: [],
    },
  ]);
  await sql`insert into order_events (order_id, state) select id, case reason when 'lost' then 'unknown' else 'cancel-pending' end from orders
    where trade_id = ${trade.id} and reason is not null`.execute(db);
  const list = async (query: { all?: 'true' }) =>
    (await owner.tradeOrders({ params: { id: trade.id }, query })).orders.map(({ order_id: id, alike_before: left }) =>
      left === 0 ? id.slice(5) : `${id.slice(5)} after ${left}`,
    );
  expect(await list({})).toEqual([
    ...'0, 1, 1000 after 998, 1001, 1002, 1004 after 1, 1005, 1006, 1009 after 2, 1010, 1012 after 1'.split(', '),
    ...Array.from({ length: 12 }, (_, i) => String(1_013 + i)),
  ]);
  expect(await list({ all: 'true' })).toEqual(orders.map((_, i) => String(i)));
});

test('ADD-trade-orders: a closed trade says what was seen when it was entered and left, to whom its bot belongs', async () => {
  const trade = aTradeRow(botId, { symbol: 'SOL/USDT', status: 'closed', closedAt: at(600_000), profit: '1', exitReason: 'cross down' });
  const candle = (minutes: number) => at(minutes * 60_000);
  const key = (minutes: number, what: string) => `paper SOL/USDT ${candle(minutes).toISOString()} ${what}`;
  await writeTrades(db, [
    {
      trade,
      orders: [
        { ...anOrderRow(trade, { signalKey: key(1, 'enter') }), plannedAt: candle(2) },
        { ...anOrderRow(trade, { purpose: 'exit', side: 'sell', signalKey: key(8, 'exit') }), plannedAt: candle(9) },
      ],
      fills: [],
    },
  ]);
  const seen = { enterLong: true, tag: 'cross', confidence: 0.5, price: 10.5, values: { rsi: 29 }, priceAge: 400, last: 10.4 };
  const decided = { botId, epoch: '0', symbol: 'SOL/USDT', gate: null, decidedAt: at(0).getTime() };
  await addDecisions(db, [
    { ...decided, candleTime: candle(1).getTime(), action: 'enter', seen },
    { ...decided, candleTime: candle(2).getTime(), action: 'hold', seen }, // of the trade, but no order came of it
    { ...decided, candleTime: candle(8).getTime(), action: 'exit', seen: { price: 11, values: { rsi: 71 } } },
  ]);
  const shown = await owner.tradeOrders({ params: { id: trade.id }, query: {} });
  expect(shown.entered_on).toEqual({
    candle_time: candle(1).toISOString(),
    tag: 'cross',
    confidence: 0.5,
    price: 10.5,
    seen: { values: { rsi: 29 }, price: 10.4, price_age_ms: 400 },
  });
  expect(shown.left_on).toMatchObject({ candle_time: candle(8).toISOString(), price: 11, seen: { values: { rsi: 71 } } });
  // Decisions are the owner's and admins'; who only sees the bot is shown the tag and the reason.
  const investor = await server.signedIn('investor');
  expect(await investor.tradeOrders({ params: { id: trade.id }, query: {} })).toMatchObject({ entered_on: null, left_on: null });
});
