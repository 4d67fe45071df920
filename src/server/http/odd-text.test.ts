import { beforeAll, expect, test } from 'vitest';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
let admin: Awaited<ReturnType<typeof server.signedIn>>;
let strategy = '';
beforeAll(async () => {
  await enterBuiltInStrategies(server.dependencies.db);
  admin = await server.signedIn('admin');
  strategy = (await admin.listStrategies({})).strategies[0]?.id ?? '';
});

const general = { status: 400, message: '400 Invalid request' };

test.each([
  ['a NUL character', 'before\u0000after'],
  ['half a surrogate pair', 'before\ud800after'],
])('%s, which no database takes, is refused wherever it stands', async (_, text) => {
  const params = { id: strategy };
  expect(await failure(admin.updateStrategy({ params, body: { description: text } }))).toMatchObject(general);
  expect(await failure(admin.updateStrategy({ params, body: { supported_exchanges: ['sandbox', text] } }))).toMatchObject(general);
  expect((await admin.listStrategies({})).strategies.some(({ description }) => description.includes('before'))).toBe(false);
});

test('in a query too', async () => {
  expect(await failure(admin.listAudit({ query: { search: 'before\u0000after' } }))).toMatchObject(general);
});
