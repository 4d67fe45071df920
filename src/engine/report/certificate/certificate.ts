import type { Trade } from '../../account/trade.ts';
import type { RefusedSignal } from '../../backtest/entry-log.ts';
import type { Decimal } from '../../market/decimal.ts';
import { minus, plus, toText, zero } from '../../market/decimal.ts';
import type { Direction } from '../../market/direction.ts';
import type { Cause } from './causes.ts';
import { cause, causeOfExit, causeOfGate } from './causes.ts';
import type { DecisionsCompared, ReplayedFlags } from './compare-decisions.ts';
import { compareDecisions } from './compare-decisions.ts';
import type { CertifiedDay, DayTrade } from './day-trade.ts';
import { dayTrade, resultOf } from './day-trade.ts';
import type { RecordedDecision } from './recorded-decision.ts';
import { candleKey } from './recorded-decision.ts';
import type { PartName, Parts } from './split-difference.ts';
import { addPart, partNames, splitDifference, sumOfParts } from './split-difference.ts';

/** What the backtester made of a day. */
export interface ReplayedDay {
  trades: readonly Trade[]; // those that were open at its end, too
  refused: readonly (RefusedSignal & { candleTime: number })[];
  flags: ReplayedFlags;
}

/** An entry of the account that never held anything. */
export interface UnfilledEntry {
  symbol: string;
  direction: Direction;
  candleTime: number; // that its order came of
  isRefused: boolean; // by the exchange
}

/** What a certificate is made of. */
export interface CertificateInput {
  day: CertifiedDay;
  firstCandleTime: number; // the oldest candle that the replay decided on
  stored: ReplayedDay; // on the candles that are stored
  seen: ReplayedDay | null; // on those the bot saw; null: no difference is known
  trades: readonly Trade[]; // of the account
  unfilled: readonly UnfilledEntry[];
  decisions: readonly RecordedDecision[]; // none: they are not kept any more
}

/** A trade of either side. Money as exact decimals in quote currency. */
export interface CertifiedTrade {
  symbol: string;
  direction: Direction;
  entryTime: number; // ms, of its first fill
  promised: string | null; // by the backtest; null: it made no such trade
  made: string | null; // by the account; likewise
  difference: string;
  parts: Partial<Record<PartName, string>>; // they add up to the difference
  why: string | null; // of a trade that only one side has, or an exit that was not the bot's: see `causeWords`
  isCarried: boolean; // held when the day began
  isOpen: boolean; // held when it ended, by either side
  exits: [promised: string | null, made: string | null]; // reasons
}

/** How much of what the backtest makes of a day reached the account, and what became of the rest. Money as exact decimals. */
export interface Certificate {
  promised: string;
  made: string;
  parts: Partial<Record<PartName, string>>; // they add up to the difference of the two
  trades: CertifiedTrade[]; // by the time of their entries
  tradesSame: number; // that both sides have made
  decisions: { recorded: number; same: number; failed: number; ofData: number; differing: { symbol: string; candleTime: number }[] };
}

/** One trade as each side made it. */
interface Sides {
  stored: DayTrade | null;
  seen: DayTrade | null;
  made: DayTrade | null;
}

/** Compares what the backtester made of a day with what the account made of it, to the last decimal. */
export function certify(input: CertificateInput): Certificate {
  const { day, stored } = input;
  const seen = input.seen ?? stored;
  const compared = compareDecisions(input.decisions, stored.flags, input.seen?.flags ?? null);
  const rows = match(day, stored.trades, seen.trades, input.trades);
  const all: Parts = {};
  let [promised, made] = [zero, zero];
  const trades = rows.map((sides): CertifiedTrade => {
    const { parts, why } = explain(sides, { ...input, seen, compared });
    for (const [name, part] of Object.entries(parts) as [PartName, Decimal][]) addPart(all, name, part);
    promised = plus(promised, brought(sides.stored));
    made = plus(made, brought(sides.made));
    const shown = sides.made ?? sides.stored ?? sides.seen!;
    return {
      symbol: shown.symbol,
      direction: shown.direction,
      entryTime: shown.entryTime,
      promised: sides.stored === null ? null : exactText(resultOf(sides.stored)),
      made: sides.made === null ? null : exactText(resultOf(sides.made)),
      difference: exactText(sumOfParts(parts)),
      parts: textsOf(parts),
      why,
      isCarried: shown.isCarried,
      isOpen: sides.made?.isOpen === true || sides.stored?.isOpen === true,
      exits: [sides.stored?.exitReasons.at(-1) ?? null, sides.made?.exitReasons.at(-1) ?? null],
    };
  });
  return {
    promised: exactText(promised),
    made: exactText(made),
    parts: textsOf(all),
    trades: trades.toSorted((a, b) => a.entryTime - b.entryTime || (a.symbol < b.symbol ? -1 : 1)),
    tradesSame: rows.filter((sides) => sides.stored !== null && sides.made !== null).length,
    decisions: {
      recorded: compared.recorded,
      same: compared.same,
      failed: compared.failed,
      ofData: compared.ofData.length,
      differing: compared.differing.map(({ symbol, candleTime }) => ({ symbol, candleTime })),
    },
  };
}

