import type { BotRow } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { User } from './users.ts';

/** An account as the user management lists it, with its bots and exchange keys. */
export type ManagedUser = Pick<User, 'id' | 'displayName' | 'email' | 'role' | 'verified' | 'emailVerified' | 'has2fa' | 'createdAt'> & {
  bots: ManagedBot[]; // by nickname
  apiKeys: ManagedKey[]; // oldest first
};

/** A bot of an account. */
export type ManagedBot = Pick<BotRow, 'id' | 'userId' | 'nickname' | 'exchangeId' | 'mode' | 'symbols' | 'status'> & {
  strategyName: string;
};

/** An exchange key of an account: of the key itself only its last characters. */
export interface ManagedKey {
  id: string;
  userId: string;
  exchangeId: string;
  label: string | null;
  keyHint: string;
  lastUsedAt: Date | null;
}

/** All accounts by name, whatever its case. Three queries, however many accounts there are. */
export async function listManagedUsers(db: Database): Promise<ManagedUser[]> {
  return joined(await allUsers(db, {}), await allUserBots(db, {}), await allUserKeys(db, {}));
}

/** One account, or null. */
export async function findManagedUser(db: Database, id: string): Promise<ManagedUser | null> {
  return joined(await userById(db, { id }), await botsOfUser(db, { id }), await keysOfUser(db, { id }))[0] ?? null;
}

const allUsers = prepared('all managed users', (db) => selectUsers(db));
const userById = prepared('managed user by id', (db, of: { id: string }) => selectUsers(db).where('id', '=', of.id));
const allUserBots = prepared('bots of all managed users', (db) => selectUserBots(db));
const botsOfUser = prepared('bots of managed user', (db, of: { id: string }) => selectUserBots(db).where('bots.userId', '=', of.id));
const allUserKeys = prepared('keys of all managed users', (db) => selectUserKeys(db));
const keysOfUser = prepared('keys of managed user', (db, of: { id: string }) => selectUserKeys(db).where('userId', '=', of.id));

function selectUsers(db: Database) {
  return db
    .selectFrom('users')
    .select(['id', 'displayName', 'email', 'role', 'verified', 'emailVerified', 'has2fa', 'createdAt'])
    .orderBy((eb) => eb.fn('lower', ['displayName']))
    .orderBy('emailKey')
    .orderBy('id');
}

function selectUserBots(db: Database) {
  return db
    .selectFrom('bots')
    .innerJoin('strategies', 'strategies.id', 'bots.strategyId')
    .select([
      'bots.id',
      'bots.userId',
      'bots.nickname',
      'bots.exchangeId',
      'bots.mode',
      'bots.symbols',
      'bots.status',
      'strategies.name as strategyName',
    ])
    .where('bots.archivedAt', 'is', null)
    .orderBy((eb) => eb.fn('lower', ['bots.nickname']))
    .orderBy('bots.id');
}

function selectUserKeys(db: Database) {
  return db
    .selectFrom('apiKeys')
    .select(['id', 'userId', 'exchangeId', 'label', 'keyHint', 'lastUsedAt'])
    .orderBy('createdAt')
    .orderBy('id');
}

function joined(users: readonly Omit<ManagedUser, 'bots' | 'apiKeys'>[], bots: ManagedBot[], keys: ManagedKey[]): ManagedUser[] {
  const botsByUser = Map.groupBy(bots, ({ userId }) => userId);
  const keysByUser = Map.groupBy(keys, ({ userId }) => userId);
  return users.map((user) => ({ ...user, bots: botsByUser.get(user.id) ?? [], apiKeys: keysByUser.get(user.id) ?? [] }));
}
