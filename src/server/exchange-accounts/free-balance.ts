import { texts } from '#contract/errors.ts';
import { hourMs, secondMs } from '#engine/market/durations.ts';
import type { BalanceFailure, BalanceName, BalanceReading } from '#storage/exchange-accounts/account-balances.ts';
import { askBalance, findBalance } from '#storage/exchange-accounts/account-balances.ts';
import type { Database } from '#storage/database.ts';
import { hasLiveRunnerAt } from '#storage/bots/runners.ts';
import { isLiveAllowed } from '#storage/trades/trade-mode.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Limit, spend } from '../auth/limits.ts';
import type { Handlers } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { ownBot } from '../bots/visible-bots.ts';

/** Each is a request at the exchange, paid from the budget that all bots share. */
const balanceReadings: Limit = { name: 'balance-reading', most: 60, windowMs: hourMs };

/** So long an answer is waited for, in ms; a runner asks for half a second at most, an exchange answers within five seconds or not at all. */
const patienceMs = 15 * secondMs;

/** How often it is checked whether the answer is there, in ms. */
const checkMs = 200;

/** What an account has free before its bot trades live. The key is opened by a runner: this process cannot. */
export function freeBalanceHandlers({ db, liveTrading }: Pick<ServerDependencies, 'db' | 'liveTrading'>): Pick<Handlers, 'freeBalance'> {
  return {
    async freeBalance({ caller, params, now, isGone }) {
      const bot = await ownBot(db, caller, params.id);
      const { apiKeyId, marketType, exchangeId, stakeCurrency: currency } = bot;
      const unknown = (why: string) => ({ currency, free: null, read_at: null, why });
      if (apiKeyId === null) return unknown('The bot has no API key yet.');
      if (!isLiveAllowed(liveTrading, exchangeId)) return unknown(`${texts.liveDisabled}.`);
      if (!(await hasLiveRunnerAt(db, exchangeId))) return unknown('No runner that could ask the exchange is running.');
      await spend(db, balanceReadings, caller.id, now, texts.tooManyRequests);
      const found = await readNow(db, { apiKeyId, marketType, currency }, isGone);
      if (found === null) return unknown('No answer has come in time.');
      const { free, failure, readAt } = found;
      return { currency, free, read_at: readAt.toISOString(), why: failure === null ? null : reasons[failure] };
    },
  };
}

async function readNow(db: Database, name: BalanceName, isGone: () => boolean): Promise<(BalanceReading & { readAt: Date }) | null> {
  const askedAt = await askBalance(db, name);
  const end = performance.now() + patienceMs;
  while (performance.now() < end && !isGone()) {
    await sleep(checkMs);
    const found = await findBalance(db, name, askedAt);
    if (found !== null) return found;
  }
  return null;
}

const reasons: Readonly<Record<BalanceFailure, string>> = {
  refused: 'The exchange refuses the API key.',
  rejected: 'The exchange does not say it for this key.',
  unreachable: 'The exchange did not answer.',
  unopened: 'The stored API key cannot be opened.',
};
