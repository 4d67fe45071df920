import type { OwnSettings } from '#contract/own-settings.ts';
import { api } from '../api/api.ts';
import type { OwnEntries } from '../bots/configure/own/own-entries.ts';
import { ownEntriesOf, trailingNames } from '../bots/configure/own/own-entries.ts';

/**
 * What a new bot sets itself to trade as a run did: whatever its strategy does not have by now as well. A run may have been of another
 * timeframe, of the settings of a bot, or from before a change of the strategy; a parameter that the strategy has no longer is left out.
 *
 * Fails: as the calls that list the strategies and give the details of one
 */
export async function ownUnlike(strategyId: string, run: OwnSettings): Promise<OwnEntries> {
  const [{ strategies }, { parameters: declared }] = await Promise.all([
    api.listStrategies({}),
    api.strategyDetails({ params: { id: strategyId } }),
  ]);
  const strategy = strategies.find(({ id }) => id === strategyId);
  const names = new Set(declared.map(({ name }) => name));
  const parameters = Object.fromEntries(Object.entries(run.parameters ?? {}).filter(([name]) => names.has(name)));
  const all = ownEntriesOf({ ...run, parameters });
  if (strategy === undefined) return all;
  const inherited = ownEntriesOf({
    timeframe: strategy.default_timeframe,
    stoploss: strategy.stoploss,
    minimal_roi: strategy.minimal_roi,
    trailing: {
      trailing_stop: strategy.trailing_stop,
      trailing_stop_positive: strategy.trailing_stop_positive ?? 0,
      trailing_stop_positive_offset: strategy.trailing_stop_positive_offset ?? 0,
      trailing_only_offset_is_reached: strategy.trailing_only_offset_is_reached,
    },
    max_consecutive_losses: strategy.max_consecutive_losses,
    risk_reward_ratio: strategy.risk_reward_ratio ?? 0,
    order_types: strategy.order_types,
    order_time_in_force: strategy.order_time_in_force,
    parameters: Object.fromEntries(declared.map(({ name, default: value }) => [name, value])),
  });
  const differs = (name: string): boolean => all[name] !== undefined && all[name] !== inherited[name];
  const trails = trailingNames.some(differs); // they are set together
  const isTrailing = (name: string): boolean => trailingNames.some((each) => each === name);
  return Object.fromEntries(Object.entries(all).filter(([name]) => (isTrailing(name) ? trails : differs(name))));
}
