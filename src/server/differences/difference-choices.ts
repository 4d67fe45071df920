import { adoptNeedsBot, adoptNeedsLess, closeNeedsTrade, ignoreLacksOther, ignoreNeedsMore } from '#contract/differences.ts';
import type { differenceChoices } from '#contract/differences.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { minus, toDecimal, toNumber, toText } from '#engine/market/decimal.ts';
import type { HoldingToAdopt } from '#storage/differences/adopted-holdings.ts';
import type { FoundDifference } from '#storage/differences/found-differences.ts';

/** What a person may do about a difference, and what it would do, or why it cannot be done. */
export interface DifferenceChoice {
  how: (typeof differenceChoices)[number];
  may: boolean;
  text: string;
}

/** The choices about a difference, in plain figures. */
export function choicesOf(found: FoundDifference): DifferenceChoice[] {
  return [adopting(found), ignoring(found), closing(found)];
}

/** What the bot does with its trade until a person has decided. */
export function exitsText(found: FoundDifference): string {
  const missing = missingOf(found);
  if (missing === null || missing <= 0) return 'Its exits and stops continue.';
  if (missing === found.tradeAmount) return 'It makes no exit and no stop for the trade: nothing of it is in the account.';
  const most = 'for what the account holds for the trade, and no more';
  return found.waits ? `After the restore only stops leave the trade, ${most}; profits wait for you.` : `Its exits and stops are ${most}.`;
}

/**
 * How much of the bot's open trade is missing in its account; below 0 where the account holds more. Where more is missing than the trade
 * holds it is all of it: the rest is found again as a difference of another trade. Null when the bot has no trade there.
 */
export function missingOf({ expected, actual, tradeDirection, tradeAmount }: FoundDifference): number | null {
  if (tradeDirection === null || tradeAmount === null) return null;
  const more = between(expected, actual);
  return Math.min(tradeDirection === 'long' ? -more : more, tradeAmount);
}

/**
 * What of a difference a bot may take over as a trade: what its orders without a record have bought since they last left nothing. Null
 * where they have not, or where the bot has a trade in the symbol.
 */
export function holdingOf(found: FoundDifference): HoldingToAdopt | null {
  const { unrecorded, marketType, tradeId, expected, actual, step } = found;
  const more = between(expected, actual);
  if (tradeId !== null || unrecorded.length === 0) return null;
  let [net, cost] = [0, 0];
  let fee: number | null = 0;
  for (const order of unrecorded) {
    const isLeaving = net !== 0 && order.net > 0 !== net > 0;
    const rest = isLeaving ? between(-order.net, net) : 0;
    if (!isLeaving || rest * net < 0) {
      // It adds to what is held, or turns it round.
      const added = isLeaving ? Math.abs(rest) : Math.abs(order.net);
      const part = added / Math.abs(order.net);
      cost = (isLeaving ? 0 : cost) + added * order.price;
      fee = order.fee === null || fee === null ? null : (isLeaving ? 0 : fee) + order.fee * part;
    } else {
      cost *= rest / net;
      fee = fee === null ? null : fee * (rest / net);
    }
    net = isLeaving ? rest : between(-order.net, net);
    if (net === 0) [cost, fee] = [0, 0];
  }
  if (net === 0 || net > 0 !== more > 0 || more === 0 || (marketType === 'spot' && net < 0)) return null;
  const amount = Math.min(Math.abs(net), Math.abs(more));
  if (amount < step) return null;
  const part = amount / Math.abs(net);
  return {
    direction: net > 0 ? 'long' : 'short',
    amount,
    price: exact(cost / Math.abs(net)),
    fee: fee === null ? null : exact(fee * part),
  };
}

