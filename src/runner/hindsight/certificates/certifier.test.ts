import { fromText, minus, plus, zero } from '#engine/market/decimal.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { exactText } from '#engine/report/certificate/certificate.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import type { CertifiedTrade } from '#engine/report/certificate/certificate.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot, lockBot } from '#storage/bots/bots.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import {
  askCertificate,
  askNightly,
  claimCertificate,
  failCertificate,
  findCertificate,
  keepCertificate,
} from '#storage/certificates/certificates.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { connectMarkets } from '../../../../test/support/connect-markets.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { liveBots } from '../../../../test/support/live-bots.ts';
import { startMarket } from '../../../../test/support/market.ts';
import { patienceMs } from '../../../../test/support/patience.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { startRunner } from '../../runner.ts';
import { Certifier } from './certifier.ts';

const { db } = await freshDatabase();
const pace = 60; // a minute of market is a second here, once all bots run; 25 of them are left of the day then
const midnight = Math.ceil(Date.now() / dayMs) * dayMs;
const day = new Date(midnight - dayMs).toISOString().slice(0, 10);
const nextDay = new Date(midnight).toISOString().slice(0, 10);
const market = await startMarket(1, 7, midnight - 25 * minuteMs);
const logs: string[] = [];
const sandboxUrl = market.sandbox.url;
const live = liveBots({ sandboxUrl, now: market.now });
let laterMs = 0; // that the certifier's clock is ahead of the market's
const certifier = new Certifier({
  db,
  markets: market.connect(),
  disk: ampleDisk,
  now: () => market.now() + laterMs,
  log: (message, details) => logs.push(`${message} ${JSON.stringify(details)}`),
});

/** It always wants to hold and leaves after two minutes: many short trades. */
const busy = { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, symbols: ['BTC/USDT', 'ETH/USDT'], orderType: 'market' as const };
const bots: Record<'paper' | 'futures' | 'live', string> = { paper: '', futures: '', live: '' };
let tradesSame = 0; // of all bots: a slow machine enters a candle later
const everyBot = Object.keys(bots) as (keyof typeof bots)[];

beforeAll(
  async () => {
    bots.paper = await addTestBot(db, { ...busy, nickname: 'Paper' });
    bots.futures = await addTestBot(db, {
      ...busy,
      nickname: 'Futures',
      marketType: 'futures',
      symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT'],
      leverage: 3,
    });
    bots.live = (await live.add(db, { ...busy, nickname: 'Live' })).id;
    const markets = market.connect();
    const runner = await startRunner(
      {
        db,
        markets,
        windows: new CandleWindows(markets, { now: market.now }),
        host: 'test',
        now: market.now,
        pace,
        log: (message, details) => logs.push(`${message} ${JSON.stringify(details)}`),
        openTrading: live.openTrading,
      },
      { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 },
    );
    const until = async (time: number): Promise<void> => sleep(Math.max(0, (time - market.now()) / pace));
    const ticking = () => db.selectFrom('botVitals').select('botId').execute();
    while ((await ticking()).length < everyBot.length) await sleep(50);
    market.sandbox.clock.setFactor(pace);
    // An exchange that refuses an order, and one whose answers to orders come late.
    await until(midnight - 12 * minuteMs);
    const orders = { path: '/api/v3/order', method: 'POST' } as const;
    market.sandbox.faults.add({
      ...orders,
      times: 2,
      fault: { kind: 'error', status: 400, code: -2010, message: 'Account has insufficient balance.' },
    });
    await until(midnight - 10 * minuteMs);
    // A person presses the kill switch of a bot for some candles, and gives another one a larger stake.
    await setState(bots.futures, 'reducing');
    await enlarge(bots.paper, '150');
    await until(midnight - 8 * minuteMs);
    market.sandbox.faults.add({ ...orders, times: 4, fault: { kind: 'late-answer', ms: 300 } });
    await until(midnight - 6 * minuteMs);
    // In so many candles the backtest has entered at least once.
    const refused = async (): Promise<number> =>
      (await db.selectFrom('decisions').select('candleTime').where('botId', '=', bots.futures).where('gate', '=', 'reducing').execute())
        .length;
    while ((await refused()) < 8) await sleep(50);
    await setState(bots.futures, 'active');
    await until(midnight + 7 * minuteMs);
    await runner.stop();
  },
  180_000 + 4 * patienceMs,
);
afterAll(() => certifier.close());

