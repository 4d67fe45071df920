import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { writeCandles } from '#storage/candles/candle-chunks.ts';
import { askCertificate, claimCertificate, keepCertificate } from '#storage/certificates/certificates.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { aDecision } from '#storage/testing/a-decision.ts';
import { sql } from 'kysely';
import { setUpApp } from '../support/authenticator-app.ts';
import { addPasskeyAt, newPasskey } from '../support/passkey.ts';
import type { TestBrowser, TestServer } from '../support/test-server.ts';
import { origin, password } from '../support/test-server.ts';
import type { Callers } from './callers.ts';
import type { MeantInput } from './fuzz-request.ts';

/** What a call needs that no caller has by itself: earlier versions, a strategy of a file, candles, a certificate, an app, passkeys. */
export interface MeantWorld {
  file: { strategy: string; path: string };
  certified: string; // a day of which the trader's and the admin's bots have a certificate
  candles: { from: number; to: number }; // hours of BTC/USDT
  factors: { [Name in FactorCall]: MeantInput };
  /** Puts all of it back as it was in the beginning, after the callers. */
  restore: () => Promise<void>;
}

type FactorCall = 'signInWithApp' | 'startPasskeySignIn' | 'signInWithPasskey' | 'addPasskey' | 'removePasskey';

const endOfTime = '2200-01-01T00:00:00Z';
const module = 'export default class Mine {}\n';

