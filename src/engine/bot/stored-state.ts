import type { Fill } from '../account/fill.ts';
import type { InterestTerms } from '../account/interest.ts';
import type { Order } from '../account/order.ts';
import type { Payment, SoldOutside, OrderFailures, Trade } from '../account/trade.ts';
import type { Lock } from '../risk/locks.ts';
import type { BotStart, BotState } from './state.ts';
import { botState } from './state.ts';

/** The version of what is stored of a bot. 1 had no number, and lacked what `memoryDefaults` adds. */
export const storedVersion = 2;

/** What a bot must remember besides its trades; the rest is settings, or comes with the next candle and the next prices. */
export type StoredMemory = Pick<
  BotState,
  'nextTradeId' | 'nextOrderNumber' | 'locks' | 'exitTimeouts' | 'exitRetryTimes' | 'enteredCandleTimes' | 'formerTrades' | 'recentTrades'
> & { version: number };

/** A trade as it is stored. */
export type StoredTrade = Trade & { version: number };

/** What was stored cannot be used: it is another version's, or not whole. The message is one sentence for people. */
export class StoredStateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoredStateError';
  }
}

/** What is to be stored of a state besides its open trades. */
export function toStoredMemory(state: BotState): StoredMemory {
  const { nextTradeId, nextOrderNumber, locks, exitTimeouts, exitRetryTimes, enteredCandleTimes, formerTrades, recentTrades } = state;
  return {
    version: storedVersion,
    nextTradeId,
    nextOrderNumber,
    locks,
    exitTimeouts,
    exitRetryTimes,
    enteredCandleTimes,
    formerTrades,
    recentTrades,
  };
}

/** A trade as it is to be stored. */
export function toStoredTrade(trade: Trade): StoredTrade {
  return { version: storedVersion, ...trade };
}

/** What a bot starts from besides its trades and its memory. */
export type StoredIdentity = Pick<
  BotStart,
  'botId' | 'timeframe' | 'settings' | 'status' | 'tradingState' | 'closedProfit' | 'consecutiveLosses'
> & {
  decidedCandleTimes: Readonly<Record<string, number>>;
};

/**
 * The state of a bot from what was stored of it. Without a memory it has never traded.
 *
 * Fails: `StoredStateError`; RangeError for settings no running bot can honour
 */
export function fromStored(identity: StoredIdentity, memory: unknown, trades: readonly unknown[]): BotState {
  // Older versions kept none: it is that of now, whatever the settings say later.
  const { marginMode } = identity.settings;
  const known = trades.map(fromStoredTrade).map((trade) => (trade.marketType === 'futures' ? { marginMode, ...trade } : trade));
  return botState({ ...identity, ...(memory === null ? {} : fromStoredMemory(memory)), trades: known });
}

const memoryDefaults = { exitRetryTimes: {}, enteredCandleTimes: {}, formerTrades: [], recentTrades: [] };

/** The memory of a bot that has never traded. */
export const emptyMemory: StoredMemory = {
  version: storedVersion,
  nextTradeId: 1,
  nextOrderNumber: 1,
  locks: [],
  exitTimeouts: {},
  ...memoryDefaults,
};

function fromStoredMemory(stored: unknown): Omit<StoredMemory, 'version'> {
  const what = 'The stored memory of the bot';
  const { version, ...known } = versioned(stored, what);
  const memory = version === 1 ? { ...memoryDefaults, ...known } : known;
  check(memory, memoryFields, what);
  for (const [i, lock] of memory.locks.entries()) check(lock, lockFields, `${what}, lock ${i + 1},`);
  for (const trade of [...memory.formerTrades, ...memory.recentTrades]) checkTrade(trade);
  return memory;
}

/** A trade from what was stored of it; fields it does not know are left out. Fails: `StoredStateError` */
export function fromStoredTrade(stored: unknown): Trade {
  const { version: _version, ...trade } = versioned(stored, 'A stored trade');
  checkTrade(trade);
  const names = [
    ...Object.keys(tradeFields),
    'marginMode',
    'fundedUntil',
    'payments',
    'soldOutside',
    'exitFailures',
    'stopFailures',
    'stopByHand',
    'customData',
  ];
  return Object.fromEntries(Object.entries(trade).filter(([name]) => names.includes(name))) as unknown as Trade;
}

function checkTrade(trade: unknown): asserts trade is Trade {
  const id = isRecord(trade) ? String(trade['id']) : '?';
  check(trade, tradeFields, `Stored trade ${id}`);
  if ('exitFailures' in trade) check(trade.exitFailures, failureFields, `The failed exits of stored trade ${id}`);
  if ('stopFailures' in trade) check(trade.stopFailures, failureFields, `The failed stops of stored trade ${id}`);
  if ('stopByHand' in trade) check<Pick<Required<Trade>, 'stopByHand'>>(trade, { stopByHand: 'boolean' }, `Stored trade ${id}`);
  if ('payments' in trade) {
    check<Pick<Required<Trade>, 'payments'>>(trade, { payments: 'list' }, `Stored trade ${id}`);
    for (const payment of trade.payments) check(payment, paymentFields, `A payment of stored trade ${id}`);
  }
  if ('soldOutside' in trade) {
    check<Pick<Required<Trade>, 'soldOutside'>>(trade, { soldOutside: 'list' }, `Stored trade ${id}`);
    for (const sale of trade.soldOutside) check(sale, soldFields, `A sale outside of stored trade ${id}`);
  }
  if ('marginMode' in trade && trade.marginMode !== 'isolated' && trade.marginMode !== 'cross')
    throw new StoredStateError(`Stored trade ${id} cannot be read: "marginMode" is ${JSON.stringify(trade.marginMode)}.`);
  if ('customData' in trade) check<Pick<Required<Trade>, 'customData'>>(trade, { customData: 'record' }, `Stored trade ${id}`);
  if (trade.interest !== null) check(trade.interest, interestFields, `The interest of stored trade ${id}`);
  for (const order of trade.orders) {
    check(order, orderFields, `An order of stored trade ${id}`);
    for (const fill of order.fills) check(fill, fillFields, `A fill of stored trade ${id}`);
  }
}

