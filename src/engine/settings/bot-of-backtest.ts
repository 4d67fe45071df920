import type { StrategyValues } from './own-settings.ts';

/** The bot whose settings a backtest runs with, as they were when it was asked for. Plain data, it survives JSON. */
export interface BotOfBacktest {
  id: string;
  nickname: string;
  leverage: string; // exact, e.g. '3'
  leverageMode: 'isolated' | 'cross';
  values: StrategyValues; // what it traded with: its own, else its strategy's; the run has a timeframe of its own
  parameters: Readonly<Record<string, number>>; // what its strategy was computed with
}
