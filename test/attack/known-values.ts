import type { Database } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { password } from '../support/test-server.ts';
import type { Belongings, Callers } from './callers.ts';
import type { Operation } from './operations.ts';
import type { KnownValues } from './values-of-schema.ts';

/** The id of nothing. */
export const missingId = '00000000-0000-4000-8000-00000000dead';

/** Values that get past the first checks, by the name of a field; `id` is of what the operation is about, `apiKey` one that its exchange takes. */
export async function knownValues(
  db: Database,
  callers: Callers,
  apiKey: { key: string; secret: string },
): Promise<(operation: Operation) => KnownValues> {
  const strategies = (await listStrategies(db)).slice(0, 2).map(({ id }) => id);
  const owners = [callers.of('trader'), callers.of('admin'), callers.other];
  const all = (noun: keyof Belongings): unknown[] => [...owners.map(({ owns }) => owns?.[noun]), missingId];
  const emails = [
    ...(['trader', 'half login', 'unverified'] as const).map((kind) => callers.of(kind).email),
    callers.other.email,
    'nobody@attack.example',
  ];
  const passwords = [password, 'wrong', 'short'];
  const times = [String(Date.now()), '0'];
  const general: KnownValues = {
    email: emails,
    user_email: emails,
    password: passwords,
    confirmPassword: passwords,
    currentPassword: passwords,
    code: ['000000', '123456'],
    exchange: ['Sandbox', 'Sandbox', 'sandbox', 'Binance'],
    exchange_id: ['sandbox', 'binance'],
    symbol: ['BTC/USDT', 'BTC/USDT', 'BTC/USDT', 'NONE/USDT'],
    minimal_roi: [{ 0: 0.1 }, { 0: 0.1, 30: 0.05 }],
    order_types: [{ entry: 'limit' }],
    order_time_in_force: [{ entry: 'GTC' }],
    risk_reward_ratio: [1, 0],
    encrypted_webhook: ['', 'https://hooks.example.com/a'],
    stake_currency: ['USDT'],
    market_type: ['spot', 'futures', 'option'],
    margin_mode: ['spot'],
    trading_pairs: [['BTC/USDT'], ['BTC/USDT', 'ETH/USDT'], ['NONE/USDT']],
    stake_amount: [100, 0],
    max_open_trades: [3, 51],
    leverage: [1, 200],
    leverage_mode: ['isolated', 'cross'],
    note: ['a note'],
    name: ['a name'],
    kind: ['telegram', 'discord', 'slack', 'ntfy', 'webhook'],
    address: ['https://ntfy.sh/my-topic', 'https://discord.com/api/webhooks/1/a', 'https://127.0.0.1/'],
    chat: ['7'],
    topics: [['trade-closed'], ['day-sum', 'stop-missing']],
    quiet: [null, { from: '22:00', until: '07:00', zone: 'Europe/Zurich' }],
    version: [1, 2],
    days: [7],
    strategy_id: [...strategies, missingId],
    bot_id: all('bot'),
    trader_id: all('user'),
    key: ['server_config', 'paper', 'pnl_ranges'],
    month: ['2026-01', '2026-10'],
    changes: [[{ name: 'open-orders', currency: null, value: 9 }]],
    expected: [2],
    actual: [1.5],
    before: times,
    from: times,
  };
  const nouns: [string, unknown[]][] = [
    ['/sessions/', all('session')],
    ['/api-keys/', all('apiKey')],
    ['/backtest/', all('backtest')],
    ['/portfolios/', all('portfolio')],
    ['/studies/', all('study')],
    ['/strategies/', [...strategies, ...strategies, missingId]],
    ['/reports/', ['2026-01-01', '2026-02-31']],
    ['/bots/', all('bot')],
    ['/trades/', all('trade')],
    ['/differences/', all('difference')],
    ['/alarms/', all('alarm')],
    ['/channels/', all('channel')],
    ['/pair-locks/', all('lock')],
  ];
  return ({ url, name }) => ({
    ...general,
    ...(name === 'addApiKey' ? { key: [apiKey.key], secret: [apiKey.secret] } : {}),
    id: nouns.find(([path]) => url.includes(path))?.[1] ?? all('user'),
  });
}

/** One of each kind of thing that does not exist. */
export const missingThings = {
  user: missingId,
  bot: missingId,
  apiKey: missingId,
  session: missingId,
  backtest: missingId,
  portfolio: missingId,
  study: missingId,
  trade: missingId,
  difference: missingId,
  alarm: missingId,
  channel: missingId,
  rules: missingId,
  lock: missingId,
};
