import { aDecision } from '#storage/testing/a-decision.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot, setBotMode } from '#storage/bots/bots.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { askCertificate, findCertificate } from '#storage/certificates/certificates.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { startMarket } from '../../../../test/support/market.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { Certifier } from './certifier.ts';

const { db } = await freshDatabase();
const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
const market = await startMarket(1);
const certifier = new Certifier({ db, markets: market.connect(), disk: ampleDisk, now: market.now, log: () => {} });
afterAll(() => certifier.close());

test('a day on paper of a bot that is live with little by now is replayed with what the bot had on paper', async () => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', timeframe: '1h', stakeAmount: 10_000 });
  await setBotMode(db, botId, 'live');
  const bot = (await findBot(db, botId))!;
  await db
    .transaction()
    .execute((trx) => changeBotSettings(trx, bot, { ...botSettingsOf(bot), stakeAmount: '10' }, bot.userId, new Date()));
  expect(Number((await findBot(db, botId))?.startingBalance)).toBe(30);
  await sql`insert into pnl_snapshots values (${botId}, 'paper', ${`${day}T09:30:00Z`}, 0, 0, 0, 0, 0, 0, 30000)`.execute(db);
  // The one candle whose signal counts.
  const seen = { enterLong: true, exitLong: false, enterShort: false, exitShort: false };
  await addDecisions(db, [aDecision(botId, Date.parse(`${day}T10:00:00Z`), { seen, decidedAt: Date.parse(`${day}T11:00:01Z`) })]);
  await askCertificate(db, botId, day, bot.userId);
  await certifier.work();
  const kept = (await findCertificate(db, botId, day))!;
  expect([kept.state, kept.why, kept.mode]).toEqual(['done', null, 'paper']);
  const { certificate } = kept.certificate as unknown as CertificateFacts;
  expect(certificate.trades.map(({ promised, entryTime }) => [promised !== null, new Date(entryTime).toISOString()])).toEqual([
    [true, `${day}T11:00:00.000Z`],
  ]);
});
