import type { Gate } from '#engine/bot/effect.ts';
import type { FleetBot } from '../live/joined-fleet.ts';

/** A sentence in two halves: what the bot did, and why. */
export interface Sentence {
  what: string;
  why: string; // empty when there is nothing more
}

/** What kept a bot from entering, gate by gate. */
const refusals: Record<
  Exclude<Gate, 'no-signal' | 'has-open-trade' | 'exit-not-profitable' | 'account-differs'>,
  (bot: FleetBot) => string
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
  locked: () => 'the pair is locked for now',
  'slots-full': ({ max_open_trades: max }) => (max === undefined ? 'no free slot' : `no free slot (${max} of ${max} open)`),
  'no-price': () => 'no price came before the next candle closed',
  'insufficient-balance': () => 'the free balance is below the stake',
  'stake-too-large': () => "the stake is above the market's maximum",
  'stake-too-small': () => "the stake is below the market's minimum",
  'amount-too-small': () => "the amount is below the market's minimum",
  'refused-by-strategy': () => 'the strategy refused it',
};

/** What a bot is doing: what is wrong with it, else what the kill switch leaves of its trading, else its status when it makes no entries, else its last decision. */
export function botSentence(bot: FleetBot, held: 'halted' | 'reducing' | null = null): Sentence {
  if (bot.status === 'stopped') return { what: 'Stopped', why: 'nothing runs' };
  if (bot.last_error !== null) return { what: 'Problem', why: bot.last_error };
  if (held === 'halted') return { what: 'Halted', why: 'no new orders but stops' };
  if (held === 'reducing') return { what: 'Reducing', why: 'no new trades; exits and stops continue' };
  if (bot.status === 'paused') {
    return { what: 'Paused', why: bot.open_trades > 0 ? 'no new entries; open trades keep their stops and exits' : 'no new entries' };
  }
  const decision = bot.last_decision;
  if (decision === undefined) return { what: '', why: '' };
  if (decision === null) return { what: 'Waiting', why: 'the next candle has not closed yet' };
  return decisionSentence(bot, decision);
}

function decisionSentence(bot: FleetBot, { symbol, action, gate, direction }: NonNullable<FleetBot['last_decision']>): Sentence {
  const side = direction === null ? '' : ` ${direction}`;
  if (action === 'enter') return { what: `Entered ${symbol}${side}`, why: '' };
  if (action === 'exit') return { what: `Left ${symbol}`, why: '' };
  if (action === 'hold') return { what: `Holding ${symbol}`, why: holding(gate) };
  if (gate === null || gate === 'no-signal') return { what: `No signal in ${symbol}`, why: '' };
  const refusal = (refusals as Readonly<Record<string, (of: FleetBot) => string>>)[gate];
  return { what: `No entry in ${symbol}${side}`, why: refusal?.(bot) ?? gate.replaceAll('-', ' ') };
}

function holding(gate: string | null): string {
  if (gate === 'exit-not-profitable') return 'the exit signal waits for a profit';
  if (gate === 'halted') return 'trading is halted: only stops close it';
  if (gate === 'account-differs') return 'its account holds less than the trade: decide about the difference';
  return gate === 'has-open-trade' ? 'a new signal came while the trade is open' : '';
}
