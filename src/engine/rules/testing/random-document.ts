import * as fc from 'fast-check';
import type { Amount, Line, Operand, Place, Rule, RulesDocument, SignalRule } from '../document.ts';
import { indicatorNames, rulesIndicator } from '../indicator-table.ts';
import { priceNames } from '../lines.ts';
import { emaCross } from '../templates/ema-cross.ts';

// Documents by chance, of every piece there is. Their parameters are `count` (2 to 9) and `level` (0.5 to 60).

const count: fc.Arbitrary<Amount> = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant({ parameter: 'count' }));
const level: fc.Arbitrary<Amount> = fc.oneof(
  fc.constantFrom(-0.01, 0, 0.004, 1, 2, 30, 50, 70, 99, 100, 101),
  fc.constant({ parameter: 'level' }),
);

const line = (depth: number): fc.Arbitrary<Line> => {
  const price = fc.record<Line & { kind: 'price' }>({ kind: fc.constant('price'), price: fc.constantFrom(...priceNames) });
  if (depth === 0) return price;
  const of = line(depth - 1);
  const indicator = fc.constantFrom(...indicatorNames).chain((name): fc.Arbitrary<Line> => {
    const { settings, outputs, takesLine } = rulesIndicator(name);
    const values = Object.fromEntries(
      Object.entries(settings).map(([setting, { isWhole }]) => [setting, isWhole ? count : level.filter(isNotNegative)]),
    );
    return fc.record({
      kind: fc.constant('indicator' as const),
      indicator: fc.constant(name),
      settings: fc.record(values),
      output: fc.constantFrom(...Object.keys(outputs)),
      ...(takesLine ? { of: fc.option(of, { nil: undefined }) } : {}),
    });
  });
  const extreme = fc.record({ kind: fc.constantFrom('highest' as const, 'lowest' as const), of, candles: count });
  const change = fc.record({ kind: fc.constant('change' as const), of, candles: count });
  return fc.oneof({ weight: 1, arbitrary: price }, { weight: 3, arbitrary: indicator }, extreme, change);
};

const isNotNegative = (amount: Amount): boolean => typeof amount !== 'number' || amount >= 0;

const place: fc.Arbitrary<Place> = fc.record(
  {
    candlesBack: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant({ parameter: 'count' })),
    timeframe: fc.constantFrom('15m' as const, '1h' as const),
    symbol: fc.constantFrom('BTC/USDT', 'NOT/HERE'),
  },
  { requiredKeys: [] },
);

const operand = (depth: number): fc.Arbitrary<Operand> => {
  const number = fc.record<Operand & { kind: 'number' }>({ kind: fc.constant('number'), value: level });
  const placed = fc.tuple(line(2), place).map(([what, where]): Operand => ({ ...what, ...where }));
  const clock = fc.record<Operand & { kind: 'weekday' | 'minuteOfDay' }>({ kind: fc.constantFrom('minuteOfDay', 'weekday') });
  if (depth === 0) return fc.oneof({ weight: 1, arbitrary: number }, { weight: 4, arbitrary: placed }, clock);
  const inner = operand(depth - 1);
  return fc.oneof(
    { weight: 5, arbitrary: operand(0) },
    fc.record<Operand & { kind: 'offset' }>({
      kind: fc.constant('offset'),
      base: inner,
      sign: fc.constantFrom('plus', 'minus'),
      times: level,
      unit: inner,
    }),
    fc.record<Operand & { kind: 'candlesSince' }>({
      kind: fc.constant('candlesSince'),
      rule: rule(depth - 1),
      upTo: fc.integer({ min: 1, max: 30 }),
    }),
  );
};

const switches = {
  isOff: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(true) }),
  within: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: count }),
};

function rule(depth: number): fc.Arbitrary<Rule> {
  const operators = fc.constantFrom('above', 'below', 'atLeast', 'atMost', 'crossesAbove', 'crossesBelow') as never;
  const compare = fc.record({
    kind: fc.constant('compare' as const),
    left: operand(depth),
    operator: operators,
    right: operand(depth),
    ...switches,
  });
  const near = fc.record({
    kind: fc.constant('near' as const),
    left: operand(depth),
    right: operand(depth),
    distance: fc.constant(0.01),
    ...switches,
  });
  const direction = fc.constantFrom('rises' as const, 'falls' as const);
  const moves = fc.record({
    kind: fc.constant('moves' as const),
    operand: operand(depth),
    direction,
    candles: fc.integer({ min: 1, max: 3 }),
    ...switches,
  });
  const conditions = fc.oneof({ weight: 4, arbitrary: compare }, near, moves) as fc.Arbitrary<Rule>;
  if (depth === 0) return conditions;
  const rules = fc.array(rule(depth - 1), { minLength: 1, maxLength: 3 });
  const group = fc.record({ kind: fc.constantFrom('all' as const, 'any' as const, 'none' as const), rules, ...switches });
  const atLeast = fc.record({ kind: fc.constant('atLeast' as const), count: fc.constant(1), rules, ...switches });
  return fc.oneof({ weight: 3, arbitrary: conditions }, { weight: 2, arbitrary: group }, atLeast);
}

const signals: fc.Arbitrary<SignalRule[]> = fc.array(fc.record({ tag: fc.constantFrom('one', 'two', 'three'), when: rule(2) }), {
  maxLength: 2,
});

/** A document by chance for candles of 5 minutes. Some have faults. */
export const randomDocument: fc.Arbitrary<RulesDocument> = fc
  .record({ guard: fc.array(rule(1), { maxLength: 1 }), enterLong: signals, exitLong: signals, enterShort: signals, exitShort: signals })
  .map((lists) => ({
    ...emaCross,
    title: 'By chance',
    parameters: {
      count: { default: 3, min: 2, max: 9, step: 1, unit: 'candles', meaning: 'Candles.' },
      level: { default: 30.5, min: 0.5, max: 60.5, step: 0.5, unit: '', meaning: '' },
    },
    ...lists,
  }));
