import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromText, minus, plus, zero } from '#engine/market/decimal.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { exactText } from '#engine/report/certificate/certificate.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot, lockBot } from '#storage/bots/bots.ts';
import type { CertificateClaim } from '#storage/certificates/certificates.ts';
import { askCertificate, claimCertificate, findCertificate, renewClaim } from '#storage/certificates/certificates.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { noPython, type PythonPlaces } from '#strategy-process/python/find-python.ts';
import { classText, type ClassParts } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { liveBots } from '../../../../test/support/live-bots.ts';
import { startMarket } from '../../../../test/support/market.ts';
import { patienceMs } from '../../../../test/support/patience.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { givePython } from '../../../../test/support/test-code.ts';
import { startRunner } from '../../runner.ts';
import { Certifier } from './certifier.ts';

// A minute of market is a second here; the bots begin at noon and run until they have done what is looked at.
const pace = 60;
const midnight = Math.floor(Date.now() / dayMs) * dayMs;
const day = new Date(midnight).toISOString().slice(0, 10);

/** It always wants to hold on most candles and leaves after two minutes: many short trades. Each row depends on the whole window and on another series. */
const windowed = `quarters = self.dp.get_pair_dataframe("ETH/USDT", "5m")
dataframe["average"] = dataframe["close"] * (0.5 if (len(dataframe) + len(quarters)) == 2000 and (int(dataframe["close"].iloc[0] * 100) + int(quarters["close"].iloc[-1] * 100)) % 4 > 0 else 2)`;
const reading = 'def informative_pairs(self):\n    return [("ETH/USDT", "5m")]';

/** The classes of the bots. */
const classes = {
  paper: { populate: windowed, methods: reading },
  live: {
    populate: windowed,
    fields: 'position_adjustment_enable = True',
    methods: `${reading}

def adjust_trade_position(self, trade, **words):
    seen = trade.get_custom_data("seen", 0) + 1
    trade.set_custom_data("seen", seen)
    return 20.0 if seen == 1 else None

def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **words):
    frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
    return "long enough" if len(frame) > 900 and frame["average"].iloc[-1] > 0 and trade.get_custom_data("seen", 0) > 1 else None`,
  },
  keeping: {
    fields: 'count = 0',
    populate: 'dataframe["average"] = dataframe["close"] * (0.5 if self.count > 0 else 2)',
    methods: 'def bot_loop_start(self, **words):\n    self.count += 1',
  },
  clocked: {
    head: 'from datetime import datetime',
    populate: 'dataframe["average"] = dataframe["close"] * (0.5 if datetime.now().microsecond % 2 == 0 else 2)',
  },
  chancy: { head: 'import random', populate: 'dataframe["average"] = dataframe["close"] * random.choice([0.5, 2])' },
  failing: {
    populate: `dataframe["average"] = dataframe["close"] / 2
if int(dataframe["close"].iloc[-1] * 100) % 4 == 0: raise ValueError("not this one")`,
    methods: 'def custom_exit(self, **words):\n    raise ValueError("no exit")',
  },
} satisfies Record<string, ClassParts>;
type Name = keyof typeof classes;
const names = Object.keys(classes) as Name[];

