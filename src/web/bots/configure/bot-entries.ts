import type { Bot } from '#contract/bots.ts';
import type { serverConfig } from '#contract/settings.ts';
import type { z } from 'zod';
import type { BotConfig } from '../use-bot-details.ts';
import type { OwnEntries } from './own/own-entries.ts';
import { ownEntriesOf, withoutOwn } from './own/own-entries.ts';

/** Limits and defaults of the form, as the server has them. */
export type Limits = z.infer<typeof serverConfig>;

/** What the form holds. Numbers are text while they are typed; null is what nobody has chosen yet. */
export interface BotEntries {
  userEmail: string;
  nickname: string;
  strategyId: string | null;
  exchangeId: string | null;
  marketType: Bot['margin_mode'] | '';
  mode: Bot['mode'];
  stakeCurrency: string | null;
  pairs: readonly string[] | null;
  stakeAmount: string; // e.g. '100'
  maxOpenTrades: string;
  leverage: string;
  leverageMode: Bot['leverage_mode'];
  own: OwnEntries; // in place of its strategy's
  storedKey: string; // id of a key that is stored already; empty: none is chosen
  label: string; // of the API key
  key: string;
  secret: string;
  passphrase: string;
}

/** The form of a new bot; what is null is filled in with the first of what is offered. */
export function newEntries(limits: Limits): BotEntries {
  return {
    userEmail: '',
    nickname: '',
    strategyId: null,
    exchangeId: null,
    marketType: 'spot',
    mode: 'paper',
    stakeCurrency: null,
    pairs: null,
    stakeAmount: String(limits.stake_amount_default),
    maxOpenTrades: String(limits.max_open_trades.default),
    leverage: String(limits.leverage.default),
    leverageMode: 'isolated',
    own: {},
    ...noKey,
  };
}

const noKey = { storedKey: '', label: '', key: '', secret: '', passphrase: '' };

/** The form of a bot as it is stored; of its key the masked values. */
export function entriesOf(config: BotConfig): BotEntries {
  const { api_key: key } = config;
  return {
    ...settingsOf(config),
    userEmail: config.email,
    nickname: config.nickname,
    mode: config.mode,
    ...(key === null
      ? noKey
      : { storedKey: '', label: key.label ?? '', key: key.key, secret: key.secret, passphrase: key.passphrase ?? '' }),
  };
}

/** What a copy of the bot starts with: its settings, in paper mode, under a name of its own. What counts for nothing is left behind. */
export function copyOf(bot: Bot, ownsIt: boolean): Partial<BotEntries> {
  const ending = ' (copy)';
  return {
    ...settingsOf(bot),
    own: withoutOwn(
      ownEntriesOf(bot.own_settings),
      bot.own_settings_ignored.map((name) => `parameters.${name}`),
    ),
    nickname: `${bot.nickname.slice(0, 60 - ending.length)}${ending}`,
    ...(ownsIt ? {} : { userEmail: bot.email }),
  };
}

function settingsOf(bot: Bot): Omit<BotEntries, 'userEmail' | 'nickname' | 'mode' | keyof typeof noKey> {
  return {
    strategyId: bot.strategy_id,
    exchangeId: bot.exchange_id,
    marketType: bot.margin_mode,
    stakeCurrency: bot.stake_currency,
    pairs: bot.trading_pairs,
    stakeAmount: String(bot.stake_amount),
    maxOpenTrades: String(bot.max_open_trades),
    leverage: String(bot.leverage),
    leverageMode: bot.leverage_mode,
    own: ownEntriesOf(bot.own_settings),
  };
}

/** A change of the form with what it clears: what an exchange offers is chosen again after another one, and so on down. */
export function withCleared(changes: Partial<BotEntries>): Partial<BotEntries> {
  if ('exchangeId' in changes) return { ...changes, stakeCurrency: null, pairs: null, ...noKey };
  if ('marketType' in changes) return { ...changes, stakeCurrency: null, pairs: null };
  return 'stakeCurrency' in changes ? { ...changes, pairs: null } : changes;
}

/** The number that was typed; NaN when it is none. */
export function numberIn(text: string): number {
  return /\d/u.test(text) ? Number(text) : Number.NaN;
}

/** The stake as it is left in its field: what is not above zero becomes the default. */
export function leftStake(text: string, limits: Limits): string {
  const stake = numberIn(text);
  return String(Number.isFinite(stake) && stake > 0 ? stake : limits.stake_amount_default);
}

/** The number of trades as it is left in its field: what is not a whole number within the limits becomes the default. */
export function leftMaxOpenTrades(text: string, { max_open_trades: { min, max, default: fallback } }: Limits): string {
  const trades = numberIn(text);
  return String(Number.isInteger(trades) && trades >= min && trades <= max ? trades : fallback);
}

/** The leverage as it is left in its field: what is outside the limits becomes the default. */
export function leftLeverage(text: string, { leverage: { min, max, default: fallback } }: Limits): string {
  const leverage = numberIn(text);
  return String(leverage >= min && leverage <= max ? leverage : fallback);
}
