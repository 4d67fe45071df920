import type { Limit, Limits } from './limit-draft.ts';

type Level = Limits['level'];

const names: Readonly<Record<Limit['name'], string>> = {
  'order-value': 'Value of one order',
  'position-value': 'Value of all positions',
  'open-orders': 'Open orders',
  'orders-per-minute': 'Orders per minute',
  'price-collar': 'Distance from mid price',
  leverage: 'Leverage',
  'daily-loss': 'Loss per day (UTC)',
  drawdown: 'Drawdown in total',
};

/** What a limit is about. */
export function limitName({ name }: Pick<Limit, 'name'>, level: Level): string {
  return name === 'position-value' && level === 'bot' ? 'Value of one position' : names[name];
}

/** What happens when a limit is reached. */
export function breachText({ name }: Pick<Limit, 'name'>, level: Level): string {
  if (name !== 'daily-loss' && name !== 'drawdown') return 'entry refused';
  return level === 'bot' ? 'pauses the bot until it is activated' : 'stops entries until re-armed';
}

/** Whose limits they are, as the start of a sentence. */
export function levelName(level: Level): string {
  return { bot: 'This bot', user: 'All bots of the owner', server: 'Whole server' }[level];
}