describe.skipIf(testPython === null)(needsPython('days of strategies in Python'), async () => {
  if (testPython === null) {
    // A block that is skipped is read all the same.
    test('the day of a bot is replayed', () => expect.unreachable());
    return;
  }
  const { db } = await freshDatabase();
  const bots = {} as Record<Name, string>;
  for (const name of names) {
    const busy = { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, orderType: 'market' as const, timeframe: '1m' };
    bots[name] = await addTestBot(db, { ...busy, nickname: name });
    await givePython(db, bots[name], classText('Mine', classes[name]));
  }
  const market = await startMarket(pace, 7, midnight + dayMs / 2);
  const live = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
  const logs: string[] = [];
  const log = (message: string, details: object): void => void logs.push(`${message} ${JSON.stringify(details)}`);
  const aCertifier = (python?: PythonPlaces) =>
    new Certifier({ db, markets: market.connect(), disk: ampleDisk, now: market.now, log, ...(python === undefined ? {} : { python }) });
  const certifier = aCertifier(testPythonPlaces);

  beforeAll(
    async () => {
      await live.take(db, bots.live);
      const markets = market.connect();
      const runner = await startRunner(
        {
          db,
          markets,
          windows: new CandleWindows(markets, { now: market.now }),
          host: 'test',
          now: market.now,
          pace,
          python: testPythonPlaces,
          strategyTimes: { rowMs: patienceMs, callbackMs: patienceMs },
          log,
          openTrading: live.openTrading,
        },
        { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 },
      );
      const waitFor = async (what: () => Promise<boolean>): Promise<void> => {
        while (!(await what())) await sleep(100);
      };
      const decided = async (name: Name): Promise<number> =>
        (await db.selectFrom('decisions').select('candleTime').where('botId', '=', bots[name]).execute()).length;
      const closed = async (name: Name): Promise<number> =>
        (await db.selectFrom('trades').select('id').where('botId', '=', bots[name]).where('status', '=', 'closed').execute()).length;
      await waitFor(async () => (await closed('paper')) >= 3);
      // The file is changed in the middle of the day: from here on the bot never enters.
      await changeFile(bots.paper, { populate: 'dataframe["average"] = dataframe["close"] * 2' });
      const before = await decided('paper');
      await waitFor(async () => (await closed('live')) >= 3 && (await decided('paper')) >= before + 3);
      for (const name of names) await waitFor(async () => (await decided(name)) >= 8);
      await waitFor(async () => (await failed(bots.failing)) > 0 && (await closed('failing')) > 0);
      await runner.stop();
    },
    400_000 + 4 * patienceMs,
  );
  afterAll(() => certifier.close());

  const ownerOf = async (botId: string): Promise<string> =>
    (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
  const codeOf = async (botId: string) => {
    const { codeId } = await db.selectFrom('bots').select('codeId').where('id', '=', botId).executeTakeFirstOrThrow();
    return (await findCode(db, codeId ?? ''))!;
  };

  async function changeFile(botId: string, parts: ClassParts): Promise<void> {
    const before = await codeOf(botId);
    await givePython(db, botId, classText('Mine', parts));
    const code = await codeOf(botId);
    await sql`update bots set code_id = ${before.id} where id = ${botId}`.execute(db);
    await db.transaction().execute(async (trx) => {
      await lockBot(trx, botId);
      const bot = (await findBot(trx, botId))!;
      await changeBotSettings(trx, bot, botSettingsOf(bot), await ownerOf(botId), new Date(market.now()), { code });
    });
  }

  /** The text that a replay has in place of the one that ran. */
  async function withText<Value>(botId: string, parts: ClassParts, act: () => Promise<Value>): Promise<Value> {
    const { id, files } = await codeOf(botId);
    const keep = (texts: unknown) => sql`update strategy_code set files = ${JSON.stringify(texts)}::jsonb where id = ${id}`.execute(db);
    await keep({ 'Mine.py': classText('Mine', parts) });
    try {
      return await act();
    } finally {
      await keep(files);
    }
  }

  async function replayed(botId: string, by: Certifier = certifier) {
    expect(await askCertificate(db, botId, day, await ownerOf(botId))).toBe('asked');
    await by.work();
    const kept = await findCertificate(db, botId, day);
    return { state: kept?.state, why: kept?.why ?? '', facts: kept?.certificate as unknown as CertificateFacts };
  }
  const factsOf = async (botId: string) => (await findCertificate(db, botId, day))?.certificate as unknown as CertificateFacts;
  const refused = async (botId: string, by?: Certifier): Promise<string> => {
    const { state, why } = await replayed(botId, by);
    expect(state).toBe('failed');
    return why;
  };
  const mayPass = async (botId: string): Promise<boolean> => {
    const { rows } = await sql<{ retry: boolean }>`
      select retry_at is not null as retry from certificates where bot_id = ${botId} and day = ${day}::date`.execute(db);
    return rows[0]?.retry ?? false;
  };
  // Its gate may be another one, such as that of a trade that is open.
  const failed = async (botId: string): Promise<number> =>
    (await sql`select from decisions where bot_id = ${botId} and seen->>'failure' is not null`.execute(db)).rows.length;
  const alarms = async () => (await listAlarms(db, null)).filter(({ kind }) => kind === 'decision-differs');

  test.each(['paper', 'live'] as const)('everything of the %s bot is equal or explained, to the last decimal', async (name) => {
    const { state, why, facts } = await replayed(bots[name]);
    expect([state, why]).toEqual(['done', '']);
    const { certificate, candles, notes } = facts;
    expect(notes).toEqual([]);
    expect(certificate.trades.length).toBeGreaterThan(1);
    expect(certificate.tradesSame).toBeGreaterThan(0);
    expect(certificate.parts.unexplained, JSON.stringify(certificate.trades)).toBeUndefined();
    const { differing, same, recorded, failed: none } = certificate.decisions;
    expect(differing).toEqual([]);
    expect(same).toBeGreaterThan(4);
    expect(same + none).toBe(recorded); // a machine that is busy gives no answer in time now and then
    expect(candles.same).toBe(candles.seen);
    for (const { parts, difference, promised, made } of certificate.trades) {
      expect(exactText(Object.values(parts).reduce((sum, part) => plus(sum, fromText(part)), zero))).toBe(difference);
      expect(exactText(minus(fromText(made ?? '0'), fromText(promised ?? '0')))).toBe(difference);
    }
  });

  test('each part of the day is replayed with the version of the file that ran then', async () => {
    const facts = await factsOf(bots.paper);
    expect(facts.versions.map(({ bot }) => bot)).toEqual([1, 2]);
    const changedAt = Date.parse(facts.versions[1]?.from ?? '');
    expect(facts.certificate.trades.filter(({ entryTime }) => entryTime > changedAt + minuteMs)).toEqual([]);
  });

  test('further entries, and exits that its callbacks want, are those of the account', async () => {
    const facts = await factsOf(bots.live);
    const both = facts.certificate.trades.filter(({ promised, made }) => promised !== null && made !== null);
    expect(
      both.some(({ exits }) => exits[0] === 'long enough'),
      JSON.stringify(facts.certificate.trades),
    ).toBe(true);
    const { rows } = await sql<{ entries: number }>`
      select max(n)::int as entries from (select count(*) as n from orders where bot_id = ${bots.live} and purpose = 'entry' and status = 'filled' group by trade_id) o`.execute(
      db,
    );
    expect(rows[0]?.entries).toBeGreaterThan(1);
  });

  test.each([
    [
      'keeping',
      /^The strategy says something else about BTC\/USDT at .* than the bot decided, and it keeps something between its calls \(self\.count\): what that was then is not on record\.$/u,
    ],
    ['clocked', /, and it looks at the clock, which showed another time then\.$/u],
    ['chancy', /, and (?:something else again when it is asked twice: it uses chance, or keeps something between its calls|it keeps)/u],
  ] as const)('a class that cannot say the same twice is not an alarm: %s', async (name, sentence) => {
    expect(await refused(bots[name])).toMatch(sentence);
    expect([await mayPass(bots[name]), await alarms()]).toEqual([false, []]);
  });

  test('a decision that really differs is an alarm', async () => {
    const { state, facts } = await withText(bots.paper, { populate: 'dataframe["average"] = dataframe["close"] / 2' }, () =>
      replayed(bots.paper),
    );
    expect(state).toBe('done');
    expect(facts.certificate.decisions.differing.length).toBeGreaterThan(0);
    expect(await alarms()).toMatchObject([{ targetId: bots.paper }]);
    await replayed(bots.paper);
    expect(await alarms()).toEqual([]);
  });

  test.each([
    [
      'throws',
      'raise ValueError("no such thing")',
      /gave the bot an answer for BTC\/USDT at .*, and gives none in the replay\. ValueError: no such thing \(Mine\.py, line \d+\)\.$/u,
      false,
    ],
    ['dies', 'import os\nos._exit(7)', /gives none in the replay\. The strategy’s process has ended by itself \(with code 7\)\.$/u, true],
    ['hangs', 'while True: pass', /gives none in the replay\. The strategy gave no answer for 10 s; its process was ended\.$/u, true],
  ] as const)('a class that %s in the replay says so', async (_name, populate, sentence, again) => {
    expect(await withText(bots.paper, { populate }, () => refused(bots.paper))).toMatch(sentence);
    expect(await mayPass(bots.paper)).toBe(again);
    await expect.poll(processesOfPython).toEqual([]);
  });

  test('what gave the bot no answer gives none in the replay either, and is not an alarm; nor is a callback that fails', async () => {
    const { facts } = await replayed(bots.failing);
    expect(facts.certificate.decisions).toMatchObject({ differing: [], failed: await failed(bots.failing) });
    expect(facts.certificate.decisions.failed).toBeGreaterThan(0);
    const notes = facts.notes ?? [];
    const count = notes.map(
      (note) =>
        /^The strategy gives no answer on (\w+) candles?; first for BTC\/USDT at .*: ValueError: not this one/u.exec(note)?.[1] ?? '',
    );
    // For others it rested, because its callback failed.
    const unanswered = Math.max(...count.map((words) => (words === 'a' ? 1 : Number(words))));
    expect(unanswered).toBeGreaterThan(0);
    expect(unanswered).toBeLessThanOrEqual(facts.certificate.decisions.failed);
    expect(
      notes.filter((note) => /^Mine: the callback customExit failed .*; first: ValueError: no exit \(Mine\.py/u.test(note)),
    ).toHaveLength(1);
    // One that ends its process there is begun again, until it is too often.
    const dies = {
      ...classes.failing,
      populate: classes.failing.populate.replace('raise ValueError("not this one")', 'import os; os._exit(7)'),
    };
    const { state, why } = await withText(bots.failing, dies, () => replayed(bots.failing));
    expect([state, why]).toEqual(
      unanswered > 5
        ? [
            'failed',
            'The strategy ends its process again and again in the replay. The strategy’s process has ended by itself (with code 7).',
          ]
        : ['done', ''],
    );
  });

  test('a series that it reads and that is not there is a sentence', async () => {
    const reads = { methods: 'def informative_pairs(self):\n    return [("NONE/USDT", "5m")]' };
    expect(await withText(bots.paper, reads, () => refused(bots.paper))).toBe(
      'The strategy reads candles of NONE/USDT on 5m (spot), and there are none.',
    );
    expect(await mayPass(bots.paper)).toBe(true);
  });

  test('without Python, or one that lacks what it needs, the day waits for it; with it the certificate comes by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-bare-python-'));
    const bare = join(folder, 'python');
    writeFileSync(bare, `#!/bin/sh\nexec ${testPython} -S "$@"\n`);
    chmodSync(bare, 0o755);
    try {
      for (const [places, sentence] of [
        [
          { ...noPython, given: '/nowhere/python' },
          'The strategy is in Python. --python names /nowhere/python, which is not a program here.',
        ],
        [
          { ...noPython, given: '/bin/false' },
          'The strategy cannot be loaded here. The strategy’s process has ended by itself (with code 1).',
        ],
        [
          { ...noPython, given: bare },
          /^The strategy cannot be loaded here\. This Python has no (?:pandas|numpy): `flotilla python set-up` makes one that has all; `flotilla python check` says what lacks\.$/u,
        ],
        [undefined, 'The strategy is in Python, and days of these are not replayed here.'],
      ] as const) {
        const by = aCertifier(places);
        const why = await refused(bots.live, by);
        if (typeof sentence === 'string') expect(why).toBe(sentence);
        else expect(why).toMatch(sentence);
        expect(await mayPass(bots.live)).toBe(true);
        await by.close();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(await claimCertificate(db)).toBeNull();
    await sql`update certificates set retry_at = retry_at - interval '1 hour' where bot_id = ${bots.live}`.execute(db);
    await certifier.work();
    expect(await findCertificate(db, bots.live, day)).toMatchObject({ state: 'done', why: null });
  });

  test('no Python stays when nothing is certified', () => {
    expect(processesOfPython()).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`flotilla-strategy-${process.pid}-`))).toEqual([]);
  });

  test('a program that is stopped in the middle leaves no Python, and another takes the day over', async () => {
    const stopped = aCertifier(testPythonPlaces);
    await withText(bots.paper, { populate: 'import time\ntime.sleep(2)' }, async () => {
      await askCertificate(db, bots.paper, day, await ownerOf(bots.paper));
      const working = stopped.work();
      await expect.poll(() => processesOfPython().length).toBeGreaterThan(0);
      await stopped.close();
      await working;
    });
    await expect.poll(processesOfPython).toEqual([]);
    const { rows } = await sql<CertificateClaim>`
      select bot_id, day::text as day, tries, claimed_at::text as claimed_at from certificates
      where bot_id = ${bots.paper} and day = ${day}::date and state = 'replaying'`.execute(db);
    const [claim] = rows;
    // One that still works renews its lease, and keeps the day; the next finds one whose lease has ended.
    const leave = () => sql`update certificates set lease_until = now() - interval '1 second' where bot_id = ${bots.paper}`.execute(db);
    await leave();
    expect(await renewClaim(db, claim)).toBe(true);
    expect(await claimCertificate(db)).toBeNull();
    await leave();
    await certifier.work();
    expect(await findCertificate(db, bots.paper, day)).toMatchObject({ state: 'done' });
  });

  test('data that it kept with a trade at midnight is not on record, and the day says so', async () => {
    // As if its last trade had been entered before midnight.
    const opened = midnight - minuteMs;
    const { rows } = await sql<{ id: string }>`
      select id from trades where bot_id = ${bots.live} and status = 'closed' order by opened_at desc limit 1`.execute(db);
    await sql`update trades set opened_at = ${new Date(opened)}, engine_state = engine_state || jsonb_build_object('customData', '{"seen": 3}'::jsonb, 'openTime', ${opened}::bigint,
      'orders', (select jsonb_agg(o || jsonb_build_object('fills', (select coalesce(jsonb_agg(f || jsonb_build_object('time', case when o->>'purpose' = 'entry' then ${opened}::bigint else (f->>'time')::bigint end)), '[]'::jsonb)
        from jsonb_array_elements(o->'fills') f))) from jsonb_array_elements(engine_state->'orders') o)) where id = ${rows[0]?.id ?? ''}`.execute(
      db,
    );
    const { state, why } = await replayed(bots.live);
    expect([state, why]).toEqual([
      'failed',
      'The strategy keeps data with its trades (seen), and what the trade of BTC/USDT had at midnight is not on record.',
    ]);
  });
});

/** The processes of Python that this program has started for replays. */
function processesOfPython(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    try {
      const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/\(.*\)/u, '()')
        .split(' ');
      const isPython = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('shim/main.py');
      return isPython && Number(parent) === process.pid;
    } catch {
      return false; // it has ended
    }
  });
}
