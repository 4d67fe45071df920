import { aTrade } from '#engine/account/testing/a-trade.ts';
import { aFill, anOrder } from '#engine/account/testing/an-order.ts';
import { closeTrade, countFill, settleTrade } from '#engine/account/trade.ts';
import { fromStoredTrade } from '#engine/bot/stored-state.ts';
import { describe, expect, test } from 'vitest';
import { tradeIdOf, tradeRows } from './trade-rows.ts';

const context = { botId: 'bot-1', mode: 'paper', epoch: '3', confidence: 0.7 } as const;
const entry = (given: Parameters<typeof anOrder>[0] = {}) => anOrder({ id: 'o1', state: 'filled', filled: 10, fillPrice: 100, ...given });

test('the id of a trade is the same whenever it is written, and another for another bot, mode or number', () => {
  const id = tradeIdOf('bot-1', 'paper', 1);
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/u);
  expect(tradeIdOf('bot-1', 'paper', 1)).toBe(id);
  const others = [tradeIdOf('bot-2', 'paper', 1), tradeIdOf('bot-1', 'live', 1), tradeIdOf('bot-1', 'paper', 2)];
  expect(new Set([id, ...others]).size).toBe(4);
});

describe('the row of a trade', () => {
  test('says what is held, at what price, and with what stops', () => {
    const trade = aTrade({
      orders: [entry()],
      amount: 10,
      openTime: 5,
      stop: 91,
      initialStop: 90,
      liquidationPrice: 50,
      fundingFees: -0.5,
      profit: 3,
      profitRatio: 0.1,
      enterTag: 'up',
    });
    expect(tradeRows(trade, context).trade).toEqual({
      id: tradeIdOf('bot-1', 'paper', 1),
      botId: 'bot-1',
      symbol: 'BTC/USDT',
      direction: 'long',
      mode: 'paper',
      status: 'open',
      openedAt: new Date(5),
      closedAt: null,
      amount: 10,
      stake: 1000,
      leverage: 1,
      entryPrice: 100,
      exitPrice: null,
      stopPrice: 91,
      initialStopPrice: 90,
      liquidationPrice: 50,
      fees: '0',
      funding: -0.5,
      profit: null, // of a closed trade only
      profitRatio: null,
      entryTag: 'up',
      exitReason: null,
      confidence: 0.7,
      engineState: JSON.stringify({ version: 2, ...trade, confidence: 0.7 }),
      botVersion: null,
      strategyVersion: null,
    });
  });

  test('says that it is too small to sell, which is found again after a restart', () => {
    const { engineState } = tradeRows(aTrade({ tooSmall: 'to-sell' }), context).trade;
    const written: unknown = JSON.parse(engineState ?? '');
    expect(written).toMatchObject({ tooSmall: 'to-sell' });
    expect(fromStoredTrade(written)).not.toHaveProperty('tooSmall');
  });

  test('before the first fill has the amount that was asked for, and neither an entry price nor stops', () => {
    const waiting = aTrade({ orders: [anOrder({ amount: 7 })] });
    expect(tradeRows(waiting, context).trade).toMatchObject({
      status: 'open',
      amount: 7,
      entryPrice: null,
      stopPrice: null,
      initialStopPrice: null,
    });
    expect(tradeRows(aTrade({ orders: [] }), context).trade).toMatchObject({ amount: 0 });
  });

  test('that has ended is closed with its profit, or cancelled when nothing was ever held', () => {
    const over = { isOpen: false, closeTime: 9, closeRate: 104, profit: 3, profitRatio: 0.1, exitReason: 'roi' };
    expect(tradeRows(aTrade({ ...over, orders: [entry()], amount: 10 }), context).trade).toMatchObject({
      status: 'closed',
      closedAt: new Date(9),
      exitPrice: 104,
      profit: 3,
      profitRatio: 0.1,
      exitReason: 'roi',
    });
    expect(tradeRows(aTrade({ ...over, orders: [anOrder()] }), context).trade).toMatchObject({ status: 'cancelled' });
  });

  test('DATA-24 that was closed in parts is all that was entered, at the average prices of its entries and of its exits', () => {
    const trade = aTrade({ priceTick: 0.01, amountStep: 0.001, leverage: 2 });
    const fills = [
      ['entry', 1, 100],
      ['exit', 0.25, 150],
      ['exit', 0.25, 150],
      ['entry', 0.5, 130],
      ['exit', 1, 90],
    ] as const;
    for (const [i, [purpose, amount, price]] of fills.entries()) {
      const order = anOrder({ id: String(i), purpose, amount, price });
      trade.orders.push(order);
      countFill(trade, order, aFill({ id: String(i), amount, price, fee: 0, time: i }), null);
      settleTrade(trade);
      if (i === 3) expect(tradeRows(trade, context).trade).toMatchObject({ amount: 1, entryPrice: 115, exitPrice: null });
    }
    closeTrade(trade, 90, 3);
    // 1.5 for 165, left for 165.
    expect(tradeRows(trade, context).trade).toMatchObject({ amount: 1.5, stake: 82.5, entryPrice: 110, exitPrice: 110, profit: 0 });
  });

  test('has the fees of all fills exactly; one whose value is not known makes its order cost what is usual', () => {
    const orders = [
      entry({ fills: [aFill({ id: 'a', feeInQuote: 0.1 }), aFill({ id: 'b', feeInQuote: 0.2 })] }),
      anOrder({
        id: 'o2',
        purpose: 'exit',
        state: 'filled',
        filled: 10,
        fills: [aFill({ id: 'c', price: 200, amount: 3, feeInQuote: null })],
      }),
      entry({
        id: 'o3',
        filled: 3,
        baseFee: 0.1,
        fills: [
          aFill({ id: 'd', price: 50, amount: 2, feeInQuote: null }),
          aFill({ id: 'e', price: 50, amount: 1, fee: 0.1, feeCurrency: 'BTC', feeInQuote: 5 }),
        ],
      }),
    ];
    // 0.1 + 0.2, 3 x 200 x 0.002, and 0.1 kept of 3 at 50 with what is usual for the others
    const trade = aTrade({ orders, amount: 10, feeOpen: 0.001, feeClose: 0.002 });
    expect(Number(tradeRows(trade, context).trade.fees)).toBeCloseTo(0.3 + 1.2 + 5 + 2.9 * 50 * 0.002, 10);
  });

  test('OP-85 has no fee twice where an order has paid in two currencies, and the value of one is not known', () => {
    const fills = [
      aFill({ id: 'a', price: 200, amount: 1, fee: 0.001, feeCurrency: 'BNB', feeInQuote: null }),
      aFill({ id: 'b', price: 200, amount: 2, fee: 0.4 }),
    ];
    const exit = anOrder({ id: 'o2', purpose: 'exit', state: 'filled', filled: 3, fills });
    expect(Number(tradeRows(aTrade({ orders: [exit], feeClose: 0.002 }), context).trade.fees)).toBeCloseTo(3 * 200 * 0.002, 10);
  });

  test('has the usual fees of a perpetual of BNB where those of one fill are in BNB and of another are not known', () => {
    const fills = [
      aFill({ id: 'a', price: 600, amount: 1, fee: 0.0005, feeCurrency: 'BNB', feeInQuote: 0.3 }),
      aFill({ id: 'b', price: 600, amount: 2, fee: 0.5, feeCurrency: 'USDC', feeInQuote: null }),
    ];
    const exit = anOrder({ id: 'o2', purpose: 'exit', state: 'filled', filled: 3, fills });
    const fees = (symbol: string) => Number(tradeRows(aTrade({ symbol, orders: [exit], feeClose: 0.002 }), context).trade.fees);
    expect(fees('BNB/USDT:USDT')).toBeCloseTo(3 * 600 * 0.002, 10);
  });
});

