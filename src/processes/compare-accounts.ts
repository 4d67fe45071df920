import { minuteMs } from '#engine/market/durations.ts';
import { listBotNames } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { expectedHoldings } from '#storage/differences/differences.ts';
import { listDifferences } from '#storage/differences/found-differences.ts';
import { type LiveAccount, listLiveAccounts } from '#storage/exchange-accounts/live-accounts.ts';

/** A symbol of an account: what the trades of its bots hold and what the account does. Base currency; negative is short. */
interface ComparedSymbol {
  symbol: string;
  trades: number;
  account: number; // as of the last comparison
  bot: string | null; // on whose page a person decides; null: there is nothing to decide
}

/** An account of live bots beside the trades of its bots. */
export interface ComparedAccount {
  name: string; // 'sandbox spot, key ...a1b2 of mira@example.com'
  bots: string[];
  comparedAt: Date | null;
  isStopped: boolean; // all its bots are, so nobody compares it
  isLate: boolean; // it was to be compared in the last five minutes, and was not
  symbols: ComparedSymbol[]; // where the trades or the account hold something
}

/** An account is compared once a minute; after this it is not. */
const lateMs = 5 * minuteMs;

/** The accounts of all live bots beside their trades, as the runner has compared them last; nothing is asked of an exchange. */
export async function compareAccounts(db: Database, now: Date): Promise<ComparedAccount[]> {
  const { open } = await listDifferences(db, null);
  const running = new Set((await listBotNames(db)).flatMap(({ id, status }) => (status === 'stopped' ? [] : [id])));
  const compared: ComparedAccount[] = [];
  for (const account of await listLiveAccounts(db, null)) {
    const own = new Map(account.bots.map(({ id, nickname }) => [id, nickname]));
    // What one bot has bought and another has sold in a symbol are two.
    const differences = Map.groupBy(
      open.filter(({ botId }) => own.has(botId)),
      ({ symbol }) => symbol,
    );
    const holdings = await expectedHoldings(db, account.apiKeyId, account.marketType);
    const isStopped = account.bots.every(({ id }) => !running.has(id));
    compared.push({
      name: nameOf(account),
      bots: [...own.values()],
      comparedAt: account.comparedAt,
      isStopped,
      isLate: !isStopped && (account.comparedAt === null || now.getTime() - account.comparedAt.getTime() > lateMs),
      symbols: [...new Set([...holdings.map(({ symbol }) => symbol), ...differences.keys()])].flatMap((symbol) => {
        const trades = holdings.find((each) => each.symbol === symbol)?.expected ?? 0;
        const found = differences.get(symbol) ?? [];
        if (found.length === 0) return trades === 0 ? [] : [{ symbol, trades, account: trades, bot: null }];
        return found.map(({ actual, botId }) => ({ symbol, trades, account: actual, bot: own.get(botId) ?? null }));
      }),
    });
  }
  return compared;
}

function nameOf({ exchangeId, marketType, keyHint, ownerEmail }: LiveAccount): string {
  return `${exchangeId} ${marketType}, key ...${keyHint} of ${ownerEmail}`;
}
