import { aDecision } from '#storage/testing/a-decision.ts';
import { createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { addDecisions } from '#storage/bots/decisions.ts';
import { askCertificate, dropAskedBy, findCertificate } from '#storage/certificates/certificates.ts';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { connectMarkets } from '../../../../test/support/connect-markets.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { Certifier } from './certifier.ts';

const { db } = await freshDatabase();
const sockets = new Set<Socket>();
const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}))); // an exchange that never answers
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
const address = silent.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const logs: string[] = [];
const certifier = new Certifier({
  db,
  markets: connectMarkets(`http://127.0.0.1:${port}`, Date.now),
  disk: ampleDisk,
  now: Date.now,
  log: (message) => logs.push(message),
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await certifier.close();
});

test('a replay that nobody wants any more ends, long before its candles would have come, and writes nothing', async () => {
  const botId = await addTestBot(db, { strategy: 'EmaCross', symbols: ['BTC/USDT'] });
  await addDecisions(db, [aDecision(botId, Date.parse(`${day}T10:00:00Z`))]);
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
  expect(await askCertificate(db, botId, day, userId)).toBe('asked');
  const began = performance.now();
  const working = certifier.work();
  await expect.poll(() => sockets.size).toBeGreaterThan(0);
  expect((await findCertificate(db, botId, day))?.state).toBe('replaying');
  expect(await db.transaction().execute((trx) => dropAskedBy(trx, userId))).toBe(1);
  await working;
  expect(performance.now() - began).toBeLessThan(60_000); // candles are waited for twice as long
  expect(await findCertificate(db, botId, day)).toBeNull();
  expect(logs).toEqual([]);
});
