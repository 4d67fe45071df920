import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { OrderType } from '../market/order-type.ts';
import type { Direction, Side } from '../market/direction.ts';

/** How long a limit order stands: until it is cancelled, or only as far as it is filled at once, or only when that is all of it. */
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';

/** An order as it is handed to an exchange. */
export interface OrderRequest {
  clientOrderId: string; // ours; the exchange refuses it while an order of this id is open
  symbol: string;
  side: Side;
  type: OrderType | 'stop'; // a stop becomes a market order when the price reaches `stopPrice`
  amount: number; // base currency
  price: number | null; // of a limit order
  stopPrice: number | null; // of a stop
  timeInForce?: TimeInForce; // of a limit order; GTC when it does not say
  reduceOnly: boolean; // it may only make a position smaller; spot ignores it
  isEntry?: boolean; // it opens a trade: where the exchange limits orders, those that leave or protect one go first
  expiresAt: number; // ms; the exchange does not take it after this time
}

/** What an exchange knows of an order. */
export interface VenueOrder {
  clientOrderId: string;
  exchangeOrderId: string;
  symbol: string;
  side: Side;
  type: OrderRequest['type'];
  state: Extract<OrderState, 'open' | 'filled' | 'cancelled' | 'expired' | 'refused'>;
  requested: number; // base currency
  filled: number;
  price: number | null;
  stopPrice: number | null;
  createdTime: number; // ms
}

/** A fill as an exchange lists it: whose it is, and a number by which later ones can be asked for. */
export interface VenueFill extends Fill {
  clientOrderId: string;
  symbol: string;
  side: 'buy' | 'sell';
  isLiquidation?: true; // of an order of the exchange, as the margin of a position was used up
}

/** What an exchange took of an account for the liquidation of a position, or gave back where its price went beyond the margin; no fill says it. */
export interface Clearance {
  amount: number; // negative when the account paid
  currency: string;
  time: number; // ms; an exchange may round it down to the second
}

/** A balance of one currency. */
export interface Balance {
  currency: string;
  free: number;
  locked: number; // in open orders
}

/** A position in a perpetual. */
export interface Position {
  symbol: string;
  direction: Direction;
  amount: number; // base currency
  entryPrice: number;
  leverage: number;
  marginMode: 'isolated' | 'cross';
}

/** The leverage and margin mode of a symbol, whether something is held or not. */
export type MarginSettings = Pick<Position, 'leverage' | 'marginMode'>;

/** What a user stream reports. Reports may repeat themselves and overtake each other; a gap is reported as such. */
export type AccountReport =
  | { kind: 'order'; order: VenueOrder; fill: VenueFill | null } // the fill that made the report, if one did
  | { kind: 'balance'; balance: Balance }
  | { kind: 'gap' }; // something may have been missed: ask for orders and fills since

/**
 * The trading side of one account at one exchange and market type.
 *
 * Fails: `ExchangeError`. After `rejected` nothing was done; after `unknown` nobody knows, and only a look-up by client id
 * says. A call is never repeated inside the port.
 */
export interface Trading {
  readonly accountId: string;
  /** Places an order. Fails: `rejected` for a refusal, a used client id included */
  place(request: OrderRequest): Promise<VenueOrder>;
  /** Asks for an order to be cancelled and gives what became of it. Fails: `rejected` when it has ended or is not known */
  cancel(symbol: string, clientOrderId: string): Promise<VenueOrder>;
  /** The newest order of this client id; null when the exchange has none, or none any more. */
  order(symbol: string, clientOrderId: string): Promise<VenueOrder | null>;
  /** All open orders of the account, also those that are not ours; of one symbol or of all. */
  openOrders(symbol?: string): Promise<VenueOrder[]>;
  /** Orders made at or after a time, oldest first. */
  ordersSince(symbol: string, since: number): Promise<VenueOrder[]>;
  /** Fills after the one of this id, oldest first; all that the exchange still has with null. Fails: `NotListed` when it does not have the instrument */
  fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]>;
  /** What liquidations in a symbol were cleared with at or after a time, oldest first; none where the exchange does not say. Fails: `NotListed` as above */
  clearances(symbol: string, since: number): Promise<Clearance[]>;
  balances(): Promise<Balance[]>;
  /** Positions that are not flat; none on spot. */
  positions(): Promise<Position[]>;
  /** Sets the leverage of a symbol; a leverage that is set already is a yes. Fails: `rejected` on spot */
  setLeverage(symbol: string, leverage: number): Promise<void>;
  /** Sets the margin mode of a symbol; one that is set already is a yes. Fails: `rejected` on spot, and while something is held */
  setMarginMode(symbol: string, mode: Position['marginMode']): Promise<void>;
  /** The leverage and margin mode that a symbol has, as the exchange says. Fails: `rejected` on spot */
  marginSettings(symbol: string): Promise<MarginSettings>;
  /** Runs questions that nobody needs at once, as those of a bot that begins: while the exchange's limit is used up they wait for minutes. */
  patiently<Result>(questions: () => Promise<Result>): Promise<Result>;
  /** Begins to watch the account; the returned function ends it. */
  watch(listener: (report: AccountReport) => void): () => void;
  close(): Promise<void>;
}