describe('the row of an order', () => {
  const rowOf = (order: ReturnType<typeof anOrder>, more: object = {}) =>
    tradeRows(aTrade({ id: 4, orders: [order] }), { ...context, ...more }).orders[0];

  test('says what was asked for, why, and how far it is', () => {
    const order = entry({ tag: 'up', createdTime: 60, candleTime: 0, filledTime: 80, amount: 12, price: 101, fillPrice: 100.5 });
    expect(rowOf(order, { latencyMs: 15 })).toEqual({
      botId: 'bot-1',
      tradeId: tradeIdOf('bot-1', 'paper', 4),
      epoch: '3',
      clientOrderId: 'o1',
      signalKey: 'paper BTC/USDT 1970-01-01T00:00:00.000Z enter',
      purpose: 'entry',
      side: 'buy',
      type: 'limit',
      requested: 12,
      price: 101,
      stopPrice: null,
      timeInForce: 'GTC',
      reason: 'up',
      status: 'filled',
      filled: 10,
      averagePrice: 100.5,
      plannedAt: new Date(60),
      sentAt: new Date(60),
      acknowledgedAt: new Date(75),
      closedAt: new Date(80),
    });
  });

  test('that was simulated without a delay is acknowledged as it is sent', () => {
    expect(rowOf(entry({ createdTime: 60 }))).toMatchObject({ sentAt: new Date(60), acknowledgedAt: new Date(60) });
  });

  test('that is only planned was neither sent nor acknowledged', () => {
    expect(rowOf(anOrder({ state: 'planned', createdTime: 60 }))).toMatchObject({
      plannedAt: new Date(60),
      sentAt: null,
      acknowledgedAt: null,
    });
  });

  test('ends with its last fill, not before it is final', () => {
    expect(rowOf(entry({ filledTime: null }))?.closedAt).toBeNull();
    expect(rowOf(entry({ filledTime: 80, state: 'open' }))?.closedAt).toBeNull();
    expect(rowOf(entry({ filledTime: 80 }))?.closedAt).toEqual(new Date(80));
  });

  test.each([
    ['enter', null, 'enter'],
    ['exit', null, 'exit of trade 4'],
    ['exit-rest', 'o0', 'exit-rest of trade 4 after o0'],
  ] as const)('names the signal it comes of: %s', (action, follows, name) => {
    expect(rowOf(entry({ action, follows }))?.signalKey).toBe(`paper BTC/USDT 1970-01-01T00:00:00.000Z ${name}`);
  });
});

test('the row of a fill names its order, and keeps the fee as it was stated', () => {
  const fills = [
    aFill({ id: 'a', price: 100, amount: 4, fee: 0.01, feeCurrency: 'BNB', feeInQuote: null, liquidity: 'maker', time: 70 }),
    aFill({ id: 'b', fee: 0.6, feeInQuote: 0.6, liquidity: 'taker' }),
  ];
  expect(tradeRows(aTrade({ orders: [entry({ fills })] }), context).fills).toEqual([
    {
      clientOrderId: 'o1',
      exchangeFillId: 'a',
      price: 100,
      amount: 4,
      fee: 0.01,
      feeCurrency: 'BNB',
      feeQuote: null,
      isMaker: true,
      filledAt: new Date(70),
    },
    expect.objectContaining({ exchangeFillId: 'b', feeQuote: 0.6, isMaker: false }),
  ]);
});
