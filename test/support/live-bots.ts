import type { Credentials } from '#engine/ports/credentials.ts';
import { exchangeTrading } from '#feeds/exchange-trading.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import type { OpenTrading } from '#runner/orders/order-accounts.ts';
import type { Database } from '#storage/database.ts';
import { goLive } from './go-live.ts';
import { addTestBot, type TestBot } from './test-bot.ts';

/** Live bots at a sandbox. */
export interface LiveBots {
  keys: Map<string, Credentials>; // by the id of the key
  openTrading: OpenTrading;
  take: (db: Database, id: string) => Promise<{ id: string; apiKeyId: string }>; // makes a bot one of them, with an account of its own
  add: (db: Database, given: TestBot) => Promise<{ id: string; apiKeyId: string }>;
}

/** See `LiveBots`. `now` is the market's time in ms. */
export function liveBots(sandbox: { sandboxUrl: string; now: () => number; log?: (message: string) => void }): LiveBots {
  const { sandboxUrl, now, log = () => undefined } = sandbox;
  const keys = new Map<string, Credentials>();
  const take: LiveBots['take'] = async (db, id) => {
    const { key, secret } = await sandboxKeys(sandboxUrl)();
    const apiKeyId = await goLive(db, id);
    keys.set(apiKeyId, { key, secret, passphrase: null });
    return { id, apiKeyId };
  };
  return {
    keys,
    async openTrading({ apiKeyId, ...account }) {
      const credentials = keys.get(apiKeyId);
      if (credentials === undefined) throw new Error('no such key');
      return await exchangeTrading({ sandboxUrl, now, log })({ ...account, accountId: apiKeyId, credentials });
    },
    take,
    add: async (db, given) => take(db, await addTestBot(db, given)),
  };
}
