import type { strategy } from '#contract/strategies.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import type { MessageResult } from '#storage/trades/trade-messages.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { z } from 'zod';

/** The secrets of a strategy in clear; null for none, and for everybody but admins. */
export interface ShownSecrets {
  webhook: string | null;
  sheetsKey: string | null;
  webhookResult: MessageResult | null;
  sheetResult: MessageResult | null;
  sheetAccount: string | null;
}

/** What everybody but admins is shown. */
export const noSecrets: ShownSecrets = {
  webhook: null,
  sheetsKey: null,
  webhookResult: null,
  sheetResult: null,
  sheetAccount: null,
};

/** A strategy as the contract has it. */
export function toStrategyReply(view: StrategyView, secrets: ShownSecrets): z.input<typeof strategy> {
  return {
    id: view.id,
    name: view.name,
    description: view.description,
    strategy_class_name: view.className,
    supported_exchanges: view.supportedExchanges,
    default_timeframe: view.defaultTimeframe as StrategyTimeframe,
    stoploss: Number(view.stoploss),
    trailing_stop: view.trailingStop,
    trailing_stop_positive: numberOrNull(view.trailingStopPositive),
    trailing_stop_positive_offset: numberOrNull(view.trailingStopPositiveOffset),
    trailing_only_offset_is_reached: view.trailingOnlyOffsetIsReached,
    max_consecutive_losses: view.maxConsecutiveLosses,
    risk_reward_ratio: numberOrNull(view.riskRewardRatio),
    minimal_roi: view.minimalRoi,
    order_types: view.orderTypes,
    order_time_in_force: view.orderTimeInForce,
    encrypted_webhook: secrets.webhook,
    encrypted_sheets_key: secrets.sheetsKey,
    version: view.version,
    webhook_result: secrets.webhookResult,
    sheet_result: secrets.sheetResult,
    sheet_account: secrets.sheetAccount,
    kind: view.kind,
    code_version: view.codeNumber,
  };
}
