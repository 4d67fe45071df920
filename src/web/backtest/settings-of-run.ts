import type { CallReply } from '#contract/client.ts';
import type { OwnSettings } from '#contract/own-settings.ts';

type BotOfRun = NonNullable<CallReply<'backtestResults'>['results'][number]['bot']>;

/** The settings of a bot that a run was made with, as a bot sets them itself. */
export function settingsOfRun(bot: BotOfRun): OwnSettings {
  return {
    stoploss: bot.stoploss,
    minimal_roi: bot.minimal_roi,
    trailing: {
      trailing_stop: bot.trailing_stop,
      trailing_stop_positive: bot.trailing_stop_positive ?? 0,
      trailing_stop_positive_offset: bot.trailing_stop_positive_offset,
      trailing_only_offset_is_reached: bot.trailing_only_offset_is_reached,
    },
    max_consecutive_losses: bot.max_consecutive_losses,
    risk_reward_ratio: bot.risk_reward_ratio ?? 0,
    order_types: bot.order_types,
    order_time_in_force: bot.order_time_in_force,
    parameters: bot.parameters,
  };
}
