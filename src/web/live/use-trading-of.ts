import type { TradingState, TradingSwitch } from './use-trading-state.ts';
import { useTradingState } from './use-trading-state.ts';

/** A bot and whose it is; an owner who is not known is null. */
export interface BotOfOwner {
  id: string;
  ownerId: string | null;
}

const strength: readonly TradingState[] = ['active', 'reducing', 'halted'];

/** Whether a switch concerns a bot: its own, its owner's, or the server's. */
export function concerns({ level, id }: Pick<TradingSwitch, 'level' | 'id'>, bot: BotOfOwner): boolean {
  return level === 'server' || (level === 'user' ? id === bot.ownerId : id === bot.id);
}

/** What the kill switches leave of a bot's trading: the strongest of those that concern it. */
export function tradingOf(switches: readonly Pick<TradingSwitch, 'level' | 'id' | 'state'>[], bot: BotOfOwner): TradingState {
  const places = switches.filter((each) => concerns(each, bot)).map(({ state }) => strength.indexOf(state));
  return strength[Math.max(0, ...places)] ?? 'active';
}

/** See `tradingOf`; 'active' while the switches are not known. */
export function useTradingOf(bot: BotOfOwner): TradingState {
  return tradingOf(useTradingState().view?.switches ?? [], bot);
}