const sum = (texts: readonly (string | null | undefined)[]) => texts.reduce((total, text) => plus(total, fromText(text ?? '0')), zero);

async function certified(botId: string, of = day): Promise<{ facts: CertificateFacts; trades: CertifiedTrade[] }> {
  await certifier.work();
  const kept = await findCertificate(db, botId, of);
  expect([kept?.state, kept?.why]).toEqual(['done', null]);
  const facts = kept?.certificate as unknown as CertificateFacts;
  return { facts, trades: facts.certificate.trades };
}

describe('the night makes a certificate of every bot that ran', () => {
  test('of the day that has ended, once, and of none that did not run', async () => {
    const idle = await addTestBot(db, { ...busy, nickname: 'Idle', status: 'stopped' });
    await Promise.all([certifier.askNightly(), certifier.askNightly()]);
    const { rows } = await sql<{ botId: string; day: string }>`select bot_id, day::text as day from certificates order by day`.execute(db);
    expect(rows.map(({ botId }) => botId).toSorted()).toEqual(Object.values(bots).toSorted());
    expect(new Set(rows.map((row) => row.day))).toEqual(new Set([day]));
    expect(await askCertificate(db, idle, day, await ownerId())).toBe('did-not-run');
  });

  test.each(everyBot)('everything of the %s bot is equal or explained, to the last decimal', async (name) => {
    const { facts, trades } = await certified(bots[name]);
    const { certificate, candles } = facts;
    expect(trades.length).toBeGreaterThan(2);
    expect(certificate.parts.unexplained, JSON.stringify(trades)).toBeUndefined();
    expect(certificate.decisions).toMatchObject({ differing: [], failed: 0 });
    expect(certificate.decisions.recorded).toBeGreaterThan(20);
    expect(certificate.decisions.same).toBe(certificate.decisions.recorded);
    expect([candles.same, candles.differing]).toEqual([candles.seen, []]);
    expect(candles.seen).toBe(certificate.decisions.recorded);
    for (const { parts, difference, promised, made } of trades) {
      expect(exactText(sum(Object.values(parts)))).toBe(difference);
      expect(exactText(minus(fromText(made ?? '0'), fromText(promised ?? '0')))).toBe(difference);
    }
    expect(exactText(sum(Object.values(certificate.parts)))).toBe(
      exactText(minus(fromText(certificate.made), fromText(certificate.promised))),
    );
    tradesSame += certificate.tradesSame;
  });

  test('most of what was traded was traded by both sides', () => {
    expect(tradesSame).toBeGreaterThan(3);
  });

  test.each(everyBot)('what the account of the %s bot made is what its trades have booked', async (name) => {
    const { trades } = await certified(bots[name]);
    const booked = await db
      .selectFrom('trades')
      .select(['profit', 'openedAt'])
      .where('botId', '=', bots[name])
      .where('status', '=', 'closed')
      .where('closedAt', '<', new Date(midnight))
      .execute();
    const made = trades.filter(({ made: each, isOpen, isCarried }) => each !== null && !isOpen && !isCarried);
    expect(made.length).toBe(booked.length);
    const [ours, theirs] = [sum(made.map((trade) => trade.made)), sum(booked.map(({ profit }) => profit))];
    expect(Math.abs(Number(exactText(minus(ours, theirs))))).toBeLessThan(1e-6 * (1 + booked.length));
  });
});

test('each part of the day is replayed with its own version of the settings', async () => {
  const { facts, trades } = await certified(bots.paper);
  expect(facts.versions.map(({ bot }) => bot)).toEqual([1, 2]);
  expect(Date.parse(facts.versions[1]?.from ?? '')).toBeGreaterThan(midnight - 12 * minuteMs);
  // What was entered with the larger stake was promised with it: its amount is not part of the difference, but for one whole step or two.
  const larger = trades.filter(
    ({ entryTime, promised, made }) => entryTime > midnight - 8 * minuteMs && promised !== null && made !== null,
  );
  for (const { parts } of larger) expect(Math.abs(Number(parts.amount ?? 0))).toBeLessThan(0.01);
});

