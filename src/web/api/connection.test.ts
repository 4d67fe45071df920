import { beforeEach, expect, test } from 'vitest';
import { connectionStore, noteAnswer, noteFailure, onReconnect } from './connection.ts';

beforeEach(() => connectionStore.setState({ answeredAt: null, failingSince: null, failure: null }));

test('an outage begins with its first failure and ends with an answer', () => {
  noteAnswer(1000);
  noteFailure('no-answer', 5000);
  noteFailure('no-answer', 6000);
  expect(connectionStore.getState()).toEqual({ answeredAt: 1000, failingSince: 5000, failure: 'no-answer' });
  noteAnswer(7000);
  expect(connectionStore.getState()).toEqual({ answeredAt: 7000, failingSince: null, failure: null });
});

test('an outage of a second leads to a reload, a shorter one does not', () => {
  const calls: number[] = [];
  const stop = onReconnect(() => calls.push(connectionStore.getState().answeredAt ?? 0));
  noteFailure('no-answer', 10_000);
  noteAnswer(10_999);
  noteFailure('no-answer', 20_000);
  noteAnswer(21_000);
  stop();
  expect(calls).toEqual([21_000]);
});

test('after an outage it is called once; failures and answers that take turns are not an outage', () => {
  const calls: number[] = [];
  const stop = onReconnect(() => calls.push(connectionStore.getState().answeredAt ?? 0));
  noteAnswer(0);
  noteFailure('no-answer', 10_000);
  noteAnswer(15_000);
  expect(calls).toEqual([15_000]);
  for (let time = 20_000; time < 60_000; time += 100) {
    noteFailure('no-answer', time);
    noteAnswer(time + 50);
  }
  expect(calls).toEqual([15_000]);
  // Slow turns: no more than one reload in five seconds.
  for (let time = 60_000; time < 90_000; time += 3000) {
    noteFailure('no-answer', time);
    noteAnswer(time + 1500);
  }
  expect(calls.length).toBeLessThanOrEqual(1 + 6);
  stop();
  noteFailure('no-answer', 100_000);
  noteAnswer(110_000);
  expect(calls).not.toContain(110_000);
});
