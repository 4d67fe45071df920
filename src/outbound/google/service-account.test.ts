import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parseServiceAccount } from './service-account.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const file = {
  type: 'service_account',
  private_key_id: 'key-1',
  private_key: pem,
  client_email: 'rows@flotilla-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

test('OP-58 the file of a service account gives its address, its key and where tokens are given', () => {
  const account = parseServiceAccount(JSON.stringify(file));
  expect([account.email, account.keyId, account.tokenUrl.href]).toEqual([file.client_email, 'key-1', file.token_uri]);
  expect(account.key.export({ type: 'pkcs8', format: 'pem' })).toBe(pem);
  const shown = [inspect(account, { depth: 9, showHidden: true }), JSON.stringify(account)].join();
  for (const line of pem.split('\n').filter((each) => each.length > 20)) expect(shown).not.toContain(line);
});

const elliptic = String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
test.each([
  ['', 'it does not hold JSON'],
  [pem, 'it does not hold JSON'],
  ['null', 'it does not hold JSON'],
  [
    JSON.stringify({ ...file, type: 'authorized_user' }),
    'it is not the key file of a service account (its "type" is not "service_account")',
  ],
  [JSON.stringify({ ...file, client_email: '' }), 'it has no "client_email"'],
  [JSON.stringify({ ...file, private_key: undefined }), 'it has no "private_key"'],
  [JSON.stringify({ ...file, token_uri: 7 }), 'it has no "token_uri"'],
  [JSON.stringify({ ...file, client_email: 'rows@x\n.com' }), 'its "client_email" is not an e-mail address'],
  [JSON.stringify({ ...file, private_key: 'secret words' }), 'its "private_key" is not an RSA key'],
  [JSON.stringify({ ...file, private_key: elliptic }), 'its "private_key" is not an RSA key'],
  ...[
    'http://oauth2.googleapis.com/token',
    'https://oauth2.googleapis.com.evil.example/',
    'https://x@oauth2.googleapis.com/',
    'https://127.0.0.1/',
    'token',
  ].map((uri) => [
    JSON.stringify({ ...file, token_uri: uri }),
    'its "token_uri" is not an address of Google (https://oauth2.googleapis.com/token)',
  ]),
])('a file with something wrong is refused with a sentence that repeats nothing of it (%#)', (text, sentence) => {
  let error: unknown;
  try {
    parseServiceAccount(text);
  } catch (caught) {
    error = caught;
  }
  expect(error).toEqual(new Error(sentence));
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/BEGIN|secret words/u);
});
