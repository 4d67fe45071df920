import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '#processes/config.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { findBot, listBots } from '#storage/bots/bots.ts';
import { listBotVersions } from '#storage/bots/bot-settings.ts';
import { listTradesOfBot } from '#storage/trades/trade-lists.ts';
import { addUser, type User } from '#storage/users/users.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { classText } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { startSandboxProcess } from '../download/sandbox-process.ts';
import { aFreqtradeTrade, anOpenFreqtradeTrade, insertRows, writeFreqtradeFile } from '../testing/freqtrade-file.ts';
import { importFreqtradeCommand } from './import-freqtrade-command.ts';

const { db, url } = await freshDatabase();
await enterBuiltInStrategies(db);
const sandbox = await startSandboxProcess();
const folder = mkdtempSync(join(tmpdir(), 'flotilla-import-test-'));
const home = join(folder, 'home');
mkdirSync(home);
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

const person = async (email: string, verified = true): Promise<User> => {
  const user = await addUser(db, { email, passwordHash: 'none', role: 'trader', verified });
  if (user === null) throw new Error('taken');
  return user;
};
const mira = await person('mira@example.com');
let made = 0;
let audited = '0'; // the newest line of the audit log before a test
let file = '';
let config = '';
beforeEach(async () => {
  await sql`truncate bots, trades, imported_keys, strategy_files, strategy_code cascade`.execute(db);
  await sql`delete from strategies where kind = 'file'`.execute(db);
  rmSync(join(home, 'strategies'), { recursive: true, force: true });
  made += 1;
  audited = (await sql<{ id: string }>`select coalesce(max(id), 0) as id from audit_log`.execute(db)).rows[0]?.id ?? '0';
  file = join(folder, `trades-${made}.sqlite`);
  config = configured();
});

function configured(given: object = {}): string {
  const path = join(folder, `config-${made}.json`);
  const exchange = { name: 'binance', key: 'SECRET', secret: 'SECRET', pair_whitelist: ['BTC/USDT', 'ETH/USDT', 'NOSUCH/USDT'] };
  const whole = {
    stake_currency: 'USDT',
    stake_amount: 50,
    max_open_trades: 2,
    stoploss: -0.07,
    bot_name: 'Harbour',
    strategy: 'EmaCross',
    exchange,
  };
  writeFileSync(path, JSON.stringify({ ...whole, ...given }));
  return path;
}

interface Given {
  owner?: string;
  exchange?: string;
  words?: string[];
}

