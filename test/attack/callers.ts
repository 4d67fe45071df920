import type { Database } from '#storage/database.ts';
import type { Role } from '#contract/fields.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import { newToken, tokenHash } from '#server/http/tokens.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { addRules } from '#storage/strategies/rule-strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { codeOfRules, rulesToEnter } from '#server/strategies/rules-to-keep.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { raiseAlarm } from '#storage/alarms/alarms.ts';
import { anEndedStudy } from '#storage/testing/a-study.ts';
import { addBacktest } from '#storage/backtests/backtests.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import { aPlan } from '#storage/testing/a-backtest.ts';
import { addHalfLogin, addSession } from '#storage/auth/sessions.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { addUser, updateUser } from '#storage/users/users.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { addTestBot } from '../support/test-bot.ts';
import type { TestServer } from '../support/test-server.ts';
import { password } from '../support/test-server.ts';

/** Every kind of caller there is. */
export const callerKinds = ['none', 'half login', 'unverified', 'investor', 'trader', 'operator', 'admin', 'ended session'] as const;

/** See `callerKinds`. */
export type CallerKind = (typeof callerKinds)[number];

/** What belongs to an account, by its noun. */
export interface Belongings {
  user: string;
  bot: string;
  apiKey: string;
  session: string;
  backtest: string;
  portfolio: string;
  study: string;
  trade: string;
  difference: string;
  alarm: string;
  channel: string;
  rules: string;
  lock: string; // of a pair
}

/** A caller: what it sends to be known by, and what it owns. */
export interface Caller {
  kind: CallerKind;
  role: Role | null; // null: whatever it sends, it has no session
  email: string;
  cookie: string;
  owns: Belongings | null; // null: nobody
}

/** All callers, and a trader whose things are none of theirs. */
export interface Callers {
  of(kind: CallerKind): Caller;
  other: Caller;
  /** Puts every account, session and key back as it was in the beginning, with passwords that were checked just now. */
  restore(): Promise<void>;
  /** Their passwords were checked just now, after time has passed. What asks for them again is tried elsewhere (server/auth/step-up.test.ts). */
  freshen(on?: Database): Promise<void>;
}

/** Nothing in an answer to another trader may contain it. */
export const markOfOther = 'belongs-to-the-other';

const endOfTime = new Date('2200-01-01T00:00:00Z'); // no session runs out while a suite runs
/** Tables whose rows are put back as they were, and those of which only columns are. */
const putBack = ['api_keys', 'sessions', 'session_tokens', 'half_logins', 'channels', 'studies', 'study_epochs', 'pair_locks'] as const;
const restored = ['users', 'bots', 'strategies', 'strategy_code', ...putBack] as const;

/** What a change of a bot or a strategy may change. */
const botColumns = [
  'status',
  'mode',
  'nickname',
  'exchange_id',
  'market_type',
  'stake_currency',
  'stake_amount',
  'symbols',
  'max_open_trades',
  'leverage',
  'leverage_mode',
  'starting_balance',
  'version',
  'updated_at',
];
const strategyColumns = [
  'name',
  'description',
  'supported_exchanges',
  'default_timeframe',
  'stoploss',
  'minimal_roi',
  'order_types',
  'order_time_in_force',
  'webhook',
  'sheets_key',
  'version',
  'updated_at',
  'owner_id',
  'is_shared',
  'removed_at',
];
const back = (columns: readonly string[]) => sql.raw(columns.map((column) => `${column} = s.${column}`).join(', '));

