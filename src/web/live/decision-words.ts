import type { Gate } from '#engine/bot/effect.ts';

/** A sentence in two halves: what the bot did, and why. */
export interface Sentence {
  what: string;
  why: string; // empty when there is nothing more
}

/** A decision, as far as it is said in words. */
export interface SaidDecision {
  symbol: string;
  action: string;
  gate: string | null;
  direction: 'long' | 'short' | null;
}

/** What a bot did with a candle, and why; `maxOpenTrades` is how many trades it may have at once. */
export function decisionSentence({ symbol, action, gate, direction }: SaidDecision, maxOpenTrades: number | undefined): Sentence {
  const side = direction === null ? '' : ` ${direction}`;
  if (action === 'enter') return { what: `Entered ${symbol}${side}`, why: '' };
  if (action === 'exit') return { what: `Left ${symbol}`, why: '' };
  if (action === 'hold') return { what: `Holding ${symbol}`, why: holding(gate) };
  if (gate === null || gate === 'no-signal') return { what: `No signal in ${symbol}`, why: '' };
  return { what: `No entry in ${symbol}${side}`, why: refusalText(gate, maxOpenTrades) };
}

/** Why a signal did not become an entry. A gate that is not known here is read as it is named. */
export function refusalText(gate: string, maxOpenTrades?: number): string {
  if (gate === 'has-open-trade') return 'a trade of the pair was open';
  const refusal = (refusals as Readonly<Record<string, (max: number | undefined) => string>>)[gate];
  return refusal?.(maxOpenTrades) ?? gate.replaceAll('-', ' ');
}

/** What kept a bot from entering, gate by gate. */
const refusals: Record<
  Exclude<Gate, 'no-signal' | 'has-open-trade' | 'exit-not-profitable' | 'account-differs'>,
  (maxOpenTrades: number | undefined) => string
> = {
  'stale-candle': () => 'the newest candle is too old',
  'expired-signal': () => 'the signal came too late',
  halted: () => 'trading was halted',
  reducing: () => 'entries were stopped',
  stopped: () => 'the bot was stopped',
  paused: () => 'the bot was paused',
  'limit-order-value': () => 'the order would exceed the limit of one order',
  'limit-position-value': () => 'the position would exceed its limit',
  'limit-open-orders': () => 'as many orders are open as the limit allows',
  'limit-orders-per-minute': () => 'as many orders were made within a minute as the limit allows',
  'limit-price-collar': () => 'its price was too far from the mid price',
  'limit-leverage': () => 'the leverage is above its limit',
  'limit-daily-loss': () => 'the loss of the day has reached its limit',
  'limit-drawdown': () => 'the drawdown has reached its limit',
  'pair-locked': () => 'a person has locked the pair',
  'opposite-position': () => 'the account holds the opposite direction, for another bot or for no bot',
  'other-leverage': () => 'another bot with the same API key holds it with another leverage or margin mode',
  locked: () => 'the pair is locked for now',
  'slots-full': (max) => (max === undefined ? 'no free slot' : `no free slot (${max} of ${max} open)`),
  'no-price': () => 'no price came before the next candle closed',
  'insufficient-balance': () => 'the free balance is below the stake',
  'stake-too-large': () => "the stake is above the market's maximum",
  'stake-too-small': () => "the stake is below the market's minimum",
  'amount-too-small': () => "the amount is below the market's minimum",
  'refused-by-strategy': () => 'the strategy refused it',
  'strategy-failed': () => 'the strategy failed',
};

function holding(gate: string | null): string {
  if (gate === 'exit-not-profitable') return 'the exit signal waits for a profit';
  if (gate === 'halted') return 'trading is halted: only stops close it';
  if (gate === 'account-differs') return 'its account holds less than the trade: decide about the difference';
  if (gate === 'strategy-failed') return 'the strategy failed; stop and ROI continue without it';
  return gate === 'has-open-trade' ? 'a new signal came while the trade is open' : '';
}
