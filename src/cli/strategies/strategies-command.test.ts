import { noPython } from '#strategy-process/python/find-python.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '#processes/config.ts';
import { keepStrategyFolder } from '#processes/strategy-folder.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { sql } from 'kysely';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { addTestRules } from '../../../test/support/test-rules.ts';
import { newStrategyCommand } from './new-strategy-command.ts';
import { strategiesCommand } from './strategies-command.ts';

const { db, url } = await freshDatabase();
const home = mkdtempSync(join(tmpdir(), 'flotilla-strategies-'));
const folder = join(home, 'strategies');
afterAll(() => rmSync(home, { recursive: true }));

const lines: string[] = [];
const say = (line: string): void => void lines.push(line);
const listed = async () => {
  lines.length = 0;
  const code = await strategiesCommand(readConfig({ DATABASE_URL: url }, '/'), say);
  return { code, lines };
};

test('what new-strategy writes passes its own test and the checks of the product, and is never written over', async () => {
  await addTestBot(db, { strategy: 'EmaCross', nickname: 'Night' });
  newStrategyCommand('NightGap', home, say);
  expect(readdirSync(folder).sort()).toEqual(['night-gap.test.ts', 'night-gap.ts']);
  const { status, stdout } = spawnSync(process.execPath, ['--test', join(folder, 'night-gap.test.ts')], { encoding: 'utf8', env: {} });
  expect([status, /^# pass (\d+)$|pass (\d+)/mu.test(stdout)]).toEqual([0, true]);

  const end = await keepStrategyFolder({
    db,
    folder,
    exchanges: ['sandbox'],
    python: noPython,
    now: () => new Date(),
    log: () => undefined,
  });
  try {
    await expect.poll(async () => (await listStrategies(db)).find(({ className }) => className === 'NightGap')?.codeNumber).toBe(1);
    const good = await listed();
    expect(good.code).toBe(0);
    expect(good.lines).toContainEqual(expect.stringMatching(/^NightGap +file +ready +version 1 +night-gap\.ts +no bot$/u));
    expect(good.lines).toContainEqual(expect.stringMatching(/^EmaCross +built-in +ready +Night$/u));
    writeFileSync(join(folder, 'night-gap.ts'), 'export default {{;');
    await expect.poll(async () => (await listed()).code).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^NightGap +file +refused +version 1/u));
    expect(lines.at(-1)).toContain('night-gap.ts cannot be loaded');
  } finally {
    await end();
  }

  const { strategyId, codeId } = await addTestRules(db, { ...emaCross, title: 'Crossing' }, 'ann@example.com');
  await sql`update bots set strategy_id = ${strategyId}, code_id = ${codeId}`.execute(db);
  await addTestRules(db, { ...emaCross, title: 'Other' });
  const unreadable = await addTestRules(db, { ...emaCross, title: 'Tomorrow' });
  await sql`update strategy_code set document = '{"version": 2}' where id = ${unreadable.codeId}`.execute(db);
  await sql`update strategies set is_shared = true, owner_id = null where id = ${unreadable.strategyId}`.execute(db);
  await listed();
  expect(lines).toContainEqual(expect.stringMatching(/^Crossing +rules +ready +version 1 +ann@example\.com +Night \(version 1\)$/u));
  expect(lines).toContainEqual(expect.stringMatching(/^Other +rules +ready +version 1 +owner@example\.com +no bot$/u));
  expect(lines).toContainEqual(expect.stringMatching(/^Tomorrow +rules +refused +version 1 +nobody, shared +no bot$/u));

  expect(() => newStrategyCommand('NightGap', home, say)).toThrow('is there already');
  expect(readFileSync(join(folder, 'night-gap.ts'), 'utf8')).toBe('export default {{;');
  expect(() => newStrategyCommand('../up', home, say)).toThrow('NAME must be a word');
});
