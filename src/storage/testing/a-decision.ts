import type { DecisionRow } from '../bots/decisions.ts';

/** The decision of a bot on the 1m candle of BTC/USDT that opened at a time, without a signal, except for what is given. A builder for tests. */
export function aDecision(botId: string, candleTime: number, given: Partial<DecisionRow> = {}): DecisionRow {
  return {
    botId,
    epoch: '0',
    symbol: 'BTC/USDT',
    candleTime,
    action: 'none',
    gate: 'no-signal',
    seen: { enterLong: false, exitLong: false, enterShort: false, exitShort: false },
    decidedAt: candleTime + 60_000,
    ...given,
  };
}
