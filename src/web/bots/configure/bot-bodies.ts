import type { newBot } from '#contract/bots.ts';
import type { z } from 'zod';
import type { BotEntries } from './bot-entries.ts';
import { toOwnChanges } from './own/own-entries.ts';

type Shared = Omit<z.infer<typeof newBot>, 'strategy_id' | 'user_email' | 'mode' | 'nickname' | 'api_key_id'>;

function shared(entries: BotEntries, stored: BotEntries | null): Shared {
  const own = toOwnChanges(entries.own, stored?.own ?? {});
  return {
    exchange_id: entries.exchangeId ?? '',
    margin_mode: entries.marketType === '' ? 'spot' : entries.marketType, // checked before
    stake_currency: entries.stakeCurrency ?? '',
    stake_amount: Number(entries.stakeAmount),
    max_open_trades: Number(entries.maxOpenTrades),
    leverage: Number(entries.leverage),
    trading_pairs: [...(entries.pairs ?? [])],
    leverage_mode: entries.leverageMode,
    ...(own === undefined ? {} : { own_settings: own }),
  };
}

/** The fields that create the bot; `apiKeyId` is of the key it gets, null for none. */
export function toNewBot(entries: BotEntries, apiKeyId: string | null): z.infer<typeof newBot> {
  const nickname = entries.nickname.trim();
  return {
    ...shared(entries, null),
    strategy_id: entries.strategyId ?? '',
    user_email: entries.userEmail.trim(),
    mode: entries.mode,
    ...(nickname === '' ? {} : { nickname }),
    ...(apiKeyId === null ? {} : { api_key_id: apiKeyId }),
  };
}

/** The fields that change an existing bot, of its own settings those that differ; `apiKeyId` is of the key it gets, null where it keeps its own. */
export function toBotChanges(
  entries: BotEntries,
  stored: BotEntries | null,
  apiKeyId: string | null,
): Shared & { nickname: string; api_key_id?: string } {
  return { ...shared(entries, stored), nickname: entries.nickname.trim(), ...(apiKeyId === null ? {} : { api_key_id: apiKeyId }) };
}

/** The key as it is stored; what is empty or still masked is not sent. */
export function toApiKey(entries: BotEntries, stored: BotEntries | null) {
  const { label, key, secret, passphrase } = entries;
  return {
    exchange_id: entries.exchangeId ?? '',
    key,
    secret,
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(passphrase.trim() === '' || passphrase === stored?.passphrase ? {} : { passphrase }),
  };
}