/** Trades of the three by symbol, direction and the candle they came of; those that people made have no counterpart. */
function match(day: CertifiedDay, ...sides: [stored: readonly Trade[], seen: readonly Trade[], made: readonly Trade[]]): Sides[] {
  const rows = new Map<string, Sides>();
  const names = ['stored', 'seen', 'made'] as const;
  for (const [i, name] of names.entries()) {
    for (const trade of sides[i] ?? []) {
      const part = dayTrade(trade, day);
      if (part === null) continue;
      const base = `${part.symbol} ${part.direction} ${part.entryCandleTime}${part.isByHand ? ' by hand' : ''}`;
      // Two of a side on one candle are the first and the second of it.
      let key = base;
      for (let n = 2; (rows.get(key)?.[name] ?? null) !== null; n++) key = `${base} ${n}`;
      rows.set(key, { ...(rows.get(key) ?? { stored: null, seen: null, made: null }), [name]: part });
    }
  }
  return [...rows.values()];
}

type Evidence = CertificateInput & { seen: ReplayedDay; compared: DecisionsCompared };

/** First what other candles make of the trade, then what the account made otherwise than the backtest on the candles the bot saw. */
function explain({ stored, seen, made }: Sides, evidence: Evidence): { parts: Parts; why: string | null } {
  const parts: Parts = {};
  addPart(parts, 'data', minus(brought(seen), brought(stored)));
  if (seen !== null && made !== null) {
    const exit = exitCause(seen, made, evidence);
    const split = splitDifference(seen, made, { amount: made.isAddedByHand ? 'intervention' : 'amount', exit: exit.part });
    for (const [name, part] of Object.entries(split) as [PartName, Decimal][]) addPart(parts, name, part);
    return { parts, why: exit.part === 'delay' ? null : exit.why };
  }
  const alone = seen ?? made;
  if (alone === null) return { parts, why: 'other-candles' };
  const found = seen === null ? causeOfExtra(alone, evidence) : causeOfMissing(alone, evidence);
  addPart(parts, found.part, minus(brought(made), brought(seen)));
  return { parts, why: found.why };
}

/** What made the account leave at another price than the backtest, besides what its order was filled at. */
function exitCause(seen: DayTrade, made: DayTrade, { compared, decisions }: Evidence): Cause {
  for (const reason of made.exitReasons) {
    const outside = causeOfExit(reason);
    if (outside !== null) return outside;
  }
  const candles = [seen.exitCandleTime, made.exitCandleTime].flatMap((candleTime) =>
    candleTime === null ? [] : [{ symbol: made.symbol, candleTime }],
  );
  if (candles.some((candle) => compared.isDiffering(candle))) return cause('other-decision');
  if (seen.exitCandleTime !== null && seen.exitCandleTime !== made.exitCandleTime) {
    const at = decisionOn(decisions, { symbol: made.symbol, candleTime: seen.exitCandleTime });
    const gate = at === undefined || at.gate === null ? null : causeOfGate(at.gate);
    if (gate !== null && gate.part === 'intervention') return gate;
  }
  return cause('left-at-another-time');
}

/** Why the account has not made a trade of the backtest: what its decision says, or what became of its order. */
function causeOfMissing({ symbol, direction, entryCandleTime }: DayTrade, { decisions, unfilled, compared }: Evidence): Cause {
  const candle = { symbol, candleTime: entryCandleTime };
  if (compared.isDiffering(candle)) return cause('other-decision');
  const order = unfilled.find((each) => candleKey(each) === candleKey(candle) && each.direction === direction);
  if (order !== undefined) return cause(order.isRefused ? 'refused-order' : 'not-filled');
  if (decisions.length === 0) return cause('no-record');
  const decision = decisionOn(decisions, candle);
  if (decision === undefined) return cause('not-running');
  if (decision.failure !== null) return { part: 'intervention', why: 'strategy-failed' };
  if (decision.action === 'enter') return cause('not-filled');
  if (decision.action === 'hold' || decision.action === 'exit') return { part: 'delay', why: 'has-open-trade' };
  return (decision.gate === null ? null : causeOfGate(decision.gate)) ?? cause('no-rule');
}

/** Why the account has made a trade that the backtest has not. */
function causeOfExtra({ symbol, direction, entryCandleTime, isByHand }: DayTrade, evidence: Evidence): Cause {
  const { seen, compared, decisions, firstCandleTime } = evidence;
  const candle = { symbol, candleTime: entryCandleTime };
  if (isByHand) return cause('by-hand');
  if (entryCandleTime < firstCandleTime) return cause('ordered-before');
  if (compared.isDiffering(candle)) return cause('other-decision');
  const refused = seen.refused.find((each) => candleKey(each) === candleKey(candle));
  if (refused !== undefined) return causeOfGate(refused.gate) ?? cause('no-rule');
  const flags = seen.flags.get(candleKey(candle));
  if (flags !== undefined && (direction === 'long' ? flags.enterLong : flags.enterShort)) return cause('not-filled-in-backtest');
  return cause(decisions.length === 0 ? 'no-record' : 'no-rule');
}

function decisionOn(decisions: readonly RecordedDecision[], candle: { symbol: string; candleTime: number }): RecordedDecision | undefined {
  return decisions.find((each) => each.candleTime === candle.candleTime && each.symbol === candle.symbol);
}

function brought(trade: DayTrade | null): Decimal {
  return trade === null ? zero : resultOf(trade);
}

/** In the sequence of `partNames`. */
function textsOf(parts: Parts): Partial<Record<PartName, string>> {
  return Object.fromEntries(partNames.flatMap((name) => (parts[name] === undefined ? [] : [[name, exactText(parts[name])]])));
}

/** An exact decimal without zeros at its end. */
export function exactText(value: Decimal): string {
  const text = toText(value);
  return text.includes('.') ? text.replace(/\.?0+$/u, '') : text;
}
