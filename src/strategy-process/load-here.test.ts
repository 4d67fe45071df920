import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

type Said = { title: string } | { fault: string };

/** What a strategy calls itself that has run these statements in a thread of the product; `found` is its title. */
async function titleAfter(statements: string, { onlyImports = false, other = '' } = {}): Promise<Said> {
  const text = `import { emaCross } from '#strategies/ema-cross.ts';
import { sma } from '#engine/indicators/sma.ts';
let found: any = 'nothing';
${statements}
export const evil = { ...emaCross, name: 'Evil', title: String(found) };`;
  const code = { file: 'evil.ts', exportName: 'evil', files: { 'evil.ts': text, 'other.ts': other } };
  const thread = new Worker(new URL('testing/load-thread.ts', import.meta.url), { workerData: { code, onlyImports } });
  try {
    const [said] = (await once(thread, 'message')) as [Said];
    return said;
  } finally {
    await thread.terminate();
  }
}

/** Statements that have a function of the engine make a function of a text, so that its imports are those of the engine's file. */
const inFrameOfEngine = (text: string): string => `
const keep: any[] = [];
const all: any = Function.prototype;
all[Symbol.toPrimitive] = function (this: any) { keep.push(this); return 1; };
const values: any = { length: 5 };
for (const k of [0, 1, 2, 3, 4]) Object.defineProperty(values, k, { get: Function.bind(null, ${JSON.stringify(text)}) });
try { sma(values, 3); } catch (error) { found = error; }
delete all[Symbol.toPrimitive];
try { found = Object.keys(await keep[0]()).includes('readFileSync') ? 'files' : found; } catch (error) { found = error; }`;

test('a strategy that does nothing else is loaded', async () => {
  expect(await titleAfter('')).toEqual({ title: 'nothing' });
  expect(await titleAfter('', { onlyImports: true })).toEqual({ title: 'nothing' });
});

test('a function of the engine makes no function of a text', async () => {
  const said = await titleAfter(inFrameOfEngine('return import("node:fs")'));
  expect(JSON.stringify(said)).not.toContain('files');
  expect(JSON.stringify(await titleAfter(`${inFrameOfEngine('return 1')}; found = keep.length;`))).toBe('{"title":"0"}');
});

test.each([
  ['Function', `Function('return 1')`],
  ['new Function', `new Function('return 1')`],
  ['an inherited constructor', `class Made extends Function {}; new Made('return 1')`],
  ['the constructor of a function', `(() => 1).constructor('return 1')`],
  ['of an asynchronous one', `(async () => 1).constructor('return 1')`],
  ['of a generator', `(function* () {}).constructor('return 1')`],
  ['of an asynchronous generator', `(async function* () {}).constructor('return 1')`],
  ['what those inherit from', `new (Object.getPrototypeOf((async () => 1).constructor))('return 1')`],
  ['the constructor of a class', `URL.constructor('return 1')`],
  ['a constructor that was put back', `Object.defineProperty(Function.prototype, 'constructor', { value: 1 })`],
  ['eval', `eval('1')`],
  ['eval by another name', `(0, globalThis.eval)('1')`],
])('no code is made of a text: %s', async (_, expression) => {
  const said = await titleAfter(`try { ${expression}; found = 'made'; } catch (error) { found = (error as Error).message; }`);
  expect(said).not.toEqual({ title: 'made' });
  expect(said).toHaveProperty(
    'title',
    expect.stringMatching(/must not make code of a text|not defined|not a function|not a constructor|redefine/u),
  );
});

test.each([
  ['node:fs', 'return import("node:fs")'],
  ['fs', 'return import("fs")'],
  ['a file of the program', 'return import("../../vault/master-key.ts")'],
  ['one that the thread has loaded', 'return import("../../strategy-process/load-here.ts")'],
  ['a text', 'return import("data:text/javascript,export const readFileSync = 1")'],
])('whatever a file of the engine imports, it is part of what strategies are made of: %s', async (_, text) => {
  const said = await titleAfter(inFrameOfEngine(text), { onlyImports: true });
  expect(said).toHaveProperty('title', expect.stringMatching(/may not be imported beside a strategy/u));
});

test('a file of the engine that was not needed before can be imported', async () => {
  const said = await titleAfter(inFrameOfEngine(`return import("./rsi.ts").then(({ rsi }) => ({ readFileSync: rsi }))`), {
    onlyImports: true,
  });
  expect(said).toEqual({ title: 'files' });
});

test.each([
  ['how a text begins', `let calls = 0; String.prototype.startsWith = () => { calls += 1; return calls === 1; };`],
  [
    'what a pattern finds',
    `RegExp.prototype.exec = () => ['', '../src/vault', 'master-key.ts'] as never; String.prototype.startsWith = () => true;`,
  ],
  ['what an address says', `(globalThis as any).decodeURI = () => '../../';`],
])('a strategy does not change what decides on its imports: %s', async (_, statements) => {
  for (const specifier of ['node:fs', '#engine/../vault/master-key.ts'])
    expect(
      await titleAfter(`${statements} try { found = Object.keys(await import('${specifier}')); } catch (error) { found = error; }`),
    ).toHaveProperty('title', expect.stringMatching(/a strategy may import #engine/u));
});

test('what thread and strategies share of memory is cleared', async () => {
  const said =
    await titleAfter(`const parts = Array.from({ length: 50 }, () => [Buffer.allocUnsafe(5_000), Buffer.allocUnsafeSlow(50_000)]).flat();
try { Buffer.poolSize = 8_192; } catch {}
const text = Buffer.from('text');
found = [parts.every((part) => part.every((byte) => byte === 0)), text.buffer.byteLength, Buffer.concat([text]).buffer.byteLength];`);
  expect(said).toEqual({ title: 'true,4,4' });
});
