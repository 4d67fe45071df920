import { setImmediate as nextPass } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Turns on a clock that only calculations move. Each says its name when it is made. */
function byHand() {
  let time = 0; // ms
  const made: string[] = [];
  const turns = new Turns(
    () => time,
    () => time,
  );
  const take = (people: string | string[], name: string, ms: number, patienceMs = Infinity) =>
    turns.take(
      [people].flat(),
      () => {
        time += ms;
        made.push(name);
        return name;
      },
      { patienceMs, late: () => `${name} is late` },
    );
  /** One after the other, as they come at the close of a candle. */
  const takeMany = (person: string, count: number, ms: number) =>
    Array.from({ length: count }, (_, i) => take(person, `${person} ${i + 1}`, ms));
  return { turns, take, takeMany, made, pass: (ms: number) => (time += ms) };
}

const answerOf = async (taken: ReturnType<ReturnType<typeof byHand>['take']>) => await ('now' in taken ? taken.now : taken.answer);

test('what takes little is made at once, and so is what comes when nothing waits any more', async () => {
  const { take, takeMany, made } = byHand();
  expect(takeMany('anna', 5, 1).map((taken) => 'now' in taken)).toEqual([true, true, true, true, true]);
  const [, , , waiting] = takeMany('anna', 4, 2);
  expect(['now' in waiting, made.length]).toEqual([false, 8]); // ten milliseconds are used
  expect(await answerOf(waiting)).toBe('anna 4');
  await nextPass();
  expect(take('anna', 'next candle', 1)).toEqual({ now: 'next candle' });
});

test('of many calculations of one person timers and sockets wait for ten milliseconds at most', async () => {
  const { takeMany, made } = byHand();
  takeMany('anna', 40, 3);
  const counts = [made.length];
  for (let i = 0; i < 3; i++) {
    await nextPass();
    counts.push(made.length);
  }
  expect(counts).toEqual([4, 8, 12, 16]);
});

test('who has little to calculate does not wait for all of who has much', async () => {
  const { takeMany, made } = byHand();
  const heavy = takeMany('anna', 50, 40);
  const light = takeMany('ben', 3, 1);
  await Promise.all(light.map(answerOf));
  expect(made.filter((name) => name.startsWith('anna')).length).toBeLessThanOrEqual(3); // one at once, and one at each turn
  expect(made).toContain('ben 3');
  await Promise.all(heavy.map(answerOf));
});

test.each([
  [20, 1, 5],
  [9, 1, 1],
  [1, 9, 3],
])('each person is given the same time, however much one calculation takes: %i, %i and %i ms', async (...each) => {
  const { takeMany, made } = byHand();
  const people = ['anna', 'ben', 'cleo'];
  const work = people.map((person, i) => takeMany(person, Math.ceil(900 / (each[i] ?? 1)), each[i] ?? 1));
  const msOf = (i: number) => made.filter((name) => name.startsWith(people[i] ?? '')).length * (each[i] ?? 1);
  while (made.length < 100) await nextPass();
  const [most, least] = [Math.max(...people.map((_, i) => msOf(i))), Math.min(...people.map((_, i) => msOf(i)))];
  expect(most - least).toBeLessThanOrEqual(10 + 2 * Math.max(...each)); // at first one alone was made at once
  await Promise.all(work.flat().map(answerOf));
});

test('what can wait is made when the person has nothing else, and others do not wait for it', async () => {
  const { turns, takeMany, made } = byHand();
  const canWait = (person: string, name: string) =>
    turns.take([person], () => made.push(name), { patienceMs: Infinity, late: () => 0, canWait: true });
  takeMany('anna', 2, 10);
  canWait('anna', 'anna later');
  takeMany('anna', 2, 10);
  canWait('ben', 'ben later');
  for (let i = 0; i < 6; i++) await nextPass();
  expect(made.filter((name) => name.startsWith('anna'))).toEqual(['anna 1', 'anna 2', 'anna 1', 'anna 2', 'anna later']);
  expect(made.indexOf('ben later')).toBeLessThan(3);
});

test('the calculations of a person are made in the sequence in which they came, those that came while others waited, too', async () => {
  const { take, takeMany, made } = byHand();
  takeMany('anna', 3, 10);
  await nextPass();
  const last = take('anna', 'anna 4', 1);
  expect('now' in last).toBe(false);
  await answerOf(last);
  expect(made).toEqual(['anna 1', 'anna 2', 'anna 3', 'anna 4']);
});

test('one that several wait for is made once, at the turn that comes first; who joins later is as well off', async () => {
  const { take, takeMany, made } = byHand();
  takeMany('anna', 50, 40);
  const shared = take(['anna', 'ben'], 'shared', 1);
  const joined = take('anna', 'joined', 1);
  if ('now' in shared || 'now' in joined) return expect.fail('nothing is made at once here');
  joined.alsoFor('cleo');
  await Promise.all([shared.answer, joined.answer]);
  expect(made.length).toBeLessThan(6);
  joined.alsoFor('dora'); // it is made already
  await answerOf(take('dora', 'own', 1));
  expect(made.filter((name) => name === 'shared' || name === 'joined')).toHaveLength(2);
});

test('one that has waited for too long is not made, and says so; the others are', async () => {
  const { take, takeMany, made, pass } = byHand();
  takeMany('anna', 2, 10);
  const late = take('anna', 'late', 1, 30);
  const patient = take('anna', 'patient', 1, 31);
  pass(21); // with those before it 31 ms since it came
  expect(await Promise.all([late, patient].map(answerOf))).toEqual(['late is late', 'patient']);
  expect(made).not.toContain('late');
});

test('one that fails rejects its own answer alone, and throws where it is made at once', async () => {
  const { turns, take, takeMany } = byHand();
  const late = () => expect.fail('it is not late');
  const fails = () => {
    throw new Error('it fails');
  };
  expect(() => turns.take(['anna'], fails, { patienceMs: 1, late })).toThrow('it fails');
  takeMany('anna', 1, 10);
  const failing = turns.take(['anna'], fails, { patienceMs: 1, late });
  const next = take('anna', 'next', 1);
  if ('now' in failing) return expect.fail('nothing is made at once here');
  await expect(failing.answer).rejects.toThrow('it fails');
  expect(await answerOf(next)).toBe('next');
});

test('time is that of the processor: who was kept waiting by other programs has used none', () => {
  const turns = new Turns();
  const until = performance.now() + 30;
  const shared = new Int32Array(new SharedArrayBuffer(4));
  turns.take(['anna'], () => Atomics.wait(shared, 0, 0, 30), { patienceMs: 1, late: () => 'timed-out' as const });
  expect(performance.now()).toBeGreaterThanOrEqual(until);
  expect(turns.take(['anna'], () => 'now', { patienceMs: 1, late: () => 'late' })).toEqual({ now: 'now' });
});