test('what the kill switch kept a bot from is an intervention', async () => {
  const { facts, trades } = await certified(bots.futures);
  const refused = trades.filter(({ why }) => why === 'reducing');
  expect(refused.length, JSON.stringify(trades)).toBeGreaterThan(0);
  for (const { made, difference, promised } of refused) expect([made, Number(difference)]).toEqual([null, -Number(promised)]);
  expect(facts.certificate.parts.intervention).toBeDefined();
});

test('the day after begins with what was open at midnight', async () => {
  laterMs = dayMs;
  await askNightly(db, new Date(market.now() + dayMs));
  for (const name of everyBot) {
    const before = (await certified(bots[name])).trades.filter(({ isOpen, made }) => isOpen && made !== null);
    const { trades, facts } = await certified(bots[name], nextDay);
    expect(
      trades
        .filter(({ isCarried, made }) => isCarried && made !== null)
        .map(({ symbol }) => symbol)
        .toSorted(),
    ).toEqual(before.map(({ symbol }) => symbol).toSorted());
    expect(facts.certificate.parts.unexplained, JSON.stringify(trades)).toBeUndefined();
  }
});

describe('a decision that differs', () => {
  const wrong = async (botId: string): Promise<void> => {
    await sql`update decisions set seen = jsonb_set(seen, '{enterShort}', 'true')
      where (bot_id, symbol, candle_time) in (select bot_id, symbol, candle_time from decisions where bot_id = ${botId}
        and candle_time between ${new Date(midnight - hourMs)} and ${new Date(midnight - 3 * minuteMs)} order by candle_time limit 1)`.execute(
      db,
    );
  };

  test('is an alarm, until a later certificate of the day has none', async () => {
    const alarms = async () => (await listAlarms(db, null)).filter(({ kind }) => kind === 'decision-differs');
    expect(await alarms()).toEqual([]);
    await wrong(bots.paper);
    const asker = await ownerId();
    expect(await Promise.all([askCertificate(db, bots.paper, day, asker), askCertificate(db, bots.paper, day, asker)])).toEqual(
      expect.arrayContaining(['asked', 'under-way']),
    );
    const { facts } = await certified(bots.paper);
    expect(facts.certificate.decisions.differing).toHaveLength(1);
    expect(await alarms()).toMatchObject([{ targetId: bots.paper, facts: { day, decisions: 1 } }]);

    await sql`update decisions set seen = jsonb_set(seen, '{enterShort}', 'false') where bot_id = ${bots.paper}`.execute(db);
    await askCertificate(db, bots.paper, day, asker);
    await certified(bots.paper);
    expect(await alarms()).toEqual([]);
  });
});

test('candles that were corrected after the day are a part of the difference, and no alarm', async () => {
  const before = (await certified(bots.futures)).facts.certificate;
  // As if the exchange had reported another candle to the bot than it says now.
  await sql`update decisions set seen = jsonb_set(seen, '{candle,4}', '0.5'::jsonb)
    where bot_id = ${bots.futures} and candle_time = (select max(candle_time) from decisions where bot_id = ${bots.futures} and candle_time < ${new Date(midnight - 2 * minuteMs)})`.execute(
    db,
  );
  await askCertificate(db, bots.futures, day, await ownerId());
  const { facts } = await certified(bots.futures);
  expect(facts.candles.differing.map(({ fields }) => fields)).toEqual(Array.from(facts.candles.differing, () => ['volume']));
  expect(facts.candles.differing.length).toBeGreaterThan(0);
  expect(facts.certificate.decisions.differing).toEqual([]);
  expect(facts.certificate.made).toBe(before.made);
});

test('two workers make one certificate, and one that was overtaken writes nothing', async () => {
  const asker = await ownerId();
  await askCertificate(db, bots.live, day, asker);
  const [one, other] = await Promise.all([claimCertificate(db), claimCertificate(db)]);
  expect([one, other].filter((claim) => claim !== null)).toHaveLength(1);
  const first = (one ?? other)!;
  await sql`update certificates set lease_until = now() - interval '1 second' where bot_id = ${bots.live} and day = ${day}::date`.execute(
    db,
  );
  const second = await claimCertificate(db);
  expect(second).toEqual({ ...first, tries: first.tries + 1, claimedAt: second?.claimedAt });
  expect(second?.claimedAt).not.toBe(first.claimedAt);
  const found = { mode: 'testnet', currency: 'USDT', promised: '1', made: '1', differing: [], certificate: {}, tookMs: 1 } as const;
  expect(await keepCertificate(db, first, { ...found, differing: [] }, new Date())).toBe(false);
  expect(await keepCertificate(db, second!, { ...found, differing: [] }, new Date())).toBe(true);
});

