import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { spotUserEvent } from './wire/spot-shapes.ts';
import { type RawAccount, rawAccount } from './testing/raw-account.ts';

/** Answers that were recorded at the real exchange; ids and times were quoted by those who recorded them. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testing', 'recorded-answers.json'), 'utf8')) as Record<string, unknown>;

let sandbox: Sandbox;
let account: RawAccount;
beforeAll(async () => {
  sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21) });
  account = await rawAccount(sandbox);
});
afterAll(() => sandbox.close());

/** The names in an answer, inside lists those of the first item, and what kind of value a name without a quoted number has. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value === 'boolean') return 'yes or no';
  if (typeof value !== 'object' || value === null) return 'text or number';
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
}

const limit = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '50000.00' };
const spot = async () => account.send('POST', '/api/v3/order', { symbol: 'BTCUSDT', ...limit });
const futures = async () => account.send('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', ...limit });

test.each<[string, () => Promise<unknown>]>([
  ['spot new order', async () => (await spot()).body],
  [
    'spot order',
    async () => (await account.send('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: (await spot()).body.orderId })).body,
  ],
  ['spot account', async () => (await account.send('GET', '/api/v3/account')).body],
  [
    'execution report',
    async () => {
      const messages: object[] = [];
      const end = sandbox.accounts.watch('spot', account.apiKey, (event) => messages.push(spotUserEvent(event, 1) ?? {}));
      await account.send('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.0002' });
      end();
      return messages.find((message) => 'x' in message && message.x === 'TRADE');
    },
  ],
  ['futures new order', async () => (await futures()).body],
  [
    'futures order',
    async () => (await account.send('GET', '/fapi/v1/openOrder', { symbol: 'BTCUSDT', orderId: (await futures()).body.orderId })).body,
  ],
  [
    'futures fill',
    async () => {
      await account.send('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
      return (await account.send('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT' })).body[0];
    },
  ],
  ['futures position', async () => (await account.send('GET', '/fapi/v3/positionRisk')).body[0]],
  ['futures account', async () => (await account.send('GET', '/fapi/v3/account')).body],
])('%s has the shape that was recorded at the exchange', async (name, ask) => {
  expect(shapeOf(await ask())).toEqual(shapeOf(recorded[name]));
});
