import { sealedStrategySecrets } from '#storage/strategies/strategy-settings.ts';
import type { Caller } from '../calls/caller.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import type { ShownSecrets } from './strategy-reply.ts';

/** The secrets of all strategies that have some, in clear, for admins; nothing for everybody else. By strategy id. */
export async function shownSecrets(
  { db, strategySecrets, sheets }: Pick<ServerDependencies, 'db' | 'strategySecrets' | 'sheets'>,
  caller: Pick<Caller, 'role'>,
): Promise<Map<string, ShownSecrets>> {
  if (caller.role !== 'admin') return new Map();
  const sealed = await sealedStrategySecrets(db);
  return new Map(
    [...sealed].map(([id, { webhook, sheetsKey, webhookResult, sheetResult }]) => [
      id,
      {
        webhook: openedOrNull(() => (webhook === null ? null : strategySecrets.open(id, 'webhook', webhook))),
        sheetsKey: openedOrNull(() => (sheetsKey === null ? null : strategySecrets.open(id, 'sheets_key', sheetsKey))),
        webhookResult,
        sheetResult,
        sheetAccount: sheets?.account ?? null,
      },
    ]),
  );
}

/** What was sealed with a key that is lost cannot be read again, only set again: shown as not set, the rest of the screen works. */
function openedOrNull(open: () => string | null): string | null {
  try {
    return open();
  } catch {
    return null;
  }
}