/** Makes it. `strategy` is one of the installation: it gets a webhook and a spreadsheet's key. */
export async function makeMeantWorld(
  server: TestServer,
  callers: Callers,
  integrations: { strategy: string; webhook: string; sheetsKey: string },
): Promise<MeantWorld> {
  const { db, strategySecrets, now } = server.dependencies;
  const bots = (['trader', 'admin'] as const).map((kind) => {
    const { cookie, owns } = callers.of(kind);
    if (owns === null) throw new Error(`${kind} has no bot`);
    return { cookie, id: owns.bot };
  });
  const botIds = bots.map(({ id }) => id);

  const { strategy } = integrations;
  const webhook = strategySecrets.seal(strategy, 'webhook', integrations.webhook);
  const sheetsKey = strategySecrets.seal(strategy, 'sheets_key', integrations.sheetsKey);
  const change = async (url: string, cookie: string, payload: object): Promise<void> => {
    const headers = { host: new URL(origin).host, origin, cookie };
    const { statusCode, body } = await server.app.inject({ method: 'PATCH', url, headers, payload });
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`);
  };
  for (const { cookie, id } of bots) await change(`/api/bots/${id}?mode=paper`, cookie, { stake_amount: 60 });
  await change(`/api/strategies/${strategy}`, callers.of('admin').cookie, { stoploss: -0.11 });
  // What was changed is back with the callers; the versions before stay.
  await sql`delete from bot_versions where version > 1`.execute(db);
  await sql`delete from strategy_versions where version > 1`.execute(db);

  const file = { strategy: await aFileStrategy(), path: 'mine.ts' };
  const certified = new Date(now().getTime() - dayMs).toISOString().slice(0, 10);
  for (const bot of botIds) await certify(bot, certified);
  const candles = { from: Date.UTC(2025, 0, 1), to: Math.ceil(now().getTime() / dayMs) * dayMs + 30 * dayMs };
  const series = { exchangeId: 'sandbox', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1h' } as const;
  await writeCandles(db, series, candles, flatCandles(candles));

  const people = await Promise.all(['app', 'passkey', 'changing'].map((name) => server.signedIn('trader', `${name}@attack.example`)));
  const [atApp, atPasskey, changing] = people;
  if (atApp === undefined || atPasskey === undefined || changing === undefined) throw new Error('somebody is missing');
  const app = await setUpApp(server, atApp);
  const passkey = await addPasskeyAt(atPasskey);
  const removed = await addPasskeyAt(changing);
  const [halfByApp, halfByPasskey] = await Promise.all([atApp, atPasskey].map(({ email }) => halfSignedIn(server, email)));
  if (halfByApp === undefined || halfByPasskey === undefined) throw new Error('nobody is half signed in');
  const asked = await halfByPasskey.startPasskeySignIn({});
  const added = newPasskey().made(await changing.startPasskey({}));
  const [removedId] = (await changing.getSecondFactors({})).passkeys.map(({ id }) => id);
  await sql`update session_tokens set access_until = ${endOfTime}, refresh_until = ${endOfTime}`.execute(db);
  for (const table of ['half_logins', 'passkey_challenges'])
    await sql`update ${sql.table(table)} set expires_at = ${endOfTime}`.execute(db);

  const ids = people.map(({ userId }) => userId);
  const ofPeople = sql`user_id = any(${ids}::uuid[])`;
  const ofSession = sql`session_id in (select id from sessions where ${ofPeople})`;
  const ofHalfLogin = sql`half_login in (select hash from half_logins where ${ofPeople})`;
  const kept = [
    ['strategies', sql`id = ${file.strategy}`],
    ['strategy_code', sql`strategy_id = ${file.strategy}`],
    ['bot_versions', sql`bot_id = any(${botIds}::uuid[])`],
    ['strategy_versions', sql`strategy_id = ${strategy}`],
    ['certificates', sql`bot_id = any(${botIds}::uuid[])`],
    ['sessions', ofPeople],
    ['session_tokens', ofSession],
    ['half_logins', ofPeople],
    ['authenticators', ofPeople],
    ['backup_codes', sql`authenticator_id in (select id from authenticators where ${ofPeople})`],
    ['passkeys', ofPeople],
    ['passkey_backup_codes', ofPeople],
    ['passkey_challenges', sql`(${ofSession} or ${ofHalfLogin})`],
  ] as const;
  const saved = new Map<string, string>();
  for (const [table, which] of kept) {
    const { rows } = await sql<{ rows: unknown }>`select jsonb_agg(t) as rows from ${sql.table(table)} t where ${which}`.execute(db);
    if (rows[0]?.rows === null) throw new Error(`nothing of ${table} is kept`);
    saved.set(table, JSON.stringify(rows[0]?.rows));
  }

  return {
    file,
    certified,
    candles,
    factors: {
      signInWithApp: { caller: 'half login', cookie: cookieOf(halfByApp), body: { code: app.backupCodes[0] } },
      startPasskeySignIn: { caller: 'half login', cookie: cookieOf(halfByPasskey) },
      signInWithPasskey: { caller: 'half login', cookie: cookieOf(halfByPasskey), body: passkey.answer(asked) },
      addPasskey: { caller: 'trader', cookie: cookieOf(changing), body: { name: 'Key', passkey: added } },
      removePasskey: { caller: 'trader', cookie: cookieOf(changing), params: { id: removedId }, body: { code: removed.backupCodes[0] } },
    },
    async restore() {
      await db.transaction().execute(async (trx) => {
        for (const [table, which] of kept.toReversed()) await sql`delete from ${sql.table(table)} where ${which}`.execute(trx);
        for (const [table] of kept)
          await sql`insert into ${sql.table(table)} select * from jsonb_populate_recordset(null::${sql.table(table)}, ${saved.get(table)}::jsonb)`.execute(
            trx,
          );
        await sql`update strategies set webhook = ${webhook}, sheets_key = ${sheetsKey} where id = ${strategy}`.execute(trx);
      });
    },
  };

  async function aFileStrategy(): Promise<string> {
    const defaults = {
      stoploss: -0.05,
      minimalRoi: { 0: 0.04 },
      trailingStop: false,
      trailingStopPositive: null,
      trailingStopPositiveOffset: 0,
      trailingOnlyOffsetIsReached: false,
    };
    const texts = { description: 'Buys rises.', className: 'Mine' };
    const entered = await enterFileStrategy(db, {
      ...defaults,
      ...texts,
      name: 'My own',
      supportedExchanges: ['sandbox'],
      defaultTimeframe: '1h',
      position: 1_000,
    });
    if (entered === null) throw new Error('The strategy of a file was not entered');
    const description = {
      exportName: 'default',
      name: 'Mine',
      title: 'My own',
      description: texts.description,
      losesWhen: 'It loses sideways.',
      kind: 'trend',
      canShort: false,
      startupCandles: 20,
      defaults: { ...defaults, timeframe: '1h' },
      parameters: {},
      callbacks: [],
      stopAfterFill: false,
      series: [],
    };
    const files = { 'mine.ts': module };
    await keepCode(db, { strategyId: entered.id, hash: 'one', file: 'mine.ts', exportName: 'default', files, description, madeBy: null });
    return entered.id;
  }

  /** What the replay of a day leaves behind. */
  async function certify(bot: string, day: string): Promise<void> {
    await addDecisions(db, [aDecision(bot, Date.parse(`${day}T10:00:00Z`))]);
    await askCertificate(
      db,
      bot,
      day,
      (await db.selectFrom('bots').select('userId').where('id', '=', bot).executeTakeFirstOrThrow()).userId,
    );
    const claim = await claimCertificate(db);
    if (claim === null) throw new Error('no replay waits');
    const certificate = {
      notes: [],
      certificate: {
        promised: '1',
        made: '1',
        parts: {},
        trades: [],
        tradesSame: 1,
        decisions: { recorded: 24, same: 24, failed: 0, ofData: 0, differing: [] },
      },
      candles: { candles: 24, seen: 24, same: 24, differing: [] },
      lines: [],
      from: `${day}T00:00:00.000Z`,
      to: new Date(Date.parse(day) + dayMs).toISOString(),
      fingerprint: '5b70e2c918fd',
      versions: [{ from: `${day}T00:00:00.000Z`, bot: 1, strategy: 1 }],
    };
    const found = { mode: 'paper', currency: 'USDT', promised: '1', made: '1', differing: [], tookMs: 38, certificate } as const;
    if (!(await keepCertificate(db, claim, found, now()))) throw new Error('The certificate was not kept');
  }
}

/** A browser whose person has entered the password, and is asked for the second factor. */
async function halfSignedIn(server: TestServer, email: string): Promise<TestBrowser> {
  const at = server.browser();
  await at.login({ body: { email, password } });
  return at;
}

const cookieOf = ({ cookies }: TestBrowser): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

function flatCandles({ from, to }: { from: number; to: number }): CandleColumns {
  const columns = candleColumns((to - from) / hourMs);
  for (const name of ['open', 'high', 'low', 'close'] as const) columns[name].fill(100);
  columns.volume.fill(1);
  columns.openTime.forEach((_, i) => (columns.openTime[i] = from + i * hourMs));
  return columns;
}
