import { raiseAlarm } from '#storage/alarms/alarms.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { expect, test } from 'vitest';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const symbol = 'BTC/USDT:USDT';

test('the pulse shows everybody exactly what the three calls show them', async () => {
  const owner = await server.signedIn('trader');
  const people = [
    owner,
    await server.signedIn('trader'),
    await server.signedIn('operator'),
    await server.signedIn('investor'),
    await server.signedIn('admin'),
  ];
  const botId = await addTestBot(db, {
    strategy: 'AlwaysFlat',
    nickname: 'mine',
    owner: owner.email,
    marketType: 'futures',
    symbols: [symbol],
  });
  await goLive(db, botId);
  await writeTrades(db, [{ trade: aTradeRow(botId, { symbol, mode: 'live', amount: 2 }), orders: [], fills: [] }]);
  await noteDifference(db, { botId, symbol, expected: 2, actual: 1 });
  await raiseAlarm(db, { kind: 'stopped-by-other', target: { level: 'user', id: owner.userId }, facts: { state: 'halted' } });
  await owner.stopTrading({ body: { level: 'user', state: 'reducing' } });
  const seen = [];
  for (const person of people) {
    const [alarms, trading, differences] = [
      await person.listAlarms({}),
      await person.getTradingState({}),
      await person.listDifferences({}),
    ];
    expect(await person.pulse({})).toEqual({ alarms, trading, differences });
    seen.push([alarms.length > 0, trading.switches.length, differences.open.length]);
  }
  const nothing = [false, 0, 0];
  const all = [true, 2, 1]; // the difference has stopped its bot, too
  expect(seen).toEqual([all, nothing, nothing, nothing, all]);
});