/** Without the noise in the last digits of a sum made in doubles. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}

function adopting(found: FoundDifference): DifferenceChoice {
  const holding = holdingOf(found);
  if (holding !== null && found.isStopped) return { how: 'adopt', may: false, text: adoptNeedsBot };
  if (holding !== null) {
    const { amount, price } = holding;
    const bought = `${amountText(amount, found)} that orders of the bot have ${boughtWord(holding)} without a record, at ${price} on average`;
    return { how: 'adopt', may: true, text: `${bought}, become a trade of the bot with a stop. Nothing else is ordered at the exchange.` };
  }
  const missing = missingOf(found);
  if (missing === null || missing <= 0) return { how: 'adopt', may: false, text: adoptNeedsLess };
  const left = between(missing, found.tradeAmount ?? 0);
  const booked = `${amountText(missing, found)} of the trade are booked as ${outside(found)} at what the account was paid, or else at the newest price`;
  const rest = left > 0 ? `The trade continues with ${amountText(left, found)}, and its stop follows.` : 'The trade is closed with it.';
  return { how: 'adopt', may: true, text: `${booked}. ${rest} Nothing is ordered at the exchange.${beyondText(found, missing)}` };
}

function ignoring(found: FoundDifference): DifferenceChoice {
  if (!mayIgnore(found)) return { how: 'ignore', may: false, text: ignoreNeedsMore };
  if (found.lacksForOther) return { how: 'ignore', may: false, text: ignoreLacksOther };
  const { expected, actual } = found;
  const more = between(expected, actual);
  const amount = amountText(Math.abs(more), found);
  const isMissing = expected !== 0 && more > 0 !== expected > 0;
  const text = isMissing
    ? `The trades stay as they are. From now on the account may hold ${amount} less than before.`
    : `${amount} belong to no bot from now on. No bot counts, protects or closes them.${othersStayOut(found)}`;
  return { how: 'ignore', may: true, text };
}

/** A perpetual is one position: an entry the other way would be taken out of what belongs to no bot. */
function othersStayOut({ marketType, expected, actual }: FoundDifference): string {
  if (marketType !== 'futures') return '';
  return ` While they are there, no bot with this API key goes ${actual > expected ? 'short' : 'long'} in this pair.`;
}

/** Whether a difference may be ignored: not where the account would hold less than the bot's trade, which could then never be closed. */
export function mayIgnore(found: FoundDifference): boolean {
  const missing = missingOf(found);
  if (missing === null || (missing <= 0 && found.marketType === 'spot')) return true;
  const spare = found.tradeDirection === 'short' ? -found.ignored : found.ignored;
  return missing <= spare;
}

function boughtWord({ direction }: HoldingToAdopt): string {
  return direction === 'short' ? 'sold' : 'bought';
}

function closing(found: FoundDifference): DifferenceChoice {
  const holding = holdingOf(found);
  if (holding !== null && found.isStopped) return { how: 'close', may: false, text: adoptNeedsBot };
  if (holding !== null) {
    const { amount, direction } = holding;
    const text = `${amountText(amount, found)} become a trade of the bot and are ${direction === 'short' ? 'bought back' : 'sold'} at market.`;
    return { how: 'close', may: true, text };
  }
  const missing = missingOf(found);
  if (missing === null) return { how: 'close', may: false, text: closeNeedsTrade };
  const held = found.tradeAmount ?? 0;
  const verb = found.tradeDirection === 'short' ? 'bought back' : 'sold';
  if (missing <= 0) {
    const text = `The trade's ${amountText(held, found)} are ${verb} at market. The ${amountText(-missing, found)} beyond it stay: close them at the exchange, or ignore them.`;
    return { how: 'close', may: true, text };
  }
  const left = between(missing, held);
  const booked = `${amountText(missing, found)} are booked as ${outside(found)} at what the account was paid, or else at the newest price`;
  const text =
    left > 0 ? `${booked}, then the other ${amountText(left, found)} are ${verb} at market.` : `${booked}, which closes the trade.`;
  return { how: 'close', may: true, text: text + beyondText(found, missing) };
}

/** What becomes of what the account lacks beyond the trade. */
function beyondText(found: FoundDifference, missing: number): string {
  const beyond = between(missing, Math.abs(between(found.expected, found.actual)));
  return beyond > 0 ? ` The other ${amountText(beyond, found)} are decided about after it.` : '';
}

function outside({ tradeDirection }: FoundDifference): string {
  return tradeDirection === 'short' ? 'bought back outside' : 'sold outside';
}

/** What has to be added to the first to get the second, exactly. */
function between(one: number, other: number): number {
  return toNumber(minus(toDecimal(other), toDecimal(one)));
}

/** An amount of a symbol's base currency, e.g. '0.05 BTC'. */
function amountText(amount: number, { symbol }: FoundDifference): string {
  return `${toText(toDecimal(amount))} ${currenciesOf(symbol).base}`;
}
