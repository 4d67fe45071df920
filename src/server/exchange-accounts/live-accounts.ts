import type { LiveAccount } from '#storage/exchange-accounts/live-accounts.ts';
import { listLiveAccounts } from '#storage/exchange-accounts/live-accounts.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** How the accounts that live bots trade with stand. */
export function liveAccountHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'listLiveAccounts'> {
  return {
    async listLiveAccounts({ caller, now }) {
      const accounts = await listLiveAccounts(db, caller.role === 'admin' ? null : caller.id);
      return { time: now.toISOString(), accounts: accounts.map((account) => toReply(account, caller)) };
    },
  };
}

function toReply(account: LiveAccount, caller: Caller) {
  return {
    account_id: account.apiKeyId,
    owner: account.ownerId === caller.id ? null : account.ownerEmail,
    exchange_id: account.exchangeId,
    market_type: account.marketType,
    key_label: account.label,
    key_hint: account.keyHint,
    key_check: account.check,
    has_runner: account.hasRunner,
    compared_at: account.comparedAt?.toISOString() ?? null,
    clock_offset_ms: account.clockOffsetMs,
    budget_used: account.budgetUsed,
    bots: account.bots,
    unknown_orders: account.unknownOrders,
    oldest_unknown_at: account.oldestUnknownAt?.toISOString() ?? null,
    differences: account.differences,
    unprotected: account.unprotected,
    longest_stop_gap_ms: account.longestStopGapMs,
    left_over: account.leftOvers,
  };
}
