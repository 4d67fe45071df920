import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfiguration, slotsAndStake } from './freqtrade-configuration.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-freqtrade-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));
let written = 0;
const write = (value: object | string): string => {
  const file = join(folder, `config-${written++}.json`);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
};
const least = { stake_currency: 'USDT', stake_amount: 50, max_open_trades: 3, exchange: { name: 'binance', pair_whitelist: ['BTC/USDT'] } };
const read = (given: object = {}, ...more: object[]) => readConfiguration([write({ ...least, ...given }), ...more.map(write)]);
const faults = (given: object | string): string[] => {
  try {
    readConfiguration([write(given)]);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};
const left = (given: object): Record<string, string> => Object.fromEntries(read(given).left.map(({ key, what }) => [key, what]));

test('what a bot can have is carried over', () => {
  expect(
    read({
      trading_mode: 'futures',
      margin_mode: 'isolated',
      timeframe: '15m',
      stoploss: -0.12,
      minimal_roi: { 0: 0.03, 60: 0.01 },
      trailing_stop: true,
      trailing_stop_positive: 0.01,
      order_types: { entry: 'market', exit: 'limit', stoploss: 'market', emergency_exit: 'market' },
      order_time_in_force: { entry: 'gtc', exit: 'IOC' },
      strategy: 'EmaCross',
      bot_name: 'Harbour',
      dry_run: true,
    }),
  ).toEqual({
    exchange: 'binance',
    marketType: 'futures',
    leverageMode: 'isolated',
    stakeCurrency: 'USDT',
    stakeAmount: 50,
    capital: 990,
    mostOpen: 3,
    leverage: 1,
    pairs: ['BTC/USDT'],
    excluded: [],
    own: {
      timeframe: '15m',
      stoploss: -0.12,
      minimal_roi: { 0: 0.03, 60: 0.01 },
      order_types: { entry: 'market', exit: 'limit', stoploss: 'market' },
      order_time_in_force: { entry: 'GTC', exit: 'IOC' },
    },
    trailing: { trailing_stop: true, trailing_stop_positive: 0.01 },
    strategy: 'EmaCross',
    botName: 'Harbour',
    hasKeys: false,
    left: [],
    meaningless: [],
  });
});

test('a later configuration has the say, in what it names', () => {
  const { stakeAmount, exchange, pairs, hasKeys } = read(
    {},
    { stake_amount: 70, exchange: { key: 'k', secret: 's' } },
    { exchange: { pair_whitelist: ['ETH/USDT'] } },
  );
  expect({ stakeAmount, exchange, pairs, hasKeys }).toEqual({ stakeAmount: 70, exchange: 'binance', pairs: ['ETH/USDT'], hasKeys: true });
  expect(faults({ ...least, add_config_files: ['private.json'] })[0]).toMatch(
    /name them too.*: --config .*config-\d+\.json private\.json\.$/u,
  );
});

describe('keys, secrets and passwords', () => {
  const secrets = {
    ...least,
    exchange: {
      ...least.exchange,
      key: 'EXCHANGE-KEY',
      secret: 'EXCHANGE-SECRET',
      password: 'PASSPHRASE',
      walletAddress: 'WALLET',
      privateKey: 'PRIVATE',
    },
    telegram: { enabled: true, token: 'TELEGRAM-TOKEN' },
    api_server: { password: 'PAGE-PASSWORD', jwt_secret_key: 'JWT', ws_token: 'WS' },
  };
  const values = /EXCHANGE|PASSPHRASE|WALLET|PRIVATE|TELEGRAM-|PAGE-|JWT|WS/u;

  test('are in nothing that is read, only that there are some', () => {
    const moved = readConfiguration([write(secrets)]);
    expect(moved.hasKeys).toBe(true);
    expect(JSON.stringify(moved)).not.toMatch(values);
    expect(read({ exchange: { ...least.exchange, key: '', secret: '' } }).hasKeys).toBe(false);
  });

  test('are quoted by no fault, wherever it is', () => {
    const text = JSON.stringify(secrets, null, 1);
    for (let cut = 20; cut < text.length; cut += 7) expect(faults(text.slice(0, cut)).join(' ')).not.toMatch(values);
    expect(faults({ ...secrets, stake_amount: 'EXCHANGE' })).toHaveLength(1);
    expect(faults(text.slice(0, 200))[0]).toMatch(/, line \d+: this is not valid JSON\.$/u);
  });
});

test('what cannot be carried over is said by its key with what to do, and what makes no difference is not', () => {
  const said = left({
    tradable_balance_ratio: 1,
    use_exit_signal: true,
    exit_profit_only: true,
    protections: [{ method: 'CooldownPeriod' }],
    telegram: { enabled: false, token: 'x' },
    discord: { enabled: true },
    entry_pricing: { price_side: 'same', use_order_book: true, check_depth_of_market: { enabled: false } },
    exit_pricing: { price_side: 'other' },
    order_types: { entry: 'limit', stoploss_on_exchange: false, emergency_exit: 'market', other: 1 },
    order_time_in_force: { entry: 'PO' },
    pairlists: [{ method: 'StaticPairList' }, { method: 'VolumePairList' }],
    my_key: 1,
    initial_state: 'running',
  });
  expect(Object.keys(said).toSorted()).toEqual([
    'discord',
    'exit_pricing',
    'exit_profit_only',
    'my_key',
    'order_time_in_force.entry',
    'order_types.other',
    'order_types.stoploss_on_exchange',
    'pairlists',
    'protections',
  ]);
  expect(said['my_key']).toBe('it is not known here, and nothing was made of it');
  expect(read({ initial_state: 'running', db_url: 'x', $schema: 'y' }).meaningless).toEqual(['initial_state', 'db_url']);
});

test('a value that no bot can have is left to the strategy, with the reason', () => {
  expect(left({ minimal_roi: { 0: 0.1, 10: 0.05, 20: 0.03, 40: 0 } })['minimal_roi']).toMatch(/^ROI must have 1 to 3 entries;/u);
  expect(left({ stoploss: 0.1 })['stoploss']).toMatch(/^Stop loss must be a negative fraction;/u);
  expect(left({ timeframe: '2h' })['timeframe']).toMatch(/^Invalid timeframe;/u);
  expect(read({ stoploss: 0.1 }).own).toEqual({});
});

test('stake and slots without a limit become what each slot had at first', () => {
  const of = (given: object, pairs = 10) => {
    const { slots, stake } = slotsAndStake(read({ stake_amount: 'unlimited', ...given }), pairs);
    return [stake, slots];
  };
  expect(of({})).toEqual([330, 3]);
  expect(of({ dry_run_wallet: 100, tradable_balance_ratio: 1 })).toEqual([33.33, 3]);
  expect(of({ dry_run_wallet: { USDT: 600, BTC: 1 } })).toEqual([198, 3]);
  expect(of({ available_capital: 90 })).toEqual([30, 3]);
  expect(of({ available_capital: 0.01, stake_currency: 'BTC' })).toEqual([0.00333333, 3]);
  expect(of({ max_open_trades: -1 })).toEqual([99, 10]);
  // The pairs that there are count, however they are named; what more than there are slots would have shared is not given to fewer.
  expect(of({ max_open_trades: -1, exchange: { name: 'binance', pair_whitelist: ['.*/USDT'] } }, 24)).toEqual([41.25, 24]);
  expect(of({ max_open_trades: -1, exchange: { name: 'binance', pair_whitelist: [] } }, 3)).toEqual([330, 3]);
  expect(of({ max_open_trades: -1 }, 400)).toEqual([19.8, 50]);
  expect(of({ max_open_trades: 60, dry_run_wallet: 10_000 }, 24)).toEqual([165, 24]);
  expect(of({ max_open_trades: 60, dry_run_wallet: 10_000 }, 400)).toEqual([165, 50]);
  expect(slotsAndStake(read({ stake_amount: 40, max_open_trades: 60 }), 24)).toEqual({ stake: 40, slots: 24 });
  expect(left({ max_open_trades: 80 })['max_open_trades']).toContain('1 to 50 slots');
});

test('what is missing or wrong is refused, all of it at once', () => {
  expect(faults({ exchange: {} })).toEqual([
    '"exchange.name" is missing: name the exchange whose pairs the bot trades.',
    '"stake_currency" is missing.',
    '"max_open_trades" is missing: give the most trades that may be open at once, or -1 for no limit.',
    '"stake_amount" is missing: give the stake of a trade, or "unlimited".',
  ]);
  expect(
    faults({
      ...least,
      stake_amount: -1,
      max_open_trades: 2.5,
      trading_mode: 'options',
      exchange: { name: 'binance', pair_whitelist: 'BTC' },
    }),
  ).toHaveLength(4);
  expect(faults('[1]')[0]).toContain('must hold an object');
  expect(() => readConfiguration([join(folder, 'none.json')])).toThrow('cannot be read');
});
