import type { Route } from '#contract/route.ts';
import { ownSettingsChanges } from '#contract/own-settings.ts';
import { isChange } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { createMarketData } from '#exchange/market-data.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { Markets } from '#feeds/markets.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { addTestBot } from '../support/test-bot.ts';
import { saveTestRules } from '../support/test-rules.ts';
import { startTestServer } from '../support/test-server.ts';
import type { Around, LiveChange } from './live-changes.ts';
import { answers, liveChanges, places, reachNoBot, standings } from './live-changes.ts';
import { sendCall } from './send-call.ts';

// Which change of a live bot needs what, by the table of live-changes.ts: npm run torture access

// Every exchange of this file is the market simulator, so that a bot can be at a real one.
const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const checkAtSandbox = exchangeKeyCheck({ sandboxUrl: sandbox.url });
const server = await startTestServer({
  markets: new Markets(defaultExchanges, async (_, marketType) =>
    createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: sandbox.url, now: Date.now }),
  ),
  checkKey: async (_, ...key) => checkAtSandbox('sandbox', ...key),
});
const { db } = server.dependencies;
const owner = await server.signedIn('trader');
const admin = await server.signedIn('admin');
const pristine = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, symbols: ['BTC/USDT', 'ETH/USDT'] });
const { rows: strategies } = await sql<{ id: string; row: object }>`
  select s.id, to_jsonb(s) as row from strategies s join bots b on b.strategy_id = s.id where b.id = ${pristine}`.execute(db);
const strategy = strategies[0];
const answer = await fetch(`${sandbox.url}/sandbox/v1/keys?right=trade`, { method: 'POST' });
const made = (await answer.json()) as { apiKey: string; secretKey: string };
const newKey = { key: made.apiKey, secret: made.secretKey };

const endOfTime = new Date('2200-01-01T00:00:00Z'); // no session runs out while this runs