async function run({ owner = 'Mira', exchange = 'sandbox', words = [] }: Given = {}): Promise<string[]> {
  const lines: string[] = [];
  const environment = readConfig({ DATABASE_URL: url, FLOTILLA_HOME: home, SANDBOX_URL: sandbox.url }, '/');
  const all = ['--config', config, '--db', file, '--owner', owner, '--exchange', exchange, ...words];
  const code = await importFreqtradeCommand(all, (line) => void lines.push(line), {
    config: async () => ({ ...environment, python: testPythonPlaces }),
    startSandbox: startSandboxProcess,
  });
  expect(code).toBe(0);
  return lines;
}
async function refused(given: Given = {}): Promise<string> {
  try {
    return `done: ${(await run(given)).join('\n')}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
const counts = async () => {
  const { rows } = await sql<{ bots: number; trades: number; keys: number; audit: number; strategies: number }>`
    select (select count(*) from bots)::int as bots, (select count(*) from trades)::int as trades, (select count(*) from imported_keys)::int as keys,
      (select count(*) from audit_log where id > ${audited})::int as audit, (select count(*) from strategies where kind = 'file')::int as strategies`.execute(
    db,
  );
  return rows[0];
};
const nothing = { bots: 0, trades: 0, keys: 0, audit: 0, strategies: 0 };
const onlyBot = async () => {
  const [bot] = await listBots(db);
  if (bot === undefined) throw new Error('There is no bot');
  return bot;
};

test('a bot of freqtrade whose stake is "unlimited" gets no more capital than it had, however its pairs are named', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
  config = configured({
    stake_amount: 'unlimited',
    max_open_trades: -1,
    dry_run_wallet: 10_000,
    exchange: { name: 'binance', pair_whitelist: ['.*/USDT'] },
  });
  const lines = await run();
  const bot = await onlyBot();
  expect(bot.symbols.length).toBeGreaterThan(5);
  expect([bot.maxOpenTrades, Number(bot.stakeAmount)]).toEqual([bot.symbols.length, Math.floor(990_000 / bot.symbols.length) / 100]);
  expect(lines.join('\n')).toContain(`"unlimited" is made ${Number(bot.stakeAmount)}: change Stake Amount`);
});

test('a bot is made with settings and history; what was not carried over and what is open is said', async () => {
  const trades = [aFreqtradeTrade(1), aFreqtradeTrade(2, { close_profit_abs: -1.5, pair: 'NOSUCH/USDT' }), anOpenFreqtradeTrade(3)];
  writeFreqtradeFile(file, trades).close();
  expect(await run()).toEqual([
    'The bot "Harbour" of mira@example.com is made: paper and paused, EmaCross on sandbox spot, 5m, 2 slots of 50 USDT.',
    'It trades 2 pairs: BTC/USDT, ETH/USDT.',
    '2 closed trades are its history: 3.5489505 USDT after fees, 1 won, 1 lost.',
    'Not carried over:',
    '  exchange.pair_whitelist: sandbox does not offer NOSUCH/USDT in USDT; trades in them are history all the same.',
    'The configuration has keys for binance. They were not read: add them on the page API Keys before the bot trades live.',
    'Open in freqtrade, and not imported:',
    '  3: BTC/USDT long, 0.5, since 2026-01-03 03:04 UTC',
    'Close them in freqtrade, or let it run until they are closed; then run this command again, which imports them.',
    'Two programs on one account take each other’s balance: stop freqtrade before "Harbour" trades live with USDT of the same account.',
  ]);
  const bot = await onlyBot();
  expect(bot).toMatchObject({
    nickname: 'Harbour',
    userId: mira.id,
    mode: 'paper',
    status: 'paused',
    exchangeId: 'sandbox',
    apiKeyId: null,
    symbols: ['BTC/USDT', 'ETH/USDT'],
    maxOpenTrades: 2,
    ownSettings: { stoploss: -0.07 },
    trades: 2,
    wins: 1,
    losses: 1,
    importedPnl: '3.548950500000000000',
  });
  expect(Number(bot.startingBalance)).toBe(100);
  expect(await listBotVersions(db, bot.id, 'paper')).toMatchObject([{ version: 1, changedBy: null, trades: 0 }]);
  const audit = await db.selectFrom('auditLog').where('id', '>', audited).select(['action', 'target', 'detail']).execute();
  expect(audit).toMatchObject([
    { action: 'import-bot', target: bot.id, detail: { trades: 2, database: `trades-${made}.sqlite`, owner: mira.id } },
  ]);
  const { rows } = await sql<{ all: string }>`select string_agg(t::text, ' ') as all from (select b.* from bots b) t`.execute(db);
  expect(rows[0]?.all).not.toContain('SECRET');
});

test('a rehearsal says the same and does nothing', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
  const lines = await run({ words: ['--dry-run'] });
  expect(lines.slice(0, 2)).toEqual([
    'Nothing is done: this is what would be.',
    'The bot "Harbour" of mira@example.com would be made: paper and paused, EmaCross on sandbox spot, 5m, 2 slots of 50 USDT.',
  ]);
  expect(await counts()).toEqual(nothing);
});

test('run again, it adds what has been closed since, to the bot as it is by then', async () => {
  const source = writeFreqtradeFile(file, [aFreqtradeTrade(1), anOpenFreqtradeTrade(2)]);
  await run();
  const { id } = await onlyBot();
  expect(await run()).toEqual([
    'The bot "Harbour" has all 1 closed trades of this database already: nothing is new.',
    'Open in freqtrade, and not imported:',
    '  2: BTC/USDT long, 0.5, since 2026-01-02 03:04 UTC',
    'Close them in freqtrade, or let it run until they are closed; then run this command again, which imports them.',
  ]);
  await sql`update bots set nickname = 'Renamed', status = 'active', updated_at = '2026-01-01'`.execute(db);
  source.exec(
    "update trades set is_open = 0, close_date = '2026-01-02 09:00:00', close_rate = 190, close_profit = -0.05, close_profit_abs = -5 where id = 2",
  );
  insertRows(source, 'trades', [aFreqtradeTrade(3)]);
  source.close();
  expect(await run({ words: ['--dry-run'] })).toEqual([
    'Nothing is done: this is what would be.',
    'The bot "Renamed" would get 2 closed trades more; 1 was there. Its settings stay as they are.',
  ]);
  expect((await findBot(db, id))?.trades).toBe(1);
  // Neither the strategy nor the exchange is asked about again.
  expect(await run({ exchange: 'nowhere', words: ['--strategy', 'Gone'] })).toEqual([
    'The bot "Renamed" gets 2 closed trades more; 1 was there. Its settings stay as they are.',
  ]);
  const bot = await findBot(db, id);
  expect(bot).toMatchObject({ trades: 3, status: 'active', importedPnl: '5.097901000000000000' });
  expect(bot?.updatedAt.getTime()).toBeGreaterThan(Date.UTC(2026, 0, 2)); // its runner reads it again
  expect(await listTradesOfBot(db, id, 'paper')).toHaveLength(3);
  expect(
    (await db.selectFrom('auditLog').where('id', '>', audited).select('action').orderBy('id').execute()).map(({ action }) => action),
  ).toEqual(['import-bot', 'import-trades']);
});

test('a bot that had only open trades when it was moved gets their history once they are closed', async () => {
  const source = writeFreqtradeFile(file, [anOpenFreqtradeTrade(2)]);
  await run();
  const { id } = await onlyBot();
  source.exec(
    "update trades set is_open = 0, close_date = '2026-01-02 09:00:00', close_rate = 190, close_profit = -0.05, close_profit_abs = -5 where id = 2",
  );
  source.close();
  expect((await run())[0]).toBe('The bot "Harbour" gets 1 closed trade more; 0 were there. Its settings stay as they are.');
  expect(await onlyBot()).toMatchObject({ id, trades: 1 });
});

test('two that are started at once make one bot', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
  let both: Promise<string[]> = Promise.resolve([]);
  await db.transaction().execute(async (trx) => {
    await sql`lock table imported_keys in share row exclusive mode`.execute(trx);
    both = Promise.all([refused(), refused({ words: ['--nickname', 'Second'] })]);
    await untilWaiting(db, 2);
  });
  const said = await both;
  expect(await counts()).toMatchObject({ bots: 1, trades: 1, audit: 1 });
  expect(said.filter((text) => text.startsWith('done: The bot "')).length).toBeGreaterThanOrEqual(1);
});

describe('a strategy of a file', () => {
  const strategy = (name: string, more = ''): string =>
    `import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
const one: Strategy = {
  name: '${name}', title: '${name} moved', description: 'Says nothing.', losesWhen: 'Never.', kind: 'test', canShort: false, startupCandles: 20,
  defaults: { timeframe: '15m', stoploss: -0.05, minimalRoi: { 0: 0.02 }, trailingStop: true, trailingStopPositive: 0.01, trailingStopPositiveOffset: 0.02, trailingOnlyOffsetIsReached: true },
  parameters: {},
  compute: (candles) => noSignals(candles.close.length),
};
export default one;
${more}`;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const there = (): string[] => (existsSync(join(home, 'strategies')) ? readdirSync(join(home, 'strategies')) : []);

  test('is checked, entered and copied into the folder with the bot, and its settings fill what the configuration leaves out', async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    config = configured({ trailing_stop_positive: 0.015, strategy: 'Elsewhere' });
    const path = write('moved.ts', strategy('Moved'));
    expect(await run({ words: ['--strategy', path, '--dry-run'] })).toContain(
      'Its strategy would lie in the folder of strategies: moved.ts.',
    );
    expect([await counts(), there()]).toEqual([nothing, []]);
    const lines = await run({ words: ['--strategy', path] });
    expect(lines).toContain('Its strategy lies in the folder of strategies: moved.ts.');
    expect(lines[0]).toContain('Moved on sandbox spot, 15m,');
    expect(there()).toEqual(['moved.ts']);
    expect(readFileSync(join(home, 'strategies', 'moved.ts'), 'utf8')).toBe(readFileSync(path, 'utf8'));
    expect(await onlyBot()).toMatchObject({
      strategyClass: 'Moved',
      codeNumber: 1,
      ownSettings: { trailingStop: true, trailingStopPositive: 0.015, trailingStopPositiveOffset: 0.02, trailingOnlyOffsetIsReached: true },
    });
    const [noted] = await db.selectFrom('strategyFiles').select(['path', 'state', 'strategies']).execute();
    expect(noted).toEqual({ path: 'moved.ts', state: 'ready', strategies: ['Moved'] });
  });

  test.skipIf(testPython === null)(needsPython('in Python comes with the file of its parameters'), async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    config = configured({ strategy: 'Dips', trailing_stop: true });
    const both = classText('Dips', { fields: 'timeframe = "15m"' }) + classText('Others').replace('import pandas', '');
    const path = write('dips.py', both);
    write('dips.json', '{"strategy_name": "Dips", "params": {}}');
    expect((await run({ words: ['--strategy', path] }))[0]).toContain('Dips on sandbox spot, 15m,');
    expect(there().toSorted()).toEqual(['dips.json', 'dips.py']);
    expect(await onlyBot()).toMatchObject({ strategyClass: 'Dips', codeNumber: 1, ownSettings: { stoploss: -0.07, trailingStop: true } });
  });

  test('that fails its checks imports nothing', async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    expect(await refused({ words: ['--strategy', write('broken.ts', 'export default {{;')] })).toMatch(
      /^StrategyError: broken\.ts cannot be loaded/u,
    );
    expect(await refused({ words: ['--strategy', join(folder, 'none.ts')] })).toBe(
      `CommandError: There is no file ${join(folder, 'none.ts')}.`,
    );
    expect(await refused({ words: ['--strategy', write('some.test.ts', strategy('Some'))] })).toContain(
      'is not the name of a strategy’s file',
    );
    expect(await refused({ words: ['--strategy', `${write('moved.ts', strategy('Moved'))}#Other`] })).toBe(
      'CommandError: moved.ts has Moved: say which is meant, as in --strategy moved.ts#Moved.',
    );
    expect([await counts(), there()]).toEqual([nothing, []]);
  });

  test('is never written over another of its name', async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    mkdirSync(join(home, 'strategies'));
    writeFileSync(join(home, 'strategies', 'moved.ts'), 'mine');
    const path = write('moved.ts', strategy('Moved'));
    expect(await refused({ words: ['--strategy', path] })).toBe(
      `CommandError: ${join(home, 'strategies', 'moved.ts')} is there already with another text: give yours another name.`,
    );
    expect(readFileSync(join(home, 'strategies', 'moved.ts'), 'utf8')).toBe('mine');
    writeFileSync(join(home, 'strategies', 'moved.ts'), readFileSync(path));
    expect(await run({ words: ['--strategy', path] })).toContain('Its strategy lies in the folder of strategies: moved.ts.');
  });

  test('is taken away again when the bot cannot be made after all', async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    // The last thing that is written of a bot fails.
    await sql`create function refuse_bots() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`.execute(db);
    await sql`create constraint trigger refuse_bots after insert on bots deferrable initially deferred for each row execute function refuse_bots()`.execute(
      db,
    );
    const path = write('moved.ts', strategy('Moved'));
    try {
      expect(await refused({ words: ['--strategy', path] })).toContain('no room');
      expect([await counts(), there()]).toEqual([nothing, []]);
      // One that was there before is somebody's.
      copyFileSync(path, join(home, 'strategies', 'moved.ts'));
      expect(await refused({ words: ['--strategy', path] })).toContain('no room');
    } finally {
      await sql`drop trigger refuse_bots on bots`.execute(db);
      await sql`drop function refuse_bots`.execute(db);
    }
    expect([await counts(), there()]).toEqual([nothing, ['moved.ts']]);
  });

  test('that cannot run where the bot is to trade makes no bot', async () => {
    writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
    const reads = strategy('Reads').replace('startupCandles: 20,', "startupCandles: 20, series: [{ symbol: 'NONE/USDT' }],");
    expect(await refused({ words: ['--strategy', write('reads.ts', reads)] })).toBe(
      'CommandError: The strategy cannot run here: There is no pair NONE/USDT.',
    );
    expect([await counts(), there()]).toEqual([nothing, []]);
  });
});

