import { expect, test } from 'vitest';
import { runPart, startPart } from './child-process.ts';

const lives = ['-e', 'setInterval(() => {}, 1_000)'];

test('a process that is run to its end is ended when the product is told to stop', async () => {
  await expect(runPart(lives, {}, Promise.resolve())).rejects.toThrow('The preparation ended early (SIGTERM)');
});

test('who waits for a part that ends while the product is being stopped is told', async () => {
  const part = startPart({
    name: 'part',
    args: ['-e', ''],
    environment: {},
    readyFrom: 'message',
    say: () => {},
    isStopping: () => true,
  });
  await expect(part.ready).rejects.toThrow('The part was stopped before it was ready.');
});
