import { toDecimal, toText } from '#engine/market/decimal.ts';
import type { AlarmKind } from '#storage/alarms/alarms.ts';
import type { DaySum } from '#storage/channels/day-sums.ts';
import type { ChannelNotice } from '#storage/channels/channel-messages.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { AlarmWords } from './alarm-words.ts';
import { plainName } from './plain-name.ts';

/** The bot that a notice is about. */
export interface NoticeBot {
  nickname: string;
  mode: TradeMode;
}

/** What a notice says of a trade; numbers as they are stored. */
export interface NoticeTrade {
  symbol: string;
  direction: 'long' | 'short';
  amount: number;
  stake: number;
  leverage: number;
  openRate: number;
  closeRate: number | null;
  profit: number | null;
  exitReason: string | null;
}

/** That a trade was opened. */
export function openedNotice(bot: NoticeBot, trade: NoticeTrade, currency: string): ChannelNotice {
  const leverage = trade.leverage === 1 ? '' : `, leverage ${exact(trade.leverage)}`;
  const what = `${exact(trade.amount)} at ${exact(trade.openRate)}, stake ${exact(trade.stake)} ${currency}${leverage}`;
  return { topic: 'trade-opened', text: about(bot, `opened ${trade.symbol} ${trade.direction}: ${what}`) };
}

/** That a trade was closed, and what it came to. */
export function closedNotice(bot: NoticeBot, trade: NoticeTrade, currency: string): ChannelNotice {
  const price = trade.closeRate === null ? '' : ` at ${exact(trade.closeRate)}`;
  const costs = trade.symbol.includes(':') ? 'fees and funding' : 'fees';
  const reason = trade.exitReason === null ? '' : ` (${plainName(trade.exitReason).replaceAll('_', ' ')})`;
  const result = profitText(toText(toDecimal(trade.profit ?? 0)), currency);
  return {
    topic: 'trade-closed',
    text: about(bot, `closed ${trade.symbol} ${trade.direction}${price}: ${result} after ${costs}${reason}`),
  };
}

/** That a bot has paused itself. */
export function pausedItselfNotice(bot: NoticeBot, losses: number): ChannelNotice {
  const text = `paused itself after ${losses === 1 ? 'a loss' : `${losses} losses in a row`}. It still manages its open trades.`;
  return { topic: 'bot-paused', text: about(bot, text) };
}

/** That an administrator has paused or stopped a bot. */
export function pausedByOtherNotice(bot: NoticeBot, status: 'paused' | 'stopped'): ChannelNotice {
  const what = status === 'paused' ? 'It still manages its open trades.' : 'It does nothing any more.';
  return { topic: 'bot-paused', text: about(bot, `was ${status} by an administrator. ${what}`) };
}

const switchTexts = {
  active: (whose: string) => `an administrator has re-armed trading of ${whose}. Entries are allowed again.`,
  reducing: (whose: string) => `an administrator has stopped the entries of ${whose}. Exits and stops continue.`,
  halted: (whose: string) => `an administrator has halted ${whose}. Stops at the exchange stay.`,
  closed: (whose: string) => `an administrator has halted ${whose} and has all open trades closed.`,
};

/** That an administrator has set the kill switch over a bot, or over all of a person. */
export function switchNotice(state: keyof typeof switchTexts, modes: readonly TradeMode[], whose: string): ChannelNotice {
  return { topic: 'bot-paused', text: `${modePrefix(modes)}${switchTexts[state](plainName(whose))}` };
}

const alarmTopics: Readonly<Partial<Record<AlarmKind, ChannelNotice['topic']>>> = {
  'unprotected-position': 'stop-missing',
  'no-runner': 'runner-lost',
  'limit-reached': 'bot-paused',
  'bot-failing': 'bot-paused',
  'strategy-rests': 'bot-paused',
  'stopped-by-other': 'bot-paused',
};

/** What a channel is about to which an alarm of this kind belongs; null for one that is shown on the pages and mailed alone. */
export function alarmTopic(kind: AlarmKind): ChannelNotice['topic'] | null {
  return alarmTopics[kind] ?? null;
}

/** An alarm about something in these modes. */
export function alarmNotice(
  topic: ChannelNotice['topic'],
  modes: readonly TradeMode[],
  { title, what, advice }: AlarmWords,
): ChannelNotice {
  return { topic, text: plainName(`${modePrefix(modes)}${title}. ${what} ${advice}`) };
}

/** What a person's bots have made on a UTC day, each mode and currency by itself. */
export function daySumNotice(day: string, sums: readonly DaySum[]): ChannelNotice {
  const parts = sums.map(({ mode, currency, trades, won, profit }) => {
    const closed = trades === 1 ? '1 trade closed' : `${trades} trades closed`;
    return `${modeName(mode)}: ${closed}, ${won} won, ${profitText(profit, currency)}`;
  });
  return { topic: 'day-sum', text: `${day} (UTC): ${parts.length === 0 ? 'no trade was closed' : parts.join('; ')}.` };
}

/** The text of a test message. */
export function testText(name: string): string {
  return `Test message of Flotilla for the channel ${plainName(name)}`;
}

function about({ nickname, mode }: NoticeBot, text: string): string {
  return `${modeName(mode)}: ${plainName(nickname)} ${text}`;
}

function modePrefix(modes: readonly TradeMode[]): string {
  return modes.length === 0 ? '' : `${modes.map(modeName).join(' and ')}: `;
}

function modeName(mode: TradeMode): string {
  return mode.toUpperCase();
}

function profitText(profit: string, currency: string): string {
  if (/^-?0(?:\.0*)?$/u.test(profit)) return `0 ${currency}`;
  return `${profit.startsWith('-') ? 'loss' : 'profit'} ${profit.replace('-', '')} ${currency}`;
}

/** A number with all its digits, never as a power of ten. */
function exact(value: number): string {
  return toText(toDecimal(value));
}