/** What was stored with its version; what has none is of version 1. */
function versioned(stored: unknown, what: string): Record<string, unknown> & { version: number } {
  if (!isRecord(stored)) throw new StoredStateError(`${what} cannot be read: it is not an object.`);
  const { version = 1 } = stored;
  if (version !== 1 && version !== storedVersion) {
    throw new StoredStateError(
      `${what} is of version ${String(version)}, and this program reads version ${storedVersion}: start the version of Flotilla that wrote it.`,
    );
  }
  return { ...stored, version };
}

type Kind = 'string' | 'number' | 'boolean' | 'list' | 'record';
type Field = Kind | `${Kind} or null`;
type Fields<T> = Readonly<Record<keyof T & string, Field>>;

/** Fails: `StoredStateError` naming the first field that is missing or of another kind. */
function check<T>(value: unknown, fields: Fields<T>, what: string): asserts value is T {
  if (!isRecord(value)) throw new StoredStateError(`${what} cannot be read: it is not an object.`);
  for (const [name, field] of Object.entries<Field>(fields)) {
    if (field.endsWith(' or null') && value[name] === null) continue;
    const kind = kindOf(value[name]);
    const expected = field.replace(' or null', '');
    if (kind !== expected) throw new StoredStateError(`${what} cannot be read: "${name}" is ${kind}, not a ${expected}.`);
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (isRecord(value)) return 'record';
  if (value === null || value === undefined) return 'missing';
  return typeof value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const memoryFields: Fields<Omit<StoredMemory, 'version'>> = {
  nextTradeId: 'number',
  nextOrderNumber: 'number',
  locks: 'list',
  exitTimeouts: 'record',
  exitRetryTimes: 'record',
  enteredCandleTimes: 'record',
  formerTrades: 'list',
  recentTrades: 'list',
};

const lockFields: Fields<Lock> = { symbol: 'string', side: 'string', endTime: 'number', reason: 'string' };

const tradeFields: Fields<
  Omit<
    Trade,
    'marginMode' | 'fundedUntil' | 'payments' | 'soldOutside' | 'tooSmall' | 'exitFailures' | 'stopFailures' | 'stopByHand' | 'customData'
  >
> = {
  id: 'number',
  symbol: 'string',
  direction: 'string',
  marketType: 'string',
  leverage: 'number',
  openTime: 'number',
  closeTime: 'number or null',
  enterTag: 'string or null',
  exitReason: 'string or null',
  isOpen: 'boolean',
  orders: 'list',
  priceTick: 'number',
  amountStep: 'number',
  contractSize: 'number',
  feeOpen: 'number',
  feeClose: 'number',
  interest: 'record or null',
  amount: 'number',
  stake: 'number',
  stakeMax: 'number',
  openRate: 'number',
  openValue: 'number',
  closeRate: 'number or null',
  stop: 'number',
  stopRatio: 'number',
  initialStop: 'number',
  initialStopRatio: 'number',
  isStopTrailing: 'boolean',
  liquidationPrice: 'number or null',
  minRate: 'number',
  maxRate: 'number',
  fundingRunning: 'number',
  fundingFees: 'number',
  realizedProfit: 'number',
  profit: 'number or null',
  profitRatio: 'number or null',
};

const paymentFields: Fields<Payment> = { time: 'number', perUnit: 'number' };
const soldFields: Fields<SoldOutside> = { fillId: 'string', amount: 'number', time: 'number' };

const failureFields: Fields<Omit<OrderFailures, 'isNextWanted' | 'isProtective'>> = {
  since: 'number',
  last: 'number',
  orderId: 'string',
  marketPrice: 'number or null',
};

const interestFields: Fields<InterestTerms> = { scheme: 'string', ratePerPeriod: 'number' };

const orderFields: Fields<Omit<Order, 'isProtective'>> = {
  id: 'string',
  purpose: 'string',
  side: 'string',
  type: 'string',
  price: 'number',
  amount: 'number',
  tag: 'string or null',
  createdTime: 'number',
  candleTime: 'number',
  action: 'string',
  follows: 'string or null',
  state: 'string',
  isCancelWanted: 'boolean',
  reported: 'number',
  fills: 'list',
  filled: 'number',
  baseFee: 'number',
  fillPrice: 'number or null',
  filledTime: 'number or null',
  feeRatio: 'number or null',
  liquidity: 'string or null',
  fundingFee: 'number',
};

const fillFields: Fields<Fill> = {
  id: 'string',
  price: 'number',
  amount: 'number',
  fee: 'number',
  feeCurrency: 'string',
  feeInQuote: 'number or null',
  liquidity: 'string or null',
  time: 'number',
};
