import { type ComparedAccount, compareAccounts } from '#processes/compare-accounts.ts';
import type { Config } from '#processes/config.ts';
import { openDatabase } from '#storage/database.ts';
import { keysUnsearchedSinceRestore } from '#storage/exchange-accounts/live-accounts.ts';
import { withDatabase } from './backup-command.ts';

/** Prints the accounts of live bots beside their trades. Returns 1 where one of them differs, was not compared, or has open trades and only stopped bots, else 0; keys that no bot is live with are only named. */
export async function accountsCommand(config: Config, say: (line: string) => void, now = new Date()): Promise<number> {
  const { accounts, unsearched } = await withDatabase(config, async (url) => {
    const db = openDatabase(url, { connections: 1 });
    try {
      return { accounts: await compareAccounts(db, now), unsearched: await keysUnsearchedSinceRestore(db) };
    } finally {
      await db.destroy();
    }
  });
  for (const account of accounts) for (const line of linesOf(account)) say(line);
  const late = accounts.filter(({ isLate }) => isLate).length;
  const unwatched = accounts.filter(({ isStopped, symbols }) => isStopped && symbols.some(({ trades }) => trades !== 0)).length;
  // Two bots of an account may differ in one symbol.
  const differ = accounts.flatMap(({ symbols }) => [
    ...new Set(symbols.flatMap(({ symbol, bot }) => (bot === null ? [] : [symbol]))),
  ]).length;
  if (late > 0)
    say(
      `${late} of ${accounts.length} accounts were not compared in the last five minutes: see that a runner runs, and that its key is taken.`,
    );
  if (unwatched > 0)
    say(
      `${unwatched} of ${accounts.length} accounts have open trades and are not compared, because all their bots are stopped: start one of them.`,
    );
  if (differ > 0) say(`${differ} ${differ === 1 ? 'symbol differs' : 'symbols differ'}: decide on the pages of the bots.`);
  if (late + unwatched + differ + unsearched.length === 0) say(agreement(accounts));
  for (const { exchangeId, keyHint, ownerEmail } of unsearched)
    say(
      `Not compared: ${exchangeId}, key ...${keyHint} of ${ownerEmail}. No bot is live with it in the backup that was restored; one that went live after that has orders and holdings there that nobody follows.`,
    );
  return late + unwatched + differ === 0 ? 0 : 1;
}

/** What there is to say where nothing is wrong. */
function agreement(accounts: readonly ComparedAccount[]): string {
  const stopped = accounts.filter(({ isStopped }) => isStopped).length;
  if (accounts.length === 0) return 'No bot is live.';
  if (stopped === accounts.length) return 'No account is compared, because all live bots are stopped.';
  return stopped === 0 ? 'All accounts hold what the trades say.' : 'All accounts that are compared hold what the trades say.';
}

function linesOf({ name, bots, comparedAt, isStopped, symbols }: ComparedAccount): string[] {
  const when = isStopped
    ? 'not compared, because its bots are stopped'
    : comparedAt === null
      ? 'not compared yet'
      : `compared ${comparedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const rows = symbols.map(
    ({ symbol, trades, account, bot }) =>
      `  ${symbol.padEnd(16)} trades ${String(trades).padEnd(14)} account ${String(account).padEnd(14)}${bot === null ? '' : ` differs: decide on the page of ${bot}`}`,
  );
  return [`${name} (${bots.join(', ')}): ${when}`, ...rows.map((row) => row.trimEnd())];
}