/** Makes one caller of each kind, each with a bot, a key, a session and a backtest of its own. */
export async function makeCallers(server: TestServer): Promise<Callers> {
  const { db, sealing, channelSecrets } = server.dependencies;
  const freshen = async (on: Database = db): Promise<void> =>
    void (await sql`update sessions set authenticated_at = ${server.dependencies.now()}`.execute(on));
  const passwordHash = await hashPassword(password);

  async function account(kind: CallerKind | 'other', role: Role): Promise<Caller> {
    const mark = kind === 'other' ? markOfOther : kind.replace(' ', '-');
    const email = `${mark}@attack.example`;
    const user = await addUser(db, { email, passwordHash, role, verified: kind !== 'unverified' });
    if (user === null) throw new Error(`${email} is taken`);
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: mark, owner: email, status: 'paused' });
    const apiKey = randomUUID();
    const sealed = await sealCredentials(sealing, { id: apiKey, userId: user.id }, { key: mark, secret: mark, passphrase: null });
    const exchange = { exchangeId: 'sandbox', label: mark, keyHint: '1234', hasPassphrase: false };
    const check = { checkedAt: new Date(), checkResult: 'ok', canTrade: true, canWithdraw: false, isIpBound: false } as const;
    await addApiKey(db, { id: apiKey, userId: user.id, ...exchange, sealed, ...check });
    const { rows } = await sql<{ id: string }>`select strategy_id as id from bots where id = ${bot}`.execute(db);
    const run = { exchangeId: 'sandbox', symbol: 'BTC/USDT', tradingMode: 'spot', timeframe: '1h', days: 7 } as const;
    const ended = async (plan: PortfolioPlan | null): Promise<string> => {
      const of = {
        userId: user.id,
        strategyId: rows[0]?.id ?? '',
        ...run,
        stakeAmount: 100,
        maxOpenTrades: 1,
        bot: null,
        codeId: null,
        plan,
      };
      const id = await addBacktest(db, of);
      await sql`update backtests set status = 'failed', error = 'none', finished_at = now() where id = ${id}`.execute(db);
      return id ?? '';
    };
    const backtest = await ended(null);
    const portfolio = await ended(aPlan);
    const study = await anEndedStudy(db, { userId: user.id, strategyId: rows[0]?.id ?? '' });
    const token = newToken();
    const now = server.dependencies.now();
    const session = await addSession(
      db,
      { userId: user.id, now, endsAt: endOfTime, address: '127.0.0.1', device: mark },
      { hash: tokenHash(token), accessUntil: endOfTime, refreshUntil: endOfTime },
    );
    let cookie = `sid=${token}`;
    if (kind === 'half login') {
      const half = newToken();
      await updateUser(db, user.id, { has2fa: true });
      await addHalfLogin(db, tokenHash(half), user.id, endOfTime);
      cookie = `chal=${half}`;
    }
    if (kind === 'ended session')
      await sql`update sessions set revoked_at = now(), revoked_why = 'ended' where id = ${session.id}`.execute(db);
    const hasSession = kind !== 'half login' && kind !== 'ended session';
    const trade = aTradeRow(bot);
    await writeTrades(db, [{ trade, orders: [anOrderRow(trade)], fills: [] }]);
    const difference = randomUUID();
    await sql`insert into differences (id, bot_id, symbol, expected, actual) values (${difference}, ${bot}, 'BTC/USDT', 2, 1.5)`.execute(
      db,
    );
    await raiseAlarm(db, { kind: 'difference', target: { level: 'bot', id: bot }, facts: { symbol: 'BTC/USDT' } });
    const alarm = await db.selectFrom('alarms').select('id').where('botId', '=', bot).executeTakeFirstOrThrow();
    const channel = randomUUID();
    const target = { kind: 'webhook', address: 'https://hooks.harbour.trade/in', secret: `whsec_${mark}` };
    await db
      .insertInto('channels')
      .values({
        id: channel,
        userId: user.id,
        kind: 'webhook',
        name: mark,
        hint: '1234',
        sealed: JSON.stringify(channelSecrets.seal({ id: channel, userId: user.id }, JSON.stringify(target))),
        topics: ['trade-closed'],
        summedDay: '2200-01-01',
      })
      .execute();
    const className = `Rules_${mark}`;
    const rules = await addRules(db, { ...rulesToEnter({ ...emaCross, title: mark }, ['sandbox']), className }, user.id);
    await keepCode(db, { strategyId: rules, madeBy: user.id, ...codeOfRules({ ...emaCross, title: mark }, className) });
    const { rows: locks } = await sql<{ id: string }>`
      insert into pair_locks (level, bot_id, pair, reason, set_by) values ('bot', ${bot}, 'SOL', ${mark}, ${user.id}) returning id`.execute(
      db,
    );
    const owns = {
      user: user.id,
      bot,
      apiKey,
      session: session.id,
      backtest,
      portfolio,
      study,
      trade: trade.id,
      difference,
      alarm: alarm.id,
      channel,
      rules,
      lock: locks[0]?.id ?? '',
    };
    return { kind: kind === 'other' ? 'trader' : kind, role: hasSession ? role : null, email, cookie, owns };
  }

  const roleOf = (kind: CallerKind): Role => (kind === 'investor' || kind === 'operator' || kind === 'admin' ? kind : 'trader');
  const made = new Map<CallerKind, Caller>([['none', { kind: 'none', role: null, email: '', cookie: '', owns: null }]]);
  for (const kind of callerKinds.slice(1)) made.set(kind, await account(kind, roleOf(kind)));
  const other = await account('other', 'trader');

  const alarms = [...made.values(), other].flatMap(({ owns }) => owns?.alarm ?? []);

  await freshen();
  const saved = new Map<string, string>();
  for (const table of restored) {
    const { rows } = await sql<{ rows: unknown }>`select jsonb_agg(t) as rows from ${sql.table(table)} t`.execute(db);
    saved.set(table, JSON.stringify(rows[0]?.rows));
  }
  const rowsOf = (table: string) => sql`jsonb_populate_recordset(null::${sql.table(table)}, ${saved.get(table)}::jsonb)`;

  return {
    of: (kind) => made.get(kind) as Caller,
    other,
    async restore() {
      await db.transaction().execute(async (trx) => {
        await sql`delete from studies`.execute(trx);
        await sql`delete from half_logins`.execute(trx);
        await sql`delete from sessions`.execute(trx);
        await sql`update bots set api_key_id = null`.execute(trx);
        await sql`delete from api_keys`.execute(trx);
        await sql`delete from channels`.execute(trx);
        await sql`delete from pair_locks`.execute(trx);
        await sql`delete from authenticators`.execute(trx);
        await sql`delete from passkeys`.execute(trx);
        await sql`delete from passkey_challenges`.execute(trx);
        await sql`update users u set role = s.role, verified = s.verified, email_verified = s.email_verified, has2fa = s.has2fa, mailed_codes = s.mailed_codes,
          password_hash = s.password_hash, password_reset_at = s.password_reset_at from ${rowsOf('users')} s where s.id = u.id`.execute(
          trx,
        );
        await sql`delete from bots b where not exists (select 1 from ${rowsOf('bots')} s where s.id = b.id)`.execute(trx);
        await sql`update bots b set ${back(botColumns)} from ${rowsOf('bots')} s where s.id = b.id`.execute(trx);
        await sql`update strategies b set ${back(strategyColumns)} from ${rowsOf('strategies')} s where s.id = b.id`.execute(trx);
        // Rules that were removed, and that nothing named, are gone.
        for (const table of ['strategies', 'strategy_code'])
          await sql`insert into ${sql.table(table)} select * from ${rowsOf(table)} on conflict do nothing`.execute(trx);
        await sql`delete from strategy_code c using strategies s where s.id = c.strategy_id and s.kind = 'rules' and c.number > 1`.execute(
          trx,
        );
        await sql`delete from strategies s where not exists (select 1 from ${rowsOf('strategies')} r where r.id = s.id)`.execute(trx);
        for (const table of ['bot_versions', 'strategy_versions', 'invitations', 'installation_settings'])
          await sql`delete from ${sql.table(table)}`.execute(trx);
        for (const table of putBack) await sql`insert into ${sql.table(table)} select * from ${rowsOf(table)}`.execute(trx);
        await sql`update trades set close_asked_at = null`.execute(trx);
        await sql`update differences set ended_at = null, outcome = null`.execute(trx);
        await sql`delete from alarms where id <> all(${alarms}::uuid[])`.execute(trx); // what the calls have raised
        await sql`update alarms set ended_at = null, acknowledged_at = null, acknowledged_by = null`.execute(trx);
        await sql`delete from ignored_holdings`.execute(trx);
        await sql`delete from limit_counters`.execute(trx);
        await freshen(trx);
      });
    },
    freshen,
  };
}
