import { expect, test } from 'vitest';
import { strategySecrets } from './strategy-secrets.ts';

const secrets = strategySecrets(Buffer.alloc(32, 1));
const url = 'https://discord.com/api/webhooks/1/canary-ß';

test('a secret of a strategy is opened where it was sealed, and nothing of it shows', () => {
  const sealed = secrets.seal('a', 'webhook', url);
  expect(secrets.open('a', 'webhook', JSON.parse(JSON.stringify(sealed)) as typeof sealed)).toBe(url);
  expect(Buffer.from(sealed.ct, 'base64').toString('latin1')).not.toContain('canary');
  expect(secrets.seal('a', 'webhook', url).ct).not.toBe(sealed.ct);
});

test('moved to another strategy or column, changed in a bit, or under another key it does not open', () => {
  const sealed = secrets.seal('a', 'webhook', url);
  expect(() => secrets.open('b', 'webhook', sealed)).toThrow();
  expect(() => secrets.open('a', 'sheets_key', sealed)).toThrow();
  expect(() => strategySecrets(Buffer.alloc(32, 2)).open('a', 'webhook', sealed)).toThrow();
  const bytes = Buffer.from(sealed.ct, 'base64');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
    expect(() => secrets.open('a', 'webhook', { ...sealed, ct: changed.toString('base64') })).toThrow();
  }
});
