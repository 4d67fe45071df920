import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { claimFact, readFact, writeFact } from './facts.ts';

const { db } = await freshDatabase();

test('a fact is read as it was written last; one that was never written is null', async () => {
  expect(await readFact(db, 'colour')).toBeNull();
  await writeFact(db, 'colour', { name: 'blue' });
  await writeFact(db, 'shape', false);
  await writeFact(db, 'colour', ['red']);
  expect(await readFact(db, 'colour')).toEqual(['red']);
  expect(await readFact(db, 'shape')).toBe(false);
});

test('of several that claim a fact at once all get the same, and it stays', async () => {
  const claimed = await Promise.all([1, 2, 3, 4].map((n) => claimFact(db, 'first', n)));
  expect(new Set(claimed).size).toBe(1);
  expect(await claimFact(db, 'first', 9)).toBe(claimed[0]);
  expect(await claimFact(db, 'zero', 0)).toBe(0);
});
