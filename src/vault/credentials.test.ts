import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { sealCredentials } from './credentials.ts';
import { openCredentials } from './open-credentials.ts';
import { openingKey } from './opening.ts';
import { sealingKey } from './sealing.ts';

const master = Buffer.alloc(32, 5);
const row = { id: 'key-1', userId: 'person-1' };
const credentials = { key: 'the-key', secret: 'the-secret', passphrase: null };

test('the key of an account opens in its own row only', async () => {
  const sealed = await sealCredentials(await sealingKey(master), row, credentials);
  const opening = await openingKey(master);
  const { key, secret, passphrase } = await openCredentials(opening, { ...row, sealed });
  expect({ key, secret, passphrase }).toEqual(credentials);
  await expect(openCredentials(opening, { ...row, userId: 'person-2', sealed })).rejects.toThrow('belongs to another place');
  await expect(openCredentials(opening, { ...row, id: 'key-2', sealed })).rejects.toThrow('belongs to another place');
});

test('printed or logged an opened key shows nothing', async () => {
  const sealed = await sealCredentials(await sealingKey(master), row, { ...credentials, passphrase: 'the-passphrase' });
  const opened = await openCredentials(await openingKey(master), { ...row, sealed });
  for (const text of [inspect(opened), inspect({ deep: { opened } }), JSON.stringify({ opened }), JSON.stringify([opened])])
    expect(text).not.toMatch(/the-/u);
});
