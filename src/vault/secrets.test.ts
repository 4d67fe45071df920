import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type OpeningKey, openingKey, openSecret } from './opening.ts';
import type { Place, SealedSecret } from './secret-box.ts';
import { type SealingKey, sealingKey, sealSecret } from './sealing.ts';

const master = randomBytes(32);
const place: Place = { table: 'api_keys', column: 'sealed', row: 'row-1', owner: 'person-1' };
const text = '{"key":"abc","secret":"ünïcode 🚀"}';
let seals: SealingKey;
let opens: OpeningKey;
beforeAll(async () => {
  seals = await sealingKey(master);
  opens = await openingKey(master);
});
const changed = (sealed: SealedSecret, field: 'enc' | 'ct', bit: number): SealedSecret => {
  const bytes = Buffer.from(sealed[field], 'base64');
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return { ...sealed, [field]: bytes.toString('base64') };
};

test('what was sealed for a place opens there, at every start, and shows nothing of its text', async () => {
  const sealed = await sealSecret(seals, place, text);
  expect(await openSecret(opens, place, sealed)).toBe(text);
  expect(await openSecret(await openingKey(master), place, JSON.parse(JSON.stringify(sealed)) as SealedSecret)).toBe(text);
  expect(Buffer.from(sealed.ct, 'base64').includes(Buffer.from('abc'))).toBe(false);
  const again = await sealSecret(seals, place, text);
  expect([again.enc, again.ct]).not.toEqual([sealed.enc, sealed.ct]);
});

test('moved to another row, column, table or owner it is refused', async () => {
  const sealed = await sealSecret(seals, place, text);
  for (const other of [{ table: 'strategies' }, { column: 'webhook' }, { row: 'row-2' }, { owner: 'person-2' }])
    await expect(openSecret(opens, { ...place, ...other }, sealed), JSON.stringify(other)).rejects.toThrow('belongs to another place');
});

test('every single changed bit is refused', async () => {
  const sealed = await sealSecret(seals, place, 'short');
  for (const field of ['enc', 'ct'] as const) {
    const bits = Buffer.from(sealed[field], 'base64').length * 8;
    for (let bit = 0; bit < bits; bit += 1) {
      // X25519 ignores the highest bit of a public key (RFC 7748, section 5); the record stays bound to it by the key schedule.
      await expect(openSecret(opens, place, changed(sealed, field, bit)), `${field} ${bit}`).rejects.toThrow('cannot be opened');
    }
  }
});

test('another key says so, whatever the record claims', async () => {
  const other = await openingKey(randomBytes(32));
  const sealed = await sealSecret(seals, place, text);
  await expect(openSecret(other, place, sealed)).rejects.toThrow('sealed with another key');
  await expect(openSecret(other, place, { ...sealed, kid: other.id })).rejects.toThrow('cannot be opened');
  await expect(openSecret(opens, place, { ...sealed, v: 2 as 1 })).rejects.toThrow('sealed with another key');
});

test('what seals cannot open', async () => {
  const sealed = await sealSecret(seals, place, text);
  const asPair = { publicKey: seals.publicKey, privateKey: seals.publicKey };
  await expect(openSecret({ ...seals, pair: asPair }, place, sealed)).rejects.toThrow('cannot be opened');
  expect(Object.keys(seals).toSorted()).toEqual(['id', 'marking', 'publicKey', 'suite']);
});
