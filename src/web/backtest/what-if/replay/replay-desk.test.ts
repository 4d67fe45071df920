import { expect, test } from 'vitest';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { Answer } from './messages.ts';
import { ReplayDesk } from './replay-desk.ts';

const aDesk = () => {
  const asked: [id: number, changes: WhatIfChanges | null][] = [];
  const seen: (WhatIfChanges | null)[] = [];
  let say: (answer: Answer) => void = () => undefined;
  let isClosed = false;
  const desk = new ReplayDesk(
    (answer) => {
      say = answer;
      return { ask: (id, changes) => void asked.push([id, changes]), close: () => void (isClosed = true) };
    },
    (changes) => seen.push(changes),
  );
  return {
    desk,
    asked,
    seen,
    refuse: (id: number) => say({ kind: 'refused', id, reasons: [] }),
    wait: (id: number) => say({ kind: 'waiting', id, text: '' }),
    isClosed: () => isClosed,
  };
};

test('what is real is asked for first; of what comes meanwhile only the newest waits', () => {
  const { desk, asked, seen, refuse } = aDesk();
  desk.replay({ stake: 1 });
  desk.replay({ stake: 2 });
  desk.replay({ stake: 3 });
  expect(asked).toEqual([[1, null]]);
  refuse(1);
  expect(asked).toEqual([
    [1, null],
    [2, { stake: 3 }],
  ]);
  refuse(1); // an answer that comes twice
  refuse(2);
  expect(seen).toEqual([null, { stake: 3 }]);
  desk.replay({ stake: 4 });
  expect(asked.at(-1)).toEqual([3, { stake: 4 }]);
});

test('while the server downloads nothing else is asked', () => {
  const { desk, asked, seen, refuse, wait } = aDesk();
  wait(1);
  desk.replay({ stake: 1 });
  wait(1);
  expect(asked).toHaveLength(1);
  refuse(1);
  expect(asked).toHaveLength(2);
  expect(seen).toEqual([null, null, null]);
});

test('changes that are forgotten are not shown, and hold up nothing', () => {
  const { desk, asked, seen, refuse } = aDesk();
  desk.replay({ stake: 1 });
  refuse(1);
  desk.replay({ stake: 2 });
  desk.forget();
  refuse(2);
  expect(seen).toEqual([null]);
  expect(asked).toHaveLength(2);
  desk.replay({ stake: 3 });
  refuse(3);
  expect(seen).toEqual([null, { stake: 3 }]);
});

test('what is real is shown also when changes are forgotten meanwhile', () => {
  const { desk, seen, refuse } = aDesk();
  desk.forget();
  refuse(1);
  expect(seen).toEqual([null]);
});

test('a closed one asks and shows nothing any more', () => {
  const { desk, asked, seen, refuse, isClosed } = aDesk();
  desk.replay({ stake: 1 });
  desk.close();
  refuse(1);
  expect([asked.length, seen, isClosed()]).toEqual([1, [], true]);
});
