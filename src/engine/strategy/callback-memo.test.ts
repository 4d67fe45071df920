import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { filledEntries } from '../account/trade.ts';
import { advance } from '../bot/advance.ts';
import type { BotEffect } from '../bot/effect.ts';
import type { BotEvent } from '../bot/event.ts';
import type { BotState } from '../bot/state.ts';
import { context, eventOf, happening, stateWith } from '../bot/testing/random-events.ts';
import type { AnswerNeeded } from './callback-memo.ts';
import { AnswerWithData, CallbackMemo } from './callback-memo.ts';
import type { CallbackName, StrategyCallbacks } from './callbacks.ts';
import { defaultAnswer } from './default-answer.ts';
import { report, runSize } from '../../../test/support/run-size.ts';

// npm run torture memos
const { size: lives, seed } = runSize(300);

/**
 * A strategy with an opinion about everything, and a memory: it answers by how often it was asked, and notes what it was asked. One that is calm does not
 * leave: its trades live long enough to be made larger.
 */
function moody(isCalm = false): { callbacks: StrategyCallbacks; asked: string[] } {
  const asked: string[] = [];
  const turn = (name: string, question: unknown): number => asked.push(`${name} ${JSON.stringify(question)}`);
  return {
    asked,
    callbacks: {
      leverage: (question) => (turn('leverage', question) % 2 === 0 ? 3 : 5),
      entryPrice: (question) => question.proposedPrice * (turn('entryPrice', question) % 3 === 0 ? 0.999 : 1),
      stake: (question) => question.proposedStake * (turn('stake', question) % 2 === 0 ? 1 : 0.5),
      confirmEntry: (question) => turn('confirmEntry', question) % 5 !== 0,
      confirmExit: (question) => turn('confirmExit', question) % 4 !== 0,
      exitPrice: (question) => (turn('exitPrice', question) % 2 === 0 ? null : question.proposedPrice * 1.001),
      customExit: (question) => (turn('customExit', question) % 11 === 0 && !isCalm ? 'enough' : null),
      customStop: (question) => (turn('customStop', question) % 3 === 0 && !isCalm ? -0.05 : null),
      stopAfterFill: true,
      adjustPosition: (question) => {
        const times = turn('adjustPosition', question);
        if (times % 2 === 0) return { stake: question.minStake * 2, tag: 'more' };
        return times % 7 === 0 ? -question.trade.stake / 3 : null;
      },
      roi: (question) => (turn('roi', question) % 7 === 0 && !isCalm ? 0.02 : null),
      adjustOrderPrice: (question) => (turn('adjustOrderPrice', question) % 2 === 0 ? question.order.price : question.proposedPrice),
      isTimedOut: (question) => turn('isTimedOut', question) % 9 === 0,
      orderFilled: (question) => void turn('orderFilled', question),
    },
  };
}

function fail(): never {
  throw new Error('of the step itself');
}

const names = Object.keys(moody().callbacks).filter((name) => name !== 'stopAfterFill') as CallbackName[];

/** A step whose callbacks are asked from outside, one question at a time. */
async function advanceByMemo(
  state: BotState,
  event: BotEvent,
  given: typeof context,
  memo: CallbackMemo,
  strategy: StrategyCallbacks,
): Promise<{ state: BotState; effects: BotEffect[] }> {
  return memo.take(
    () => advance(state, event, { ...given, callbacks: memo.callbacks }),
    async ({ callback, question }) => (strategy[callback] as (question: unknown) => unknown)(question) ?? null,
  );
}

