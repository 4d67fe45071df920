import { dayMs, minuteMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { sql, type Selectable } from 'kysely';
import { isRunnersBusiness } from '../bots/archive.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema, Sealed } from '../schema.ts';

/** A stored exchange key; its secret is sealed. */
export type ApiKey = Selectable<Schema['apiKeys']>;

/** What may be shown of a stored exchange key. */
export type ApiKeyLabel = Pick<ApiKey, 'label' | 'keyHint' | 'hasPassphrase'>;

/** What an exchange said about a key. */
export type KeyCheck = Pick<ApiKey, 'canTrade' | 'canWithdraw' | 'isIpBound'> & { checkResult: 'ok' | 'refused' | 'unreachable' };

/** A key as its owner sees it, with the bots that trade with it, not those archived long ago. Nothing sealed is read. */
export interface OwnApiKey extends Omit<ApiKey, 'sealed' | 'keyMark' | 'userId' | 'checkTakenAt'> {
  bots: { id: string; nickname: string; mode: 'paper' | 'live'; status: 'active' | 'paused' | 'stopped' }[];
}

const shown = [
  'id',
  'exchangeId',
  'label',
  'keyHint',
  'hasPassphrase',
  'createdAt',
  'lastUsedAt',
  'checkedAt',
  'checkResult',
  'checkAskedAt',
  'canTrade',
  'canWithdraw',
  'isIpBound',
] as const;

/** What may be shown of a key, or null when there is none. */
export async function findApiKeyLabel(db: Database, id: string): Promise<ApiKeyLabel | null> {
  const row = await db.selectFrom('apiKeys').select(['label', 'keyHint', 'hasPassphrase']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** A key with what is sealed of it. */
export type SealedKey = Pick<ApiKey, 'id' | 'userId' | 'exchangeId' | 'sealed'>;

/** A key with what is sealed of it, for whoever trades with it; undefined when there is none. */
export async function findSealedKey(db: Database, id: string): Promise<SealedKey | undefined> {
  return await db.selectFrom('apiKeys').select(['id', 'userId', 'exchangeId', 'sealed']).where('id', '=', id).executeTakeFirst();
}

/** Notes that a key was used. */
export async function noteKeyUse(db: Database, id: string, time: Date): Promise<void> {
  await db.updateTable('apiKeys').set({ lastUsedAt: time }).where('id', '=', id).execute();
}

/** What may be shown of a key and of its last check, or null when there is none. */
export async function findKeyCheck(
  db: Database,
  id: string,
): Promise<(ApiKeyLabel & Pick<ApiKey, 'checkedAt' | 'checkResult' | 'canTrade' | 'canWithdraw'>) | null> {
  const row = await db
    .selectFrom('apiKeys')
    .select(['label', 'keyHint', 'hasPassphrase', 'checkedAt', 'checkResult', 'canTrade', 'canWithdraw'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** The keys of an account, the newest first. */
export async function listApiKeys(db: Database, userId: string): Promise<OwnApiKey[]> {
  const [keys, bots] = await Promise.all([
    db.selectFrom('apiKeys').select(shown).where('userId', '=', userId).orderBy('createdAt', 'desc').orderBy('id').execute(),
    db
      .selectFrom('bots as b')
      .innerJoin('apiKeys', 'apiKeys.id', 'b.apiKeyId')
      .select(['b.id', 'b.apiKeyId', 'b.nickname', 'b.mode', 'b.status'])
      .where('apiKeys.userId', '=', userId)
      .where(isRunnersBusiness)
      .orderBy('b.nickname')
      .execute(),
  ]);
  return keys.map((key) => ({
    ...key,
    bots: bots.filter(({ apiKeyId }) => apiKeyId === key.id).map(({ id, nickname, mode, status }) => ({ id, nickname, mode, status })),
  }));
}

/** Stores a key that its exchange has just taken. False when it is stored already: one key is one account. */
export async function addApiKey(
  db: Database,
  key: Pick<ApiKey, 'id' | 'userId' | 'exchangeId' | 'label' | 'keyHint' | 'hasPassphrase'> & {
    keyMark?: string;
    sealed: Sealed;
    checkedAt: Date;
  } & KeyCheck,
): Promise<boolean> {
  const added = await db
    .insertInto('apiKeys')
    .values({ ...key, sealed: JSON.stringify(key.sealed) })
    .onConflict((conflict) => conflict.columns(['exchangeId', 'keyMark']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Gives a key of an earlier version its mark. False when the same key is stored in another row, which has it. */
export async function noteKeyMark(db: Database, id: string, keyMark: string): Promise<boolean> {
  const { rows } = await sql<{ isMarked: boolean }>`
    with marked as (
      update api_keys k set key_mark = ${keyMark} where id = ${id} and key_mark is null
        and not exists (select 1 from api_keys o where o.exchange_id = k.exchange_id and o.key_mark = ${keyMark}) returning id)
    select exists (select 1 from marked) or not exists (select 1 from api_keys where id = ${id} and key_mark is null) as is_marked`.execute(
    db,
  );
  return rows[0]?.isMarked === true;
}

/** Keeps a key of this owner and exchange from being deleted until the transaction ends; false when there is none. */
export async function holdApiKey(
  trx: Database,
  id: string,
  { userId, exchangeId }: Pick<ApiKey, 'userId' | 'exchangeId'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('apiKeys')
    .select('id')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('exchangeId', '=', exchangeId)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The key of an account that a call means which names none, kept from being deleted until the transaction ends: the one that was added
 * since `since`, else the only one there is for the exchange; null when there is none or a choice.
 */
export async function meantApiKey(
  trx: Database,
  { userId, exchangeId }: Pick<ApiKey, 'userId' | 'exchangeId'>,
  since: Date,
): Promise<string | null> {
  const keys = await trx
    .selectFrom('apiKeys')
    .select(['id', 'createdAt'])
    .where('userId', '=', userId)
    .where('exchangeId', '=', exchangeId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(2)
    .forShare()
    .execute();
  const [newest, other] = keys;
  return newest !== undefined && (other === undefined || newest.createdAt >= since) ? newest.id : null;
}

/** A key of this owner, locked until the transaction ends; null when there is none. */
export async function lockApiKey(
  trx: Database,
  id: string,
  userId: string,
): Promise<Pick<ApiKey, 'id' | 'exchangeId' | 'label' | 'keyHint'> | null> {
  const row = await trx
    .selectFrom('apiKeys')
    .select(['id', 'exchangeId', 'label', 'keyHint'])
    .where('id', '=', id)
    .where('userId', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * What holds a key: a live bot that trades with it, or else one that was archived so recently that runners still keep it; null when nothing
 * does. Every bot with the key is locked until the transaction ends, so that none becomes live or is brought back meanwhile; lock the key
 * first, so that none is given it.
 */
export async function liveBotWith(trx: Database, apiKeyId: string): Promise<'trading' | 'archived' | null> {
  const bots = await trx
    .selectFrom('bots as b')
    .select(['mode', 'archivedAt', isRunnersBusiness.as('isKept')])
    .where('apiKeyId', '=', apiKeyId)
    .orderBy('id')
    .forUpdate()
    .execute();
  const holding = bots.filter(({ mode, isKept }) => mode === 'live' && isKept);
  if (holding.some(({ archivedAt }) => archivedAt === null)) return 'trading';
  return holding.length > 0 ? 'archived' : null;
}

/** Removes a key. Its secret is overwritten first, so that it is gone from the row's own place at once. */
export async function removeApiKey(trx: Database, id: string): Promise<void> {
  await trx.updateTable('apiKeys').set({ sealed: '{}' }).where('id', '=', id).execute();
  await trx.deleteFrom('apiKeys').where('id', '=', id).execute();
}

/** Asks for a key to be checked at its exchange. */
export async function askKeyCheck(db: Database, id: string, now: Date): Promise<void> {
  await db.updateTable('apiKeys').set({ checkAskedAt: now }).where('id', '=', id).execute();
}

/** A key that is to be checked, with the markets of the bots that have it. */
export type KeyToCheck = SealedKey & { marketTypes: MarketType[] };

/** The markets on which the bots of a row of `api_keys` trade live; while none does, those of its bots on paper. */
const marketTypesOfBots = sql<MarketType[]>`array(
  select distinct b.market_type from bots b where b.api_key_id = api_keys.id and b.archived_at is null
    and (b.mode = 'live' or not exists (select from bots l where l.api_key_id = api_keys.id and l.archived_at is null and l.mode = 'live')) order by 1)`;

/**
 * Takes the next key to be checked: one that was asked for, or that nobody has checked for a day. Nobody else takes it
 * within the next minute; when whoever took it is gone by then, another does. Null when there is none.
 */
export async function takeKeyToCheck(db: Database, now: Date, exchanges: readonly string[]): Promise<KeyToCheck | null> {
  if (exchanges.length === 0) return null;
  const row = await db
    .updateTable('apiKeys')
    .set({ checkTakenAt: now })
    .where('id', '=', (select) =>
      select
        .selectFrom('apiKeys')
        .select('id')
        .where('exchangeId', 'in', exchanges)
        .where((is) => is.or([is('checkAskedAt', 'is not', null), is('checkedAt', '<', new Date(now.getTime() - dayMs))]))
        .where((is) => is.or([is('checkTakenAt', 'is', null), is('checkTakenAt', '<', new Date(now.getTime() - minuteMs))]))
        .orderBy(sql`check_asked_at nulls last`)
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'userId', 'exchangeId', 'sealed', marketTypesOfBots.as('marketTypes')])
    .executeTakeFirst();
  return row ?? null;
}

/** A key whose check was noted: whose it is, and what the exchange said the time before. */
export type NotedKey = Pick<ApiKey, 'exchangeId' | 'keyHint' | 'checkResult'> & { ownerEmail: string };

/**
 * Notes what an exchange said about a key; what was asked since stays asked. Gives the key as it was before, null when it is
 * gone by now.
 */
export async function noteKeyCheck(db: Database, id: string, at: { taken: Date; done: Date }, check: KeyCheck): Promise<NotedKey | null> {
  return inTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('apiKeys')
      .innerJoin('users', 'users.id', 'apiKeys.userId')
      .select(['apiKeys.exchangeId', 'apiKeys.keyHint', 'apiKeys.checkResult', 'users.email as ownerEmail'])
      .where('apiKeys.id', '=', id)
      .forUpdate('apiKeys')
      .executeTakeFirst();
    if (before === undefined) return null;
    await trx
      .updateTable('apiKeys')
      .set({
        ...check,
        checkedAt: at.done,
        checkTakenAt: null,
        checkAskedAt: sql`case when check_asked_at > ${at.taken} then check_asked_at end`,
      })
      .where('id', '=', id)
      .execute();
    return before;
  });
}

/** Every sealed key that names another master key than `keyId`, locked until the transaction ends. */
export async function lockKeysSealedOtherwise(
  trx: Database,
  keyId: string,
): Promise<Pick<ApiKey, 'id' | 'userId' | 'exchangeId' | 'keyMark' | 'sealed'>[]> {
  return trx
    .selectFrom('apiKeys')
    .select(['id', 'userId', 'exchangeId', 'keyMark', 'sealed'])
    .where(sql<boolean>`sealed ->> 'kid' <> ${keyId}`)
    .forUpdate()
    .execute();
}

/** Replaces what is sealed of a key, and its mark. */
export async function resealApiKey(
  trx: Database,
  id: string,
  { sealed, keyMark }: { sealed: Sealed; keyMark: string | null },
): Promise<void> {
  await trx
    .updateTable('apiKeys')
    .set({ sealed: JSON.stringify(sealed), keyMark })
    .where('id', '=', id)
    .execute();
}

/** Those of these API keys that are still there. */
export async function existingKeys(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('apiKeys')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}
