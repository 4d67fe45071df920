import { createHash } from 'node:crypto';
import type { profitGroupings } from '#contract/profits.ts';
import type { Database } from '#storage/database.ts';
import type { NamedAccount } from '#storage/profits/group-names.ts';
import { nameAccounts, nameBots, nameStrategies } from '#storage/profits/group-names.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import type { Caller } from '../calls/caller.ts';

/** How a group reads; `key` only where the caller must not see the one of the database. */
export interface GroupName {
  name: string;
  detail: string | null; // what distinguishes it from another of the same name
  key?: string;
}

interface Names {
  db: Database;
  exchanges: readonly { id: string; name: string }[];
  caller: Pick<Caller, 'id' | 'role'>;
}

/** The names of groups, as the caller may read them. */
export async function groupNames(
  { db, exchanges, caller }: Names,
  grouping: (typeof profitGroupings)[number],
  keys: readonly string[],
): Promise<(sums: Pick<ProfitSums, 'key' | 'mode'>) => GroupName> {
  const ids = keys.filter((key) => key !== '');
  const plain = (name: string): GroupName => ({ name, detail: null });
  switch (grouping) {
    case 'bot': {
      const bots = new Map((await nameBots(db, ids)).map((bot) => [bot.id, bot]));
      const seesOwners = caller.role === 'admin' || caller.role === 'operator';
      return ({ key }) => {
        const bot = bots.get(key);
        const isOthers = bot !== undefined && bot.ownerId !== caller.id;
        return { name: bot?.nickname ?? 'Deleted bot', detail: seesOwners && isOthers ? bot.ownerEmail : null };
      };
    }
    case 'strategy': {
      const names = await nameStrategies(db, ids);
      return ({ key }) => plain(names.get(key) ?? 'Deleted strategy');
    }
    case 'version': {
      const names = await nameStrategies(db, [...new Set(ids.map((key) => splitVersion(key).strategyId))]);
      return ({ key }) => {
        const { strategyId, version } = splitVersion(key);
        return {
          name: names.get(strategyId) ?? 'Deleted strategy',
          detail: version === '' ? 'version not recorded' : `version ${version}`,
        };
      };
    }
    case 'account': {
      const accounts = accountNames(await nameAccounts(db, ids), exchanges, caller);
      return ({ key, mode }) => (key === '' ? plain(mode === 'paper' ? 'Simulated account' : 'Account not recorded') : accounts(key));
    }
    case 'tag':
      return ({ key }) => plain(key === '' ? 'No tag' : key);
    case 'reason':
      return ({ key }) => plain(key === '' ? 'No reason recorded' : key);
    default:
      return ({ key }) => plain(key);
  }
}

function splitVersion(key: string): { strategyId: string; version: string } {
  const [strategyId = '', version = ''] = key.split(' ');
  return { strategyId, version };
}

/** A key is named to its owner and to admins; others distinguish the accounts by marks that stay the same and lead to no key. */
function accountNames(known: readonly NamedAccount[], exchanges: Names['exchanges'], caller: Names['caller']): (key: string) => GroupName {
  const byId = new Map(known.map((account) => [account.id, account]));
  const exchangeOf = (id: string): string => exchanges.find((exchange) => exchange.id === id)?.name ?? id;
  return (id) => {
    const account = byId.get(id);
    const exchange = account === undefined ? null : exchangeOf(account.exchangeId);
    if (account !== undefined && exchange !== null && (caller.role === 'admin' || account.ownerId === caller.id)) {
      return { name: account.label ?? exchange, detail: `${exchange} ****${account.keyHint}` };
    }
    const mark = createHash('sha256').update(id).digest('hex').slice(0, 6);
    return { key: mark, name: `${exchange ?? 'Deleted key'}, account ${mark}`, detail: null };
  };
}
