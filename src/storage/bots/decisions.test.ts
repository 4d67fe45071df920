import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aDecision } from '../testing/a-decision.ts';
import type { DecisionRow } from './decisions.ts';
import { addDecisions } from './decisions.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'EmaCross' });
const decision = (candleTime: number, given: Partial<DecisionRow> = {}): DecisionRow =>
  aDecision(botId, candleTime, { seen: { rsi: 50 }, ...given });

test('many decisions are written at once, those that are there already stay, and those of a lost bot do not count', async () => {
  await addDecisions(db, []);
  await addDecisions(db, [decision(0, { action: 'enter', gate: null, seen: { rsi: 20 } })]);
  await addDecisions(db, [decision(0), decision(60_000), decision(60_000, { symbol: 'ETH/USDT' }), decision(120_000, { epoch: '1' })]);
  expect(await db.selectFrom('decisions').selectAll().orderBy('candleTime').orderBy('symbol').execute()).toEqual(
    [decision(0, { action: 'enter', gate: null, seen: { rsi: 20 } }), decision(60_000), decision(60_000, { symbol: 'ETH/USDT' })].map(
      ({ epoch: _epoch, candleTime, decidedAt, ...rest }) => ({
        ...rest,
        candleTime: new Date(candleTime),
        decidedAt: new Date(decidedAt),
      }),
    ),
  );
});