describe('is refused in one sentence, and imports nothing:', () => {
  beforeEach(() => writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close());

  const withConfiguration =
    (given: object): (() => Promise<Given>) =>
    async () => {
      config = configured(given);
      return {};
    };
  const withPairs = (name: string, pair: string) => withConfiguration({ exchange: { name, pair_whitelist: [pair] } });

  test.each<[string, () => Promise<Given>, string | RegExp]>([
    [
      'an owner that is not there',
      async () => ({ owner: 'nobody@example.com' }),
      'There is no account with the e-mail or name nobody@example.com.',
    ],
    [
      'an exchange that is not offered',
      async () => ({ exchange: 'nowhere' }),
      /^The exchange nowhere is not offered here; give --exchange and one of sandbox, binance, /u,
    ],
    [
      'a strategy that is not there',
      async () => ({ words: ['--strategy', 'Gone'] }),
      'There is no strategy Gone: give its file, or one that flotilla strategies lists.',
    ],
    ['a leverage that no bot can have', withConfiguration({ leverage: 500 }), 'Leverage must be between 1.0 and 125.0.'],
    ['a stake that no bot can have', withConfiguration({ stake_amount: 1e-9 }), 'Stake amount must be positive.'],
    [
      'stops that contradict each other',
      withConfiguration({ trailing_stop: true, trailing_stop_positive: 0.03, trailing_stop_positive_offset: 0.02 }),
      'Trailing stop offset must be above the positive trailing stop.',
    ],
    [
      'pairs that the exchange has none of',
      withPairs('binance', 'NOSUCH/USDT'),
      /^sandbox offers none of the pairs in USDT \(NOSUCH\/USDT\)/u,
    ],
    ['a pattern that is none', withPairs('binance', '(/USDT'), 'The entry "(/USDT" of "exchange.pair_whitelist" is not a valid pattern.'],
    ['trades of another exchange', withPairs('kraken', 'BTC/USDT'), /^Trade 1 was made at binance, and the configuration names kraken/u],
    ['another currency', withConfiguration({ stake_currency: 'USDC' }), /^Trade 1 was made with USDT, and the bot has USDC/u],
    [
      'a name that is taken',
      async () => {
        await run();
        file = `${file}2`;
        writeFreqtradeFile(file, [aFreqtradeTrade(9)]).close();
        return {};
      },
      'mira@example.com has a bot named "Harbour" already: choose another name with --nickname.',
    ],
    [
      'trades of somebody else’s bot',
      async () => {
        await run();
        return { owner: (await person(`ann-${made}@example.com`)).email };
      },
      'The trades of this database are those of the bot "Harbour" of mira@example.com already.',
    ],
    [
      'a bot that has been given another currency',
      async () => {
        await run();
        await sql`update bots set stake_currency = 'USDC'`.execute(db);
        return {};
      },
      /^The bot "Harbour" has been given USDC since/u,
    ],
    [
      'an owner who is not verified',
      async () => ({ owner: (await person(`new-${made}@example.com`, false)).email }),
      /is not verified: an admin verifies it under Users\.$/u,
    ],
    [
      'two people of one name',
      async () => {
        await person('Twin@one.example.com');
        await person('Twin@two.example.com');
        return { owner: 'twin' };
      },
      '2 people are called twin: give the e-mail of the one that is meant.',
    ],
    [
      'a database of another version of the product',
      async () => {
        await sql`update kysely_migration set name = '9999-later' where name = '0070-imported-trades'`.execute(db);
        return {};
      },
      'The database is of another version of Flotilla: start this version once, and try again.',
    ],
    [
      'nothing to import',
      async () => ({ words: ['--config', join(folder, 'none.json')] }),
      /^The configuration .*none\.json cannot be read/u,
    ],
  ])('%s', async (_what, prepare, sentence) => {
    try {
      const given = await prepare();
      const before = await counts();
      const said = (await refused(given)).replace('CommandError: ', '');
      if (typeof sentence === 'string') expect(said).toBe(sentence);
      else expect(said).toMatch(sentence);
      expect(said).not.toMatch(/^done|\n/u);
      expect(await counts()).toEqual(before);
    } finally {
      await sql`update kysely_migration set name = '0070-imported-trades' where name = '9999-later'`.execute(db);
    }
  });
});

test('what has to be given is asked for', async () => {
  const given = importFreqtradeCommand(['--db', 'x'], () => {}, {
    config: async () => readConfig({}, '/'),
    startSandbox: startSandboxProcess,
  });
  await expect(given).rejects.toThrow('Give --config FILE, --db FILE and --owner NAME');
});
