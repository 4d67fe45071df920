import { expect, test } from 'vitest';
import { advance } from './advance.ts';
import { enter, hour, market, Rig, start, symbol } from './testing/rig.ts';

test('an entry that a limit has refused is not tried again on its candle, and the decision names the limit', () => {
  const rig = new Rig(market);
  const candleTime = start;
  const before = rig.state;
  const { state } = advance(rig.state, { kind: 'entry-refused', time: start, symbol, candleTime, gate: 'limit-order-value' }, rig.context);
  expect(before.refusedEntries).toEqual({});
  rig.state = state;
  rig.candle(1, enter);
  rig.tick(60, 100);
  rig.tick(61, 100);
  expect(rig.kinds()).not.toContain('order-created');
  expect(rig.decisions()).toMatchObject([{ candleTime, action: 'none', gate: 'limit-order-value' }]);
  expect(rig.decisions()[0]?.seen).not.toHaveProperty('limit');
  rig.candle(2, enter);
  rig.tick(121, 100);
  expect(rig.decisions()[1]).toMatchObject({ candleTime: start + hour, action: 'enter', gate: null });
});

test('ADD-bot-decisions: the decision keeps whose limit it was, its value and what was used; the next candle does not', () => {
  const rig = new Rig(market);
  const limit = { level: 'user', use: 450, value: 300 } as const;
  const refused = { kind: 'entry-refused', time: start, symbol, candleTime: start, gate: 'limit-order-value', limit } as const;
  rig.state = advance(rig.state, refused, rig.context).state;
  rig.candle(1, enter);
  rig.tick(60, 100);
  rig.candle(2, enter);
  rig.tick(121, 100);
  expect(rig.decisions()[0]).toMatchObject({ gate: 'limit-order-value', seen: { limit } });
  expect(rig.decisions()[1]?.seen).not.toHaveProperty('limit');
});
