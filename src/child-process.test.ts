import { expect, onTestFinished, test, vi } from 'vitest';
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

test('a message is the part’s own, also below node --watch', async () => {
  vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const says = ['--input-type=module', '-e', "await import('node:fs'); process.send('mine');"];
  expect(await runPart(says, {}, new Promise(() => {}))).toBe('mine');
  const part = startPart({
    name: 'part',
    args: [...says.slice(0, 2), `${says[2]} setInterval(() => {}, 1_000);`],
    environment: {},
    readyFrom: 'message',
    say: () => {},
    isStopping: () => false,
  });
  expect(await part.ready).toBe('mine');
  await part.stop();
});
