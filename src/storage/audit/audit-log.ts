import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { readFact } from '../installation/facts.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema } from '../schema.ts';

/** One line of the audit log: who did what to what, from where, with what result. Never a secret. */
export interface AuditEntry {
  actorId: string | null;
  actorRole: string | null;
  action: string; // e.g. 'sign-in'
  target?: string | null;
  address?: string | null;
  requestId?: string | null;
  result: 'ok' | 'refused' | 'failed';
  detail?: Record<string, unknown>;
}

/** A line as it lies in the database. */
export type AuditLine = Selectable<Schema['auditLog']>;

/** What a line's hash covers besides the hash of the line before. */
type Hashed = Pick<AuditLine, 'time' | 'actorId' | 'actorRole' | 'action' | 'target' | 'address' | 'requestId' | 'result' | 'detail'>;

/** The version of the hash that is written now. */
const hashVersion = 2;

/** The fact of which line was the last with a hash that does not cover everything in it, noted by migration 0038. */
const lastOfFirstHash = 'last_audit_line_of_hash_1';

/**
 * Appends a line; each line carries the hash of the one before, so a line taken out or changed later is noticed. In a
 * transaction it is there only if what it says is there too; write it last, because the next writer waits until the
 * transaction ends.
 */
export async function writeAudit(db: Database, entry: AuditEntry): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${auditLock})`.execute(trx);
    const last = await trx.selectFrom('auditLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
    const line: Hashed = {
      time: new Date(),
      actorId: entry.actorId,
      actorRole: entry.actorRole,
      action: entry.action,
      target: entry.target ?? null,
      address: entry.address ?? null,
      requestId: entry.requestId ?? null,
      result: entry.result,
      detail: JSON.parse(JSON.stringify(entry.detail ?? {})) as Record<string, unknown>,
    };
    const previousHash = last?.hash ?? null;
    await trx
      .insertInto('auditLog')
      .values({ ...line, detail: JSON.stringify(line.detail), previousHash, hash: hashOf(line, previousHash), hashVersion })
      .execute();
  });
}

/** What a check of the log found. */
export interface AuditCheck {
  lines: number; // that were checked
  broken: { id: string; time: Date } | null; // the first line that is not what was written, or does not follow the one before
}

/**
 * Checks every line that is kept: that it follows the one before, and that nothing in it has been changed. Lines that
 * were removed after their time are missed by nobody; the first that is left is believed. What was taken off the end
 * cannot be seen here: see `lostHeads`.
 */
export async function checkAudit(db: Database, batch = 5_000): Promise<AuditCheck> {
  let before: AuditLine | null = null;
  let lines = 0;
  const lastOfFirst = BigInt((await readFact<{ id: string }>(db, lastOfFirstHash))?.id ?? '0');
  for (;;) {
    const rows: AuditLine[] = await db
      .selectFrom('auditLog')
      .selectAll()
      .where('id', '>', before?.id ?? '0')
      .orderBy('id')
      .limit(batch)
      .execute();
    for (const row of rows) {
      const follows = before === null || (row.previousHash?.equals(before.hash) ?? false);
      const isOld = row.hashVersion < hashVersion && BigInt(row.id) <= lastOfFirst; // its hash cannot be calculated again
      const isAsWritten = isOld || hashOf(row, row.previousHash).equals(row.hash);
      if (!follows || !isAsWritten) return { lines, broken: { id: row.id, time: row.time } };
      lines += 1;
      before = row;
    }
    if (rows.length < batch) return { lines, broken: null };
  }
}

/** The newest line of a moment, and its hash. */
export interface AuditHead {
  id: string;
  hash: string;
}

/** Of these ends of the log those that are not in it as they were. Lines that were removed after their time are none of them. */
export async function lostHeads(db: Database, heads: readonly AuditHead[]): Promise<AuditHead[]> {
  if (heads.length === 0) return [];
  const { rows } = await sql<AuditHead>`
    select h.id::text as id, h.hash from unnest(${heads.map(({ id }) => id)}::bigint[], ${heads.map(({ hash }) => hash)}::text[]) as h(id, hash)
    where h.id >= coalesce((select min(id) from audit_log), 0)
      and not exists (select from audit_log a where a.id = h.id and encode(a.hash, 'hex') = h.hash)
    group by 1, 2 order by min(h.id)`.execute(db);
  return rows;
}

/** The newest line and its hash; null in an empty log. Kept elsewhere too, it shows when lines were taken off the end. */
export async function auditHead(db: Database): Promise<AuditHead | null> {
  const row = await db.selectFrom('auditLog').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : { id: row.id, hash: row.hash.toString('hex') };
}

/** Which lines are wanted. */
export interface AuditFilter {
  search?: string; // in the person, the action and the target
  action?: string;
  result?: string;
  since?: Date;
  before?: string; // id: only older lines
}

/** A line with the names of whom and what it is about. */
export interface NamedAuditLine extends AuditLine {
  actor: string | null; // e-mail
  targetName: string | null; // e-mail of an account, nickname of a bot, a bot's trade by its symbol, name of a strategy, an API key by its name and last characters
}

/** A target that is an id by itself; of trades there are too many to compare each as text. */
const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** An API key as people know it; of one that was deleted its record says it. */
const keyName = sql`coalesce(keys.label, keys.exchange_id) || ' ****' || keys.key_hint`;

/** The name of rules, which their lines say: those that nobody had used are deleted when they are removed. */
const nameOfRules = sql`case when audit_log.action in ('make-rules', 'save-rules', 'share-rules', 'remove-rules') then audit_log.detail->>'name' end`;

/** The id in a target: alone, or after what it is of, as in 'bot 7d0b...'. */
const targetId = sql`regexp_replace(audit_log.target, '^(bot|user) ', '')`;

/**
 * The newest lines that a filter lets through, at most `limit`, and how many it lets through in all, `before` aside. Names are
 * searched for among accounts, bots and strategies first, so that no line is compared with them.
 */
export async function listAudit(db: Database, filter: AuditFilter, limit: number): Promise<{ total: number; lines: NamedAuditLine[] }> {
  const { search, action, result, since, before } = filter;
  const pattern = search === undefined ? null : `%${search.replaceAll(/[\\%_]/gu, '\\$&')}%`;
  const found = pattern === null ? null : await idsOfNames(db, pattern);
  const wanted = () => {
    let query = db.selectFrom('auditLog');
    if (action !== undefined) query = query.where('action', '=', action);
    if (result !== undefined) query = query.where('result', '=', result);
    if (since !== undefined) query = query.where('time', '>=', since);
    if (pattern !== null && found !== null)
      query = query.where((is) =>
        is.or([
          is('action', 'ilike', pattern),
          is('target', 'ilike', pattern),
          sql<boolean>`actor_id = any(${found.accounts}::uuid[])`,
          sql<boolean>`${nameOfRules} ilike ${pattern}`,
          sql<boolean>`regexp_replace(target, '^(bot|user) ', '') = any(${[...found.accounts, ...found.bots, ...found.strategies]}::text[])`,
        ]),
      );
    return query;
  };
  let page = wanted().selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== undefined) page = page.where('id', '<', before);
  const [lines, { total }] = await Promise.all([
    db
      .selectFrom(page.as('auditLog'))
      .leftJoin('users as actors', 'actors.id', 'auditLog.actorId')
      .leftJoin('users as accounts', (join) => join.on(sql<boolean>`accounts.id::text = ${targetId}`))
      .leftJoin('trades', (join) => join.on(sql<boolean>`trades.id = case when audit_log.target ~ ${uuid} then audit_log.target::uuid end`))
      .leftJoin('bots', (join) => join.on(sql<boolean>`bots.id::text = coalesce(trades.bot_id::text, ${targetId})`))
      .leftJoin('strategies', (join) => join.on(sql<boolean>`strategies.id::text = audit_log.target`))
      .leftJoin('apiKeys as keys', (join) => join.on(sql<boolean>`keys.id::text = audit_log.target`))
      .selectAll('auditLog')
      .select([
        'actors.email as actor',
        sql<
          string | null
        >`coalesce(accounts.email, bots.nickname || coalesce(', ' || trades.symbol, ''), strategies.name, ${keyName}, audit_log.detail->>'key', ${nameOfRules})`.as(
          'targetName',
        ),
      ])
      .orderBy('auditLog.id', 'desc')
      .execute(),
    wanted()
      .select(sql<string>`count(*)`.as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  return { total: Number(total), lines };
}

/** The accounts, bots and strategies whose e-mail, nickname or name is like a pattern. */
async function idsOfNames(db: Database, pattern: string): Promise<{ accounts: string[]; bots: string[]; strategies: string[] }> {
  const [accounts, bots, strategies] = await Promise.all([
    db.selectFrom('users').select('id').where('email', 'ilike', pattern).execute(),
    db.selectFrom('bots').select('id').where('nickname', 'ilike', pattern).execute(),
    db.selectFrom('strategies').select('id').where('name', 'ilike', pattern).execute(),
  ]);
  return { accounts: accounts.map(({ id }) => id), bots: bots.map(({ id }) => id), strategies: strategies.map(({ id }) => id) };
}

/** SHA-256 over the hash of the line before and the line, whose fields are written in one order whatever order they come in. */
function hashOf(line: Hashed, previousHash: Buffer | null): Buffer {
  const { time, actorId, actorRole, action, target, address, requestId, result, detail } = line;
  const fields = [time.toISOString(), actorId, actorRole, action, target, address, requestId, result, sorted(detail)];
  return createHash('sha256')
    .update(previousHash ?? '')
    .update(JSON.stringify(fields))
    .digest();
}

/** The same value with the keys of every object sorted: the database keeps them in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}

const auditLock = 7_310_001;
