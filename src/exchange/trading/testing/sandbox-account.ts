import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { Trading } from '#engine/ports/trading.ts';
import type { TradingRig } from '#engine/ports/trading.contract.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { patienceMs } from '../../../../test/support/patience.ts';
import { createTrading, type TradingOptions } from '../create-trading.ts';

/** A new key of a sandbox that may trade. */
export async function newCredentials({ url }: Pick<Sandbox, 'url'>): Promise<Credentials> {
  const answer = await fetch(`${url}/sandbox/v1/keys`, { method: 'POST' });
  const { apiKey, secretKey } = (await answer.json()) as { apiKey: string; secretKey: string };
  return { key: apiKey, secret: secretKey, passphrase: null };
}

/** The trading side of an account at a sandbox, of a new one when no key is given. It waits for the sandbox as long as a busy machine may need. */
export async function newTrading(sandbox: Sandbox, marketType: MarketType, more: Partial<TradingOptions> = {}): Promise<Trading> {
  const credentials = more.credentials ?? (await newCredentials(sandbox));
  const now = () => sandbox.clock.now();
  const usual = { exchangeId: 'sandbox', sandboxUrl: sandbox.url, marketType, accountId: 'a', timeoutMs: patienceMs };
  return await createTrading({ ...usual, credentials, now, ...more });
}

/** Sends a command to the control interface of a sandbox. */
export async function control({ controlPort }: Sandbox, route: string, body: object = {}): Promise<void> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`http://127.0.0.1:${controlPort}${path}`, { method, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
}

/** A rig of the contract: a coin that costs about 100, whose prices the control interface sets. The clock of the sandbox stands still. */
export async function rigAt(sandbox: Sandbox, marketType: MarketType): Promise<TradingRig> {
  const isFutures = marketType === 'futures';
  const trading = await newTrading(sandbox, marketType);
  const symbol = isFutures ? 'LTC/USDT:USDT' : 'LTC/USDT';
  if (isFutures) await trading.setLeverage(symbol, 1);
  return {
    trading,
    symbol,
    isFutures,
    now: () => sandbox.clock.now(),
    setPrices: (bid, ask, depth) => control(sandbox, 'POST /prices', { pair: 'LTCUSDT', bid, ask, depth }),
  };
}
