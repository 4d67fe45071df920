import { minuteMs } from '#engine/market/durations.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { Balance, Trading } from '#engine/ports/trading.ts';
import { exchangeBalances, exchangeTrading } from '#feeds/exchange-trading.ts';
import { findSealedKey, noteKeyUse } from '#storage/exchange-accounts/api-keys.ts';
import type { Database } from '#storage/database.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import { isLiveAllowed } from '#storage/trades/trade-mode.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import type { OpeningKey } from '#vault/opening.ts';
import type { AccountName, OpenTrading } from './order-accounts.ts';

/** Opens accounts with the keys that people have stored. The use of a key is noted at most once a minute. */
export function openAccounts(
  db: Database,
  opening: OpeningKey,
  options: { sandboxUrl: string; liveTrading: LiveTrading; now?: () => number; log: (message: string) => void },
): OpenTrading {
  const open = exchangeTrading({ now: Date.now, ...options });
  return async (account) => {
    const { apiKeyId, exchangeId, marketType } = account;
    if (!isLiveAllowed(options.liveTrading, exchangeId)) throw new Error('Live trading is disabled on this server; the bot does nothing.');
    const credentials = await credentialsOf(db, opening, account);
    const trading = await open({ exchangeId, marketType, accountId: apiKeyId, credentials });
    return withUse(trading, () => {
      noteKeyUse(db, apiKeyId, new Date()).catch((error: unknown) => options.log(`The use of a key could not be noted: ${String(error)}`));
    });
  };
}

/** Asks what an account holds. Fails: ExchangeError; Error when its key is gone or cannot be opened */
export type ReadBalances = (account: AccountName) => Promise<Balance[]>;

/** Asks what accounts hold, with the keys that people have stored. */
export function readAccounts(db: Database, opening: OpeningKey, options: { sandboxUrl: string; now?: () => number }): ReadBalances {
  const read = exchangeBalances({ now: Date.now, ...options });
  return async (account) => {
    const { apiKeyId, exchangeId, marketType } = account;
    const balances = await read({ exchangeId, marketType, accountId: apiKeyId, credentials: await credentialsOf(db, opening, account) });
    await noteKeyUse(db, apiKeyId, new Date());
    return balances;
  };
}

async function credentialsOf(db: Database, opening: OpeningKey, { apiKeyId }: AccountName): Promise<Credentials> {
  const row = await findSealedKey(db, apiKeyId);
  if (row === undefined) throw new Error('The API key of the bot is gone.');
  return await openCredentials(opening, row);
}

/** Calls `onUse` when the account is called, at most once a minute. */
function withUse(trading: Trading, onUse: () => void): Trading {
  let notedAt = -Infinity;
  return new Proxy(trading, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (performance.now() - notedAt > minuteMs) {
          notedAt = performance.now();
          onUse();
        }
        return Reflect.apply(value, target, given);
      };
    },
  });
}
