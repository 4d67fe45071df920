import type { BotSettings } from '#storage/bots/bot-settings.ts';

const names: Readonly<Record<keyof BotSettings, string>> = {
  nickname: 'nickname',
  exchangeId: 'exchange_id',
  marketType: 'margin_mode',
  stakeCurrency: 'stake_currency',
  stakeAmount: 'stake_amount',
  symbols: 'trading_pairs',
  maxOpenTrades: 'max_open_trades',
  leverage: 'leverage',
  leverageMode: 'leverage_mode',
};

/** What differs between two versions, by the contract's names. Amounts are compared as numbers: '100' and '100.0' are the same. */
export function changesOf(before: BotSettings, after: BotSettings): { field: string; from: string; to: string }[] {
  return (Object.keys(names) as (keyof BotSettings)[]).flatMap((key) => {
    const [from, to] = [textOf(before, key), textOf(after, key)];
    return from === to ? [] : [{ field: names[key], from, to }];
  });
}

function textOf(settings: BotSettings, key: keyof BotSettings): string {
  const value = settings[key];
  if (key === 'stakeAmount' || key === 'leverage') return String(Number(value));
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The same as a line of the audit log has it. */
export function differences(before: BotSettings, after: BotSettings): Record<string, unknown> {
  return Object.fromEntries(changesOf(before, after).map(({ field, from, to }) => [field, { from, to }]));
}
