import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { holdInstance } from '#processes/instance.ts';

const scripts = join(import.meta.dirname, '../scripts');
const folder = mkdtempSync(join(tmpdir(), 'flotilla-scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A clone with these scripts, a program in the product's place, and an npm that only notes that it was asked. */
let clone = '';
let home = '';
let clones = 0;
beforeEach(() => {
  clone = join(folder, `clone-${++clones}`);
  home = join(clone, '.flotilla');
  for (const place of ['node_modules', 'src/web', 'src/contract', 'src/engine', 'dist/web', 'bin', '.flotilla'])
    mkdirSync(join(clone, place), { recursive: true });
  cpSync(scripts, join(clone, 'scripts'), { recursive: true });
  write('package.json', '{ "type": "module" }');
  write('vite.config.ts', '');
  write('package-lock.json', 'of the newest version');
  write('bin/npm', `#!/bin/sh\necho "$@" > ${join(clone, 'npm-was-asked')}\n`);
  chmodSync(join(clone, 'bin/npm'), 0o755);
  write('src/main.ts', "process.stdout.write(`ran ${process.argv.slice(2).join(' ')}\\n`);");
  write('scripts/build.mjs', "process.stdout.write('built\\n');");
});

const write = (file: string, text: string): void => writeFileSync(join(clone, file), text);

/** Starts a script as a terminal does: in a group of its own, which Ctrl-C goes to. */
function start(script: string, words: readonly string[] = [], env: Record<string, string> = {}) {
  const path = `${join(clone, 'bin')}:${process.env['PATH']}`;
  const child = spawn(process.execPath, [join(clone, 'scripts', script), ...words], {
    cwd: clone,
    env: { PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const closed = Promise.all([once(child, 'exit'), once(child, 'close')]).then(([[code]]) => ({ code: code as number | null, out }));
  return { child, closed, out: () => out };
}

const run = async (script: string, words: readonly string[] = [], env: Record<string, string> = {}) => start(script, words, env).closed;
const npmWasAsked = (): boolean => existsSync(join(clone, 'npm-was-asked'));

describe('while the product runs', () => {
  test.each(['flotilla.mjs', 'start.mjs'])('%s does not install other packages under it, and says what to do', async (script) => {
    write('node_modules/.flotilla-lock', 'of the version that runs');
    const instance = holdInstance(home);
    try {
      expect(await run(script, ['backup'])).toEqual({
        code: 1,
        out: `The packages of Flotilla have changed, and it is running with the instance folder ${home}. Stop it first, then do this again.\n`,
      });
      expect(npmWasAsked()).toBe(false);
      const elsewhere = await run(script, ['backup'], { FLOTILLA_HOME: join(clone, 'bin') });
      expect(elsewhere.code, elsewhere.out).toBe(0);
      expect(npmWasAsked()).toBe(true);
    } finally {
      instance.release();
    }
  });

  test('its page is not built again, and with nothing new all goes on as ever', async () => {
    expect((await run('start.mjs')).out).toMatch(/^Installing packages .*\nBuilding the page \.\.\.\nbuilt\nran serve\n$/u);
    rmSync(join(clone, 'npm-was-asked'));
    const instance = holdInstance(home);
    try {
      expect(await run('flotilla.mjs', ['backup', 'to'])).toEqual({ code: 0, out: 'ran backup to\n' });
      expect(await run('flotilla.mjs', ['serve', '--role'])).toEqual({ code: 0, out: 'ran serve --role\n' });
      write('src/web/page.ts', 'of the newest version');
      expect(await run('flotilla.mjs', ['backup', 'to'])).toEqual({ code: 0, out: 'ran backup to\n' });
      const page = `The page of Flotilla has changed, and it is running with the instance folder ${home}. Stop it first, then do this again.\n`;
      expect(await run('start.mjs', [], { FLOTILLA_HOME: '.flotilla' })).toEqual({ code: 1, out: page });
      expect(await run('flotilla.mjs', ['serve'], { INIT_CWD: join(clone, 'src'), FLOTILLA_HOME: '../.flotilla' })).toMatchObject({
        out: page,
      });
    } finally {
      instance.release();
    }
    expect((await run('start.mjs')).out).toMatch(/^Building the page \.\.\.\nbuilt\nran serve\n$/u);
    expect(npmWasAsked()).toBe(false);
  });

  test('a clone beside it is set up: nobody runs on that', async () => {
    for (const place of ['node_modules', 'dist']) rmSync(join(clone, place), { recursive: true });
    write('bin/npm', `#!/bin/sh\nmkdir ${join(clone, 'node_modules')}\n`);
    write('scripts/build.mjs', "import { mkdirSync } from 'node:fs';\nmkdirSync('dist/web', { recursive: true });");
    const instance = holdInstance(home);
    try {
      expect(await run('start.mjs')).toMatchObject({ code: 0, out: expect.stringContaining('ran serve') });
    } finally {
      instance.release();
    }
    expect(readFileSync(join(clone, 'node_modules/.flotilla-lock'), 'utf8')).toMatch(/^[0-9a-f]{64}$/u);
  });
});

describe('a command', () => {
  /** A product that tidies for a moment when it is to end. */
  const tidying = `
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => setTimeout(() => {
      process.stdout.write(name + ': tidied\\n', () => process.exit(130));
    }, 300));
    setInterval(() => {}, 1_000);
    process.stdout.write('works\\n');`;

  test.each(['exchange-check', 'download', 'backup', 'accounts', 'audit-check'])(
    '%s has ended when Ctrl-C gives the prompt back',
    async (name) => {
      await run('flotilla.mjs', ['once']);
      write('src/main.ts', tidying);
      const { child, closed, out } = start('flotilla.mjs', [name]);
      await expect.poll(out).toContain('works');
      process.kill(-child.pid!, 'SIGINT');
      expect(await closed).toEqual({ code: 130, out: 'works\nSIGINT: tidied\n' });
    },
  );

  test('ends as it should when its terminal is closed, also where that is said to the script alone', async () => {
    await run('flotilla.mjs', ['once']);
    write('src/main.ts', tidying);
    const { child, closed, out } = start('flotilla.mjs', ['exchange-check']);
    await expect.poll(out).toContain('works');
    child.kill('SIGHUP');
    expect(await closed).toEqual({ code: 130, out: 'works\nSIGTERM: tidied\n' });
  });

  test('ends with its own exit code', async () => {
    write('src/main.ts', 'process.exit(2);');
    expect(await run('flotilla.mjs', ['once'])).toMatchObject({ code: 2 });
  });
});
