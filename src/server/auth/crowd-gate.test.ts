import { expect, test } from 'vitest';
import { CrowdGate } from './crowd-gate.ts';
import { hashedAtOnce } from './passwords.ts';

const most = hashedAtOnce + 64;

test('OP-22 as many are let in at a time as passwords are checked and wait, whoever leaves makes room, also by failing', async () => {
  const gate = new CrowdGate();
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const enter = () => gate.pass(() => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })));
  const inside = Array.from({ length: most }, enter);
  await expect(enter()).rejects.toMatchObject({ status: 429, message: 'Too many requests. Please try again later.' });
  expect(ends).toHaveLength(most);
  ends[0]?.resolve();
  await inside[0];
  const another = enter();
  ends[1]?.reject(new Error('failed'));
  await expect(inside[1]).rejects.toThrow('failed');
  const last = enter();
  await expect(enter()).rejects.toMatchObject({ status: 429 });
  for (const end of ends) end.resolve();
  await Promise.all([another, last, ...inside.slice(2)]);
});