describe('a step that is answered by memo', () => {
  test.each(['simulated', 'exchange'] as const)(
    'equals the step with the callbacks at hand, over random lives; each question is asked once and in its sequence (%s)',
    { timeout: 600_000 + lives * 300 },
    async (execution) => {
      let questions = 0;
      let [trades, larger, adjustments] = [0, 0, 0];
      const given = { ...context, execution, stopsAtExchange: execution === 'exchange' };
      await fc.assert(
        fc.asyncProperty(fc.boolean(), fc.array(happening, { minLength: 30, maxLength: 120 }), async (isCalm, happenings) => {
          const [here, there] = [moody(isCalm), moody(isCalm)];
          const holding = isCalm ? { minimalRoi: {}, trailingStop: false, stoploss: -0.9 } : {};
          const memo = new CallbackMemo(names, true);
          let state = stateWith({ positionAdjustment: true, stakeAmount: 100, ...holding });
          let byMemo = stateWith({ positionAdjustment: true, stakeAmount: 100, ...holding });
          const entries = new Map<number, number>(); // filled, by trade
          for (const [i, each] of happenings.entries()) {
            const event = eventOf(each, i, state);
            if (event === null) continue;
            const before = structuredClone(byMemo);
            const next = advance(state, event, { ...given, callbacks: here.callbacks });
            const other = await advanceByMemo(byMemo, event, given, memo, there.callbacks);
            expect(byMemo).toEqual(before); // dropped drafts have changed nothing
            expect(other.state).toEqual(next.state);
            expect(other.effects).toEqual(next.effects);
            state = next.state;
            byMemo = other.state;
            for (const trade of state.trades) entries.set(trade.id, filledEntries(trade));
          }
          expect(there.asked).toEqual(here.asked);
          questions += there.asked.length;
          trades += state.nextTradeId - 1;
          for (const count of entries.values()) larger += Math.max(0, count - 1);
          adjustments += there.asked.filter((each) => each.startsWith('adjustPosition')).length;
        }),
        { numRuns: lives, seed },
      );
      expect(questions).toBeGreaterThan(lives * 5);
      expect(trades).toBeGreaterThan(lives / 2);
      expect(larger).toBeGreaterThan(lives / 20);
      report(
        `steps by memo (${execution}): ${lives} lives, ${questions} questions (${adjustments} of adjustPosition), ${trades} trades, ${larger} further entries, seed ${seed}`,
      );
    },
  );

  test('a question that a step asks twice is asked twice, and every question of the next step again', async () => {
    const memo = new CallbackMemo(['roi', 'customExit'], false);
    const question = { trade: { id: 1 }, time: 5, minutes: 1, price: 1, profitRatio: 0 } as never;
    const asked: string[] = [];
    const ask = async ({ callback }: AnswerNeeded): Promise<unknown> => asked.push(callback);
    const { callbacks } = memo;
    const step = (): unknown[] => [callbacks.roi?.(question), callbacks.customExit?.(question), callbacks.roi?.(question)];
    expect([await memo.take(step, ask), asked]).toEqual([
      [1, 2, 3],
      ['roi', 'customExit', 'roi'],
    ]);
    expect(await memo.take(step, ask)).toEqual([4, 5, 6]);
    expect(memo.take(() => 7, ask)).toBe(7); // at once, where nothing has to be asked
    const failing = memo.take(step, () => Promise.reject(new Error('no answer')));
    await expect(failing).rejects.toThrow('no answer');
    expect(() => memo.take(() => fail(), ask)).toThrow('of the step itself');
  });

  test('only callbacks that the strategy has are there, and the beginning of a loop is not part of a step', () => {
    expect(new CallbackMemo(['roi', 'loopStart'], true).callbacks).toEqual({ roi: expect.any(Function), stopAfterFill: true });
    expect(new CallbackMemo([], false).callbacks).toEqual({ stopAfterFill: false });
  });
});

test('a callback that has failed counts as the reference has it', () => {
  const entry = { proposedStake: 70, proposedPrice: 9, trade: null };
  const order = { order: { price: 8 } };
  expect(Object.fromEntries([...names, 'loopStart' as const].map((name) => [name, defaultAnswer(name, { ...entry, ...order })]))).toEqual({
    leverage: 1,
    stake: 70,
    entryPrice: 9,
    exitPrice: 9,
    adjustOrderPrice: 8,
    confirmEntry: true,
    confirmExit: true,
    isTimedOut: false,
    customExit: null,
    customStop: null,
    roi: null,
    adjustPosition: null,
    orderFilled: null,
    loopStart: null,
  });
});

test('what a strategy keeps with a trade is put into the draft that asked, and the next question has it', async () => {
  const trade = aTrade();
  const asked: unknown[] = [];
  const memo = new CallbackMemo(['customExit', 'customStop'], false);
  const step = () => {
    const draft = { ...trade };
    const question = { trade: draft, time: 1, price: 2, profitRatio: 0 };
    memo.callbacks.customExit?.(question);
    return { draft, stop: memo.callbacks.customStop?.({ ...question, afterFill: false }) };
  };
  const { draft, stop } = await memo.take(step, async ({ callback, question }) => {
    asked.push((question as { trade: { customData?: object } }).trade.customData);
    return callback === 'customExit' ? new AnswerWithData(null, { seen: 1 }) : -0.1;
  });
  expect(stop).toBe(-0.1);
  expect(draft.customData).toEqual({ seen: 1 });
  expect(asked).toEqual([undefined, { seen: 1 }]); // each once, though the step was taken three times
  expect('customData' in trade).toBe(false); // a draft that is dropped leaves nothing
});
