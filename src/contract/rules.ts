import { z } from 'zod';
import type { Amount, Line, Operand, Rule, RulesDocument } from '#engine/rules/document.ts';
import { indicatorNames } from '#engine/rules/indicator-table.ts';
import { priceNames } from '#engine/rules/lines.ts';
import { isTimeframe, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { isOneLine, shortText } from './fields.ts';

/** How deep rules, operands and lines may lie in each other; people get lost far sooner. */
const deepest = 8;

/** The most rules of a group, and of signals of a list. `faultsOf` has a sentence for what is fewer and still too many. */
const mostInList = 100;

const finite = z.number();
const timeframes = Object.keys(timeframeLengths).filter(isTimeframe) as [Timeframe, ...Timeframe[]];

/** A text of one line. */
function line(longest: number) {
  return shortText(longest).refine(isOneLine);
}

/** The name of a parameter. Those that every object has already are refused. */
const parameterName = shortText(30)
  .regex(/^[a-z][A-Za-z0-9]{0,29}$/u)
  .refine((name) => !(name in {}));

const amount: z.ZodType<Amount, Amount> = z.union([finite, z.strictObject({ parameter: parameterName })]);

const place = {
  candlesBack: amount.optional(),
  timeframe: z.enum(timeframes).optional(),
  symbol: shortText(40)
    .regex(/^[A-Z0-9]{1,15}\/[A-Z0-9]{1,10}(?::[A-Z0-9]{1,10})?$/u)
    .optional(),
};

type AtDepth<Piece> = (depth: number) => z.ZodType<Piece, Piece>;

/** Built when it is first needed, level by level: a document that goes deeper is refused before it is followed. */
function byDepth<Piece>(build: AtDepth<Piece>): AtDepth<Piece> {
  const levels = new Map<number, z.ZodType<Piece, Piece>>();
  return (depth) => {
    const known = levels.get(depth);
    if (known !== undefined) return known;
    const level = z.lazy(() => build(depth));
    levels.set(depth, level);
    return level;
  };
}

function lineFields(depth: number) {
  const of: z.ZodType<Line, Line> = depth > 0 ? lineAt(depth - 1) : z.never();
  const settings = z.record(shortText(20).regex(/^[a-z][A-Za-z]{0,19}$/u), amount).refine((each) => Object.keys(each).length <= 5);
  return {
    price: { kind: z.literal('price'), price: z.enum(priceNames) },
    indicator: { kind: z.literal('indicator'), indicator: z.enum(indicatorNames), settings, output: shortText(20), of: of.optional() },
    extreme: { kind: z.enum(['highest', 'lowest']), of, candles: amount },
    change: { kind: z.literal('change'), of, candles: amount },
  };
}

const lineAt: AtDepth<Line> = byDepth<Line>((depth) => {
  const { price, indicator, extreme, change } = lineFields(depth);
  return z.discriminatedUnion('kind', [z.strictObject(price), z.strictObject(indicator), z.strictObject(extreme), z.strictObject(change)]);
});

const operandAt: AtDepth<Operand> = byDepth<Operand>((depth) => {
  const { price, indicator, extreme, change } = lineFields(depth);
  const inner = depth > 0 ? operandAt(depth - 1) : z.never();
  const rule = depth > 0 ? ruleAt(depth - 1) : z.never();
  const candlesBack = amount.optional();
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('number'), value: amount }),
    z.strictObject({ ...price, ...place }),
    z.strictObject({ ...indicator, ...place }),
    z.strictObject({ ...extreme, ...place }),
    z.strictObject({ ...change, ...place }),
    z.strictObject({ kind: z.literal('candlesSince'), rule, upTo: z.int().min(1).max(5_000), candlesBack }),
    z.strictObject({ kind: z.enum(['minuteOfDay', 'weekday']), candlesBack }),
    z.strictObject({ kind: z.literal('offset'), base: inner, sign: z.enum(['plus', 'minus']), times: amount, unit: inner }),
  ]);
});

const operators = ['above', 'below', 'atLeast', 'atMost', 'crossesAbove', 'crossesBelow'] as const;

const ruleAt: AtDepth<Rule> = byDepth<Rule>((depth) => {
  const operand = operandAt(depth);
  const rules = z.array(depth > 0 ? ruleAt(depth - 1) : z.never()).max(mostInList);
  const every = { isOff: z.boolean().optional(), within: amount.optional() };
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('compare'), left: operand, operator: z.enum(operators), right: operand, ...every }),
    z.strictObject({ kind: z.literal('moves'), operand, direction: z.enum(['rises', 'falls']), candles: amount, ...every }),
    z.strictObject({ kind: z.literal('near'), left: operand, right: operand, distance: amount, ...every }),
    z.strictObject({ kind: z.enum(['all', 'any', 'none']), rules, ...every }),
    z.strictObject({ kind: z.literal('atLeast'), count: amount, rules, ...every }),
  ]);
});

const signal = z.strictObject({ tag: line(255), when: ruleAt(deepest), isOff: z.boolean().optional() });
const signals = z.array(signal).max(mostInList);

const parameter = z.strictObject({
  default: finite,
  min: finite,
  max: finite,
  step: finite,
  unit: line(40),
  meaning: line(200),
});

const ratio = z.number().gt(0).lt(1);

const positionPlan = z.strictObject({
  addMore: z
    .strictObject({ isOff: z.boolean().optional(), distance: ratio, stake: z.number().gt(0).lte(10), most: z.int().min(1).max(20) })
    .nullable(),
  takeOut: z.array(z.strictObject({ isOff: z.boolean().optional(), profit: z.number().gt(0).lte(10), part: ratio })).max(10),
});

/** The settings a document suggests; the form of the strategy checks how they fit together. */
const defaults = z.strictObject({
  timeframe: z.enum(timeframes),
  stoploss: z.number().gt(-1).lt(0),
  minimalRoi: z.record(shortText(7).regex(/^\d{1,7}$/u), z.number().gte(-1).lte(1_000)).refine((table) => Object.keys(table).length <= 10),
  trailingStop: z.boolean(),
  trailingStopPositive: ratio.nullable(),
  trailingStopPositiveOffset: z.number().gte(0).lt(1),
  trailingOnlyOffsetIsReached: z.boolean(),
});

/**
 * A strategy as data: the form of `RulesDocument`. Whether what it says can be run is another question (`faultsOf`).
 *
 * Ratios are fractions, never per cent.
 */
export const rulesDocument = z.strictObject({
  version: z.literal(1),
  title: line(80).refine((title) => /\S/u.test(title)),
  description: line(500),
  losesWhen: line(500),
  kind: z.enum(['trend', 'momentum', 'breakout', 'range', 'volatility', 'pullback', 'intraday', 'benchmark']),
  defaults,
  parameters: z.record(parameterName, parameter).refine((all) => Object.keys(all).length <= 30),
  guard: z.array(ruleAt(deepest)).max(mostInList),
  enterLong: signals,
  exitLong: signals,
  enterShort: signals,
  exitShort: signals,
  positionPlan: positionPlan.nullable(),
}) satisfies z.ZodType<RulesDocument, RulesDocument>;

const alreadyRead = new WeakSet<object>(); // nobody changes a document, so what was checked once is not checked again

/** A document out of what was sent or kept, or null where that is none. One that was read before comes back as it is, at no cost. */
export function readRules(given: unknown): RulesDocument | null {
  if (typeof given === 'object' && given !== null && alreadyRead.has(given)) return given as RulesDocument;
  const { data } = rulesDocument.safeParse(given);
  if (data === undefined) return null;
  alreadyRead.add(data);
  return data;
}
