import { describe, expect, test } from 'vitest';
import { backtestDays } from '#contract/backtests.ts';
import { routes } from '#contract/routes.ts';
import { idOf } from '../testing/samples/ids.ts';
import type { BacktestForm } from './backtest-form.ts';
import {
  baseOfSymbol,
  formAtStart,
  formOfRun,
  matchingSymbols,
  normaliseSymbol,
  numberIssues,
  periodLabel,
  symbolChoices,
  toRequest,
  toWireSymbol,
  withFirst,
} from './backtest-form.ts';
import { aRun, sampleRequest } from '../testing/samples/runs.ts';

const strategies = [{ id: idOf(50), name: 'EMA Cross' }];
const exchanges = [{ id: 'sandbox', name: 'Sandbox' }];
const filled: BacktestForm = { ...formAtStart, strategyId: idOf(50), exchangeId: 'sandbox' };

describe('symbols', () => {
  test.each([
    ['btc/usdt', 'BTCUSDT'],
    ['BTC/USDT:USDT', 'BTCUSDTUSDT'],
    [' eth usdt ', 'ETHUSDT'],
    ['', ''],
  ])('BT-20 %j is normalised to %j', (typed, normalised) => {
    expect(normaliseSymbol(typed)).toBe(normalised);
  });

  test.each([
    ['BTCUSDT', 'BTC'],
    ['btc/usdt:usdt', 'BTC'],
    ['BTC', 'BTC'],
    ['usdt', ''],
    [' / : ', ''],
    ['USDTUSD', 'USDTUSD'],
    ['1000pepe/usdt', '1000PEPE'],
  ])('OP-62 the base of %j is %j', (typed, base) => {
    expect(baseOfSymbol(typed)).toBe(base);
  });

  test('BT-21, BT-22, OP-62 futures send BASE/USDT:USDT, spot sends BASE/USDT, no base sends nothing', () => {
    expect(toWireSymbol('BTCUSDT', 'futures')).toBe('BTC/USDT:USDT');
    expect(toWireSymbol('BTCUSDT', 'spot')).toBe('BTC/USDT');
    expect(toWireSymbol('BTC', 'spot')).toBe('BTC/USDT');
    expect(toWireSymbol('USDT', 'futures')).toBeNull();
  });
});

describe('suggested symbols', () => {
  const symbols = symbolChoices(['BTC/USDT:USDT', 'ETH/USDT:USDT', 'BTC/USDC:USDC', 'WBTC/USDT', 'BTC/USDT', 'ETH/BTC']);
  test('API-30 those against USDT are offered, each once, as the form writes them', () => {
    expect(symbols).toEqual(['BTCUSDT', 'ETHUSDT', 'WBTCUSDT']);
  });
  test.each([
    ['btc', ['BTCUSDT', 'WBTCUSDT']],
    ['eth/usdt:usdt', ['ETHUSDT']],
    ['', ['BTCUSDT', 'ETHUSDT', 'WBTCUSDT']],
    ['doge', []],
  ])('typing %j offers %j', (typed, offered) => {
    expect(matchingSymbols(symbols, typed)).toEqual(offered);
  });
});

test('a run fills the form with what it was started with', () => {
  const run = aRun(1, { symbol: 'ETH/USDT', trading_mode: 'spot', timeframe: '5m', days: 180, stake_amount: 250.5, max_open_trades: 3 });
  const form = formOfRun(run, exchanges, formAtStart);
  expect(toRequest(form, strategies, exchanges)).toMatchObject({ exchange: 'Sandbox', symbol: 'ETH/USDT', days: 180, stake_amount: 250.5 });
  // An exchange that is not offered any more leaves the one that is chosen.
  expect(formOfRun({ ...run, exchange: 'Gone' }, exchanges, filled).exchangeId).toBe('sandbox');
  // So does a period that is not offered.
  expect(formOfRun({ ...run, days: 45 }, exchanges, { ...filled, days: 90 }).days).toBe(90);
});

test('a number of blanks is missing, not zero', () => {
  expect(toRequest({ ...filled, stakeAmount: '  ' }, strategies, exchanges)?.stake_amount).toBeNaN();
  expect(toRequest({ ...filled, stakeAmount: ' 0 ' }, strategies, exchanges)?.stake_amount).toBe(0);
});

test('BT-06, BT-07, BT-08, OP-61 the periods have their words', () => {
  expect(backtestDays.map(periodLabel)).toEqual(['7 Days', '30 Days', '60 Days', '90 Days', '6 Months', '1 Year']);
});

describe('the request', () => {
  test('BT-23 it has nine fields, the exchange by its name, and fits the contract', () => {
    const request = toRequest(filled, strategies, exchanges);
    expect(request).toEqual(sampleRequest);
    expect(routes.runBacktest.body.safeParse(request).success).toBe(true);
  });

  test.each([
    ['strategy', { strategyId: null }],
    ['existing strategy', { strategyId: idOf(51) }],
    ['exchange', { exchangeId: null }],
    ['existing exchange', { exchangeId: 'gone' }],
    ['symbol', { symbol: ' ' }],
    ['base', { symbol: 'USDT/USDT' }],
  ] satisfies [string, Partial<BacktestForm>][])('BT-18, BT-19 without a %s there is none', (_, changes) => {
    expect(toRequest({ ...filled, ...changes }, strategies, exchanges)).toBeNull();
  });
});

test.each([
  [1000, 1, null, null],
  ['0.5', '50', null, null],
  ['', '', 'Stake amount must be positive', 'Max open trades must be between 1 and 50'],
  [0, 0, 'Stake amount must be positive', 'Max open trades must be between 1 and 50'],
  [-5, 51, 'Stake amount must be positive', 'Max open trades must be between 1 and 50'],
  ['1e999', 1.5, 'Stake amount must be positive', 'Max open trades must be between 1 and 50'],
])('BT-09, BT-10 a stake of %j and %j trades: %j, %j', (stakeAmount, maxOpenTrades, stake, trades) => {
  expect(numberIssues({ ...formAtStart, stakeAmount, maxOpenTrades })).toEqual({ stakeAmount: stake, maxOpenTrades: trades });
});

test('a form takes the first strategy and exchange on offer for those that it does not name or that are gone', () => {
  const some = [
    { id: 'a', name: 'A' },
    { id: 'b', name: 'B' },
  ];
  expect(withFirst({ strategyId: null, exchangeId: 'b' }, some, some)).toEqual({ strategyId: 'a', exchangeId: 'b' });
  expect(withFirst({ strategyId: 'gone', exchangeId: null }, some, [])).toEqual({ strategyId: 'a', exchangeId: null });
  expect(withFirst({ strategyId: 'kept', exchangeId: 'kept' }, [], [])).toEqual({ strategyId: 'kept', exchangeId: 'kept' });
});
