import { pushKeysFact, readFact } from '#storage/installation/facts.ts';
import { pushSecrets } from '#vault/push-secrets.ts';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { openPushKeys, resealPushKeys } from './push-keys.ts';

const { db } = await freshDatabase();
const secrets = pushSecrets(Buffer.alloc(32, 1));

test('keys are made once, also by two processes that start at the same moment, and lie sealed', async () => {
  const [one, other] = await Promise.all([openPushKeys(db, secrets), openPushKeys(db, secrets)]);
  expect(other).toEqual(one);
  expect(await openPushKeys(db, secrets)).toEqual(one);
  const stored = JSON.stringify(await readFact(db, pushKeysFact));
  expect(stored).toContain('"ct"');
  expect(stored).not.toContain(one.publicKey);
  expect(stored).not.toContain('PRIVATE KEY');
});

test('a change of the key keeps them, and after a lost one others are made', async () => {
  const before = await openPushKeys(db, secrets);
  const next = pushSecrets(Buffer.alloc(32, 2));
  expect(await resealPushKeys(db, secrets, next)).toBe(1);
  expect(await openPushKeys(db, next)).toEqual(before);
  const other = await openPushKeys(db, pushSecrets(Buffer.alloc(32, 3)));
  expect(other).not.toEqual(before);
  expect(await openPushKeys(db, pushSecrets(Buffer.alloc(32, 3)))).toEqual(other);
});