test('what failed because the exchange did not answer is tried again after an hour; what will not change is not', async () => {
  await askCertificate(db, bots.paper, day, await ownerId());
  const deaf = new Certifier({
    db,
    markets: connectMarkets('http://127.0.0.1:9', market.now),
    disk: ampleDisk,
    now: market.now,
    log: () => {},
  });
  await deaf.work();
  await deaf.close();
  const failed = await findCertificate(db, bots.paper, day);
  expect([failed?.state, failed?.why]).toEqual(['failed', 'The exchange does not give the candles of this day.']);
  expect(failed?.promised).not.toBeNull(); // of the replay before
  expect(await claimCertificate(db)).toBeNull();
  const passAnHour = () => sql`update certificates set retry_at = retry_at - interval '1 hour'`.execute(db);
  await passAnHour();
  expect((await certified(bots.paper)).trades.length).toBeGreaterThan(2);

  await askCertificate(db, bots.paper, day, await ownerId());
  await failCertificate(db, (await claimCertificate(db))!, 'The strategy is in Python.', false);
  await passAnHour();
  expect(await claimCertificate(db)).toBeNull();
});

describe('a day that is not a day of one bot', () => {
  const whyOf = async (botId: string) => {
    await askCertificate(db, botId, day, await ownerId());
    await certifier.work();
    const kept = await findCertificate(db, botId, day);
    return kept?.state === 'failed' ? kept.why : kept?.currency;
  };

  test('is not replayed when its mode was changed, whether a trade was held in each or not', async () => {
    const morning = new Date(midnight - 20 * minuteMs);
    await sql`insert into pnl_snapshots values (${bots.live}, 'paper', ${morning}, 0, 0, 0, 0, 0, 0, 0)`.execute(db);
    expect(await whyOf(bots.live)).toBe('The bot changed between paper and testnet on this day, which is not replayed as one.');
    // One of a trade that was imported, which is history on paper whatever the bot does.
    const imported = aTradeRow(bots.live, { mode: 'paper', status: 'closed', closedAt: morning, exitPrice: 1, profit: '0' });
    await writeTrades(db, [{ trade: imported, orders: [], fills: [] }]);
    await sql`update trades set imported_from = 'freqtrade' where id = ${imported.id}`.execute(db);
    expect(await whyOf(bots.live)).toBe('USDT');
  });

  test('nor when it got another currency, exchange or market; what it has today says nothing of that day', async () => {
    await sql`update bots set stake_currency = 'BTC' where id = ${bots.paper}`.execute(db); // since
    expect(await whyOf(bots.paper)).toBe('The bot staked USDT on this day and BTC since, so its balance of then is not known.');
    await sql`update bots set stake_currency = 'USDT', exchange_id = 'elsewhere' where id = ${bots.paper}`.execute(db);
    expect(await whyOf(bots.paper)).toBe('USDT');
    await sql`update bots set exchange_id = 'sandbox' where id = ${bots.paper}`.execute(db);
    await sql`update bot_versions set settings = jsonb_set(settings::jsonb, '{stakeCurrency}', '"BTC"') where bot_id = ${bots.paper} and version = 2`.execute(
      db,
    );
    expect(await whyOf(bots.paper)).toBe(
      'The bot changed its exchange, market or stake currency on this day, which is not replayed as one.',
    );
  });
});

async function setState(botId: string, state: 'reducing' | 'active'): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'bot', id: botId });
    await setSwitch(trx, { level: 'bot', id: botId }, { state, setBy: null, isImposed: false });
  });
}

/** Another stake, from the market's time of now on. */
async function enlarge(botId: string, stakeAmount: string): Promise<void> {
  const asker = await ownerId();
  await db.transaction().execute(async (trx) => {
    await lockBot(trx, botId);
    const bot = await findBot(trx, botId);
    if (bot === null) throw new Error('The bot is gone');
    await changeBotSettings(trx, bot, { ...botSettingsOf(bot), stakeAmount }, asker, new Date(market.now()));
  });
}

async function ownerId(): Promise<string> {
  return (await db.selectFrom('bots').select('userId').where('id', '=', bots.paper).executeTakeFirstOrThrow()).userId;
}
