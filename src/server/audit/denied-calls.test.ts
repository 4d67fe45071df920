import { listAudit } from '#storage/audit/audit-log.ts';
import { expect, onTestFinished, test } from 'vitest';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();

test('ROLE-05 a call that the role does not allow is in the audit log, once in a minute however often it is made', async () => {
  onTestFinished(server.hold());
  const trader = await server.signedIn('trader');
  const denied = async () =>
    (await listAudit(server.dependencies.db, { action: 'call-denied' }, 1_000)).lines.filter(({ actorId }) => actorId === trader.userId);
  for (let i = 0; i < 5; i++) await failure(trader.listUsers({}));
  await failure(trader.fundOverview({}));
  expect((await denied()).map(({ detail, result, actorRole }) => [detail, result, actorRole])).toEqual([
    [{ call: 'API-45' }, 'refused', 'trader'],
    [{ call: 'API-23' }, 'refused', 'trader'],
  ]);
  server.pass(60_000);
  await failure(trader.listUsers({}));
  expect(await denied()).toHaveLength(3);
});

test('ROLE-05 of two people who try the same call within a minute both are in the audit log', async () => {
  onTestFinished(server.hold());
  const [one, two] = [await server.signedIn('trader'), await server.signedIn('trader')];
  for (const person of [one, two]) await failure(person.fundOverview({}));
  const { lines } = await listAudit(server.dependencies.db, { action: 'call-denied' }, 1_000);
  for (const { userId } of [one, two]) expect(lines.filter(({ actorId }) => actorId === userId)).toHaveLength(1);
});