const storedKey = async (exchangeId: string): Promise<string> =>
  (
    await db
      .insertInto('apiKeys')
      .values({ userId: owner.userId, exchangeId, keyHint: 'wxyz', sealed: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;

/** What the bot sets itself. */
const ownSettings = { stoploss: -0.02, maxConsecutiveLosses: 4 };

/** A bot at a place, with all that is around it; everything of the bots before is gone. */
async function setUp(place: (typeof places)[number], isOpen: boolean, status: 'active' | 'paused'): Promise<Around> {
  const tables = [
    'trades',
    'bots',
    'api_keys',
    'limits',
    'trading_states',
    'limit_counters',
    'alarms',
    'strategy_versions',
    'pair_locks',
    'strategy_code',
  ];
  await sql.raw(tables.map((table) => `delete from ${table}`).join(';')).execute(db);
  await sql`update strategies s set (name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop, trailing_stop_positive,
      trailing_stop_positive_offset, trailing_only_offset_is_reached, max_consecutive_losses, risk_reward_ratio, minimal_roi, order_types,
      order_time_in_force, webhook, version) = (select r.name, r.description, array['binance'], r.default_timeframe, r.stoploss, false, 0.01, 0.02,
      false, r.max_consecutive_losses, r.risk_reward_ratio, r.minimal_roi, r.order_types, r.order_time_in_force, null::jsonb, 8
      from jsonb_populate_record(null::strategies, ${JSON.stringify(strategy?.row)}::jsonb) r) where s.id = ${strategy?.id}`.execute(db);
  await sql`insert into strategy_versions (strategy_id, version, settings)
    select ${strategy?.id}::uuid, 7, ${JSON.stringify(strategySettings())}::jsonb`.execute(db);
  await saveTestRules(db, strategy?.id ?? '', emaCross);
  const [exchange, elsewhere] = place === 'real' ? ['binance', 'sandbox'] : ['sandbox', 'binance'];
  const bot = await addTestBot(db, {
    strategy: 'RsiReversal',
    owner: owner.email,
    symbols: ['BTC/USDT', 'ETH/USDT'],
    status,
    timeframe: '5m',
    ownSettings,
  });
  const [key, otherKey, keyElsewhere] = [await storedKey(exchange), await storedKey(exchange), await storedKey(elsewhere)];
  await sql`update bots set exchange_id = ${exchange}, api_key_id = ${key}, mode = ${place === 'paper' ? 'paper' : 'live'}, version = 5
    where id = ${bot}`.execute(db);
  const settings = { nickname: 'Old', exchangeId: exchange, marketType: 'spot', stakeCurrency: 'USDT', symbols: ['BTC/USDT', 'ETH/USDT'] };
  const more = { stakeAmount: '100', maxOpenTrades: 3, leverage: '1', leverageMode: 'isolated' };
  for (const [version, change] of [
    [1, { stakeAmount: '500' }],
    [2, { marketType: 'margin' }],
    [4, { ownSettings: { ...ownSettings, stoploss: -0.06 } }],
  ] as const)
    await sql`insert into bot_versions (bot_id, version, settings)
      values (${bot}, ${version}, ${JSON.stringify({ ...settings, ...more, ...change })}::jsonb)`.execute(db);
  const mode = place === 'paper' ? 'paper' : place === 'real' ? 'live' : 'testnet';
  const trade = aTradeRow(bot, { symbol: 'BTC/USDT', mode });
  const { rows: locks } = await sql<{ id: string }>`
    insert into pair_locks (level, bot_id, pair, reason) values ('bot', ${bot}, 'SOL', 'too wild') returning id`.execute(db);
  if (isOpen) await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return {
    bot,
    strategy: strategy?.id ?? '',
    key,
    otherKey,
    keyElsewhere,
    newKey,
    exchange,
    elsewhere,
    email: owner.email,
    trade: trade.id,
    lock: locks[0]?.id ?? '',
  };
}

/** The settings of the strategy as a version keeps them, with another stop. */
function strategySettings(): object {
  const row = strategy?.row as Record<string, unknown>;
  return {
    name: row['name'],
    description: row['description'],
    supportedExchanges: ['binance'],
    defaultTimeframe: row['default_timeframe'],
    stoploss: '-0.77',
    trailingStop: false,
    trailingStopPositive: '0.01',
    trailingStopPositiveOffset: '0.02',
    trailingOnlyOffsetIsReached: false,
    maxConsecutiveLosses: row['max_consecutive_losses'],
    riskRewardRatio: row['risk_reward_ratio'] === null ? null : JSON.stringify(row['risk_reward_ratio']),
    minimalRoi: row['minimal_roi'],
    orderTypes: row['order_types'],
    orderTimeInForce: row['order_time_in_force'],
  };
}

async function stand(standing: (typeof standings)[number], callerId: string): Promise<void> {
  server.pass(minuteMs); // of the calls of a minute none are counted any more
  const now = server.dependencies.now().getTime();
  const [checkedAt, resetAt] = [new Date(standing === 'stale' ? now - 11 * minuteMs : now), new Date(now - hourMs)];
  await sql`update sessions set authenticated_at = ${checkedAt}, ends_at = ${endOfTime}`.execute(db);
  await sql`update session_tokens set access_until = ${endOfTime}, refresh_until = ${endOfTime}`.execute(db);
  await sql`update users set password_reset_at = ${standing === 'reset' ? resetAt : null},
    verified = id <> ${callerId} or ${standing !== 'suspended'}`.execute(db);
}

describe.each(liveChanges.map((change) => ({ ...change, title: `${change.call} ${change.what}` })))('$title', (change: LiveChange) => {
  test.each(places.map((place, i) => ({ place, needs: change.needs[i] ?? '' })))(
    'OP-16, OP-36, API-34, API-36, API-47 of a bot at $place is done or refused by the table',
    async ({ place, needs }) => {
      const found: string[] = [];
      const wanted = needs.replace(' ', '');
      expect(wanted).toHaveLength(8);
      for (const [i, letter] of wanted.split('').entries()) {
        if (letter === '-') continue;
        const around = await setUp(place, i >= 4, change.isPaused === true ? 'paused' : 'active');
        const { cookies, userId } = change.by === 'admin' ? admin : owner;
        const standing = standings[i % 4] ?? 'fresh';
        await stand(standing, userId);
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const reply = await sendCall(server, change.call, change.input(around), { cookie });
        const text = reply.statusCode < 300 ? 'done' : `${reply.statusCode} ${reply.json<{ detail: string }>().detail}`;
        const tried = `${i < 4 ? 'no trade' : 'a trade'}, ${standing}`;
        found.push(`${tried}: ${text}`);
        expect(found.at(-1)).toBe(`${tried}: ${answers[letter]}`);
        // A live bot that has another account, or none, is never left active.
        const { rows } = await sql<{ isMoved: boolean; status: string; mode: string }>`
          select api_key_id is distinct from ${around.key} or exchange_id <> ${around.exchange} as is_moved, status, mode
          from bots where id = ${around.bot}`.execute(db);
        if (place !== 'paper' && rows[0]?.mode === 'live' && rows[0].isMoved) expect(rows[0].status).not.toBe('active');
      }
    },
  );
});

describe('the table', () => {
  const named = new Set<RouteName>([...liveChanges.map(({ call }) => call), ...reachNoBot]);

  test('names every call that changes something', () => {
    const changing = (Object.entries(routes) as [RouteName, Route][]).filter(([, route]) => isChange(route)).map(([name]) => name);
    expect(changing.filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => !changing.includes(name))).toEqual([]);
  });

  test('names every setting that a bot may have of its own', () => {
    const around = {
      bot: '',
      strategy: '',
      key: '',
      otherKey: '',
      keyElsewhere: '',
      newKey,
      exchange: '',
      elsewhere: '',
      email: '',
      trade: '',
      lock: '',
    };
    const bodies = liveChanges.filter(({ call }) => call === 'updateBot').map(({ input }) => input(around) as { body: object });
    const inTable = bodies.flatMap(({ body }) => ('own_settings' in body ? Object.keys(body.own_settings as object) : []));
    expect(Object.keys(ownSettingsChanges.shape).filter((name) => !inTable.includes(name))).toEqual([]);
  });

  test.each([...new Set(liveChanges.map(({ call }) => call))])('names every field of %s', (call) => {
    const { body, query, params }: Route = routes[call];
    const fields = [body, query, params].flatMap((schema) =>
      schema === undefined ? [] : Object.keys((schema as unknown as { shape: object }).shape),
    );
    const inTable = new Set(liveChanges.filter((change) => change.call === call).flatMap((change) => change.fields));
    expect(fields.filter((field) => !inTable.has(field) && !(field === 'id' && params !== undefined))).toEqual([]);
  });
});
