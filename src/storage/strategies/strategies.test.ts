import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { enterStrategies, findStrategyById, listStrategies } from './strategies.ts';

const { db } = await freshDatabase();
const strategy = (className: string, position: number, name = className) => ({
  className,
  name,
  description: `What ${className} does`,
  supportedExchanges: ['sandbox'],
  defaultTimeframe: '5m',
  stoploss: -0.1,
  trailingStop: true,
  trailingStopPositive: 0.01,
  trailingStopPositiveOffset: 0.02,
  trailingOnlyOffsetIsReached: true,
  minimalRoi: { 0: 0.05, 60: 0 },
  position,
});

test('strategies are listed in the order of the product, and what people have set of one stays when it is entered again', async () => {
  await enterStrategies(db, [strategy('Second', 2), strategy('First', 1)]);
  await db.updateTable('strategies').set({ stoploss: -0.3 }).where('className', '=', 'First').execute();
  await enterStrategies(db, [strategy('First', 1, 'Renamed'), strategy('Third', 3)]);
  const all = await listStrategies(db);
  expect(all.map(({ className, name, stoploss }) => [className, name, Number(stoploss)])).toEqual([
    ['First', 'First', -0.3],
    ['Second', 'Second', -0.1],
    ['Third', 'Third', -0.1],
  ]);
  const { position, minimalRoi, orderTypes, orderTimeInForce, ...rest } = all[1] ?? {};
  expect({ position, minimalRoi, orderTypes, orderTimeInForce }).toEqual({
    position: 2,
    minimalRoi: { 0: 0.05, 60: 0 },
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
    orderTimeInForce: { entry: 'GTC', exit: 'GTC' },
  });
  expect(rest).toMatchObject({ description: 'What Second does', supportedExchanges: ['sandbox'], trailingStopPositiveOffset: '0.02' });
  expect(rest).not.toHaveProperty('webhook');
  expect(await findStrategyById(db, all[1]?.id ?? '')).toEqual(all[1]);
  expect(await findStrategyById(db, randomUUID())).toBeNull();
});
