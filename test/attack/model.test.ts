import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { Markets } from '#feeds/markets.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { roles } from '#contract/fields.ts';
import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { addTestBot } from '../support/test-bot.ts';
import { startTestServer } from '../support/test-server.ts';
import { makeRealWorld, stateOf } from './model-server.ts';
import type { Action, World } from './model-world.ts';
import { afterAction, wrongWord } from './model-world.ts';
import { report, runSize } from '../support/run-size.ts';

// Users, roles, verification, sessions, keys and the status of bots in random sequences, compared with a model that fits
// on a page; then the same by two people at once: npm run torture model [RUNS] [SEED]

const { size, seed } = runSize(8);
const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const server = await startTestServer({
  markets: new Markets([{ id: 'sandbox', name: 'Sandbox' }], () => Promise.reject(new Error('no market in this test'))),
  checkKey: exchangeKeyCheck({ sandboxUrl: sandbox.url }),
  newSandboxKey: sandboxKeys(sandbox.url),
});
const botId = await addTestBot(server.dependencies.db, { strategy: 'RsiReversal', status: 'paused' });

const firstWorld: World = {
  people: [
    { role: 'admin', verified: true, emailVerified: true, word: 0 },
    { role: 'trader', verified: true, emailVerified: true, word: 0 },
    { role: 'operator', verified: false, emailVerified: true, word: 0 },
    { role: 'investor', verified: true, emailVerified: false, word: 0 },
  ],
  bots: Array.from({ length: 4 }, () => ({ status: 'paused', mode: 'paper', key: null })),
  keys: [],
  sessions: [0, 1, 2].map((person) => ({ person, isLive: true })),
  browsers: [0, 1, 2, null],
};

/** What is done in one of these browsers. The first of them mostly is the admin's. */
function actionIn(...browsers: number[]): fc.Arbitrary<Action> {
  const browser = fc.constantFrom(...browsers);
  const person = fc.nat(3);
  const label = fc.constantFrom('one', 'two', 'three').map((text) => `${text} of ${browsers.join()}`);
  const status = fc.constantFrom('active', 'paused', 'stopped');
  const simple = fc.constantFrom('sign out', 'renew', 'who am I', 'count sessions', 'end other sessions');
  const oneOf = (...weighted: [number, object][]) =>
    fc.oneof(...weighted.map(([weight, model]) => ({ weight, arbitrary: fc.record(model as Record<string, fc.Arbitrary<unknown>>) })));
  const others = oneOf(
    [3, { do: fc.constant('sign in'), browser, person, word: fc.constantFrom(0, 0, 0, 1, wrongWord) }],
    [2, { do: fc.constant('sign in'), browser, person: fc.constant(0), word: fc.constant(0) }],
    [4, { do: simple, browser }],
    [1, { do: fc.constant('change password'), browser, word: fc.nat(1) }],
    [2, { do: fc.constant('change role'), browser, person, role: fc.constantFrom(...roles) }],
    [2, { do: fc.constant('verify'), browser, person, verified: fc.boolean(), emailVerified: fc.boolean() }],
    [2, { do: fc.constantFrom('set status', 'set status as admin'), browser, person, status }],
    [2, { do: fc.constant('set mode'), browser, person, mode: fc.constantFrom('paper', 'live') }],
    [2, { do: fc.constant('add key'), browser, label, toBot: fc.boolean() }],
    [1, { do: fc.constant('delete key'), browser, label }],
  ) as fc.Arbitrary<Action>;
  // In the beginning everybody's own browser has their own number: so most of these are about the own bot.
  const ownStart = fc
    .constantFrom(...browsers)
    .map((self): Action => ({ do: 'set status', browser: self, person: self, status: 'active' }));
  return fc.oneof({ weight: 2, arbitrary: ownStart }, { weight: 21, arbitrary: others });
}

const run = { seed, numRuns: size, endOnFailure: false } as const;

test(`ROLE-05, OP-19, OP-39 ${size} random sequences of actions from seed ${seed} go as in the model`, async () => {
  let actions = 0;
  const answers = new Map<string, number>();
  const property = fc.asyncProperty(fc.array(actionIn(0, 1, 2, 3), { minLength: 5, maxLength: 20 }), async (sequence) => {
    server.pass(25 * 3_600_000);
    const real = await makeRealWorld(server, firstWorld, botId);
    let world = firstWorld;
    for (const action of sequence) {
      if (action.do === 'add key' && world.keys.some(({ label }) => label === action.label)) continue; // a label is a name here
      const expected = afterAction(world, action);
      const answer = await real.do(action);
      expect({ action, answer }).toEqual({ action, answer: expected.answer });
      world = expected.world;
      actions += 1;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    expect(await real.state()).toEqual(stateOf(world));
  });
  await fc.assert(property, run);
  report(`model, seed ${seed}: ${size} sequences, ${actions} actions, ${answers.size} different answers`);
  expect(answers.size).toBeGreaterThan(12);
});

test(`ROLE-05, OP-19, OP-39 ${size} pairs of sequences at once from seed ${seed} go as one after the other in some order`, async () => {
  let actions = 0;
  const sequence = (...browsers: number[]) => fc.array(actionIn(...browsers), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(sequence(0, 2), sequence(1, 3), async (one, two) => {
    server.pass(25 * 3_600_000);
    const real = await makeRealWorld(server, firstWorld, botId);
    const doAll = async (sequenceOfOne: Action[]): Promise<Done[]> => {
      const done: Done[] = [];
      const labels = new Set<string>();
      for (const action of sequenceOfOne) {
        if (action.do === 'add key' && labels.size === labels.add(action.label).size) continue;
        done.push({ action, answer: await real.do(action) });
      }
      return done;
    };
    const [first, second] = await Promise.all([doAll(one), doAll(two)]);
    actions += first.length + second.length;
    const state = await real.state();
    expect(isExplained(firstWorld, first, second, state), JSON.stringify({ first, second, state }, null, 1)).toBe(true);
  });
  await fc.assert(property, run);
  report(`model, seed ${seed}: ${size} pairs of sequences at once, ${actions} actions`);
});

interface Done {
  action: Action;
  answer: string;
}

/** Whether some order of both sequences, each kept in its own, gives these answers and this state. */
function isExplained(world: World, first: readonly Done[], second: readonly Done[], state: unknown): boolean {
  if (first.length === 0 && second.length === 0) return isDeepStrictEqual(stateOf(world), state);
  const begins = (done: readonly Done[], rest: (after: World) => boolean): boolean => {
    const [next] = done;
    if (next === undefined) return false;
    const expected = afterAction(world, next.action);
    return expected.answer === next.answer && rest(expected.world);
  };
  return (
    begins(first, (after) => isExplained(after, first.slice(1), second, state)) ||
    begins(second, (after) => isExplained(after, first, second.slice(1), state))
  );
}
