import type { LossName } from '#engine/lab/losses.ts';
import { fillPlan } from '../portfolio/portfolio-store.ts';
import { planFormAt } from '../portfolio/plan-form.ts';
import { fillSearch, rangeKey, typedRange } from './search-form.ts';
import type { StudyItem } from './use-studies.ts';
import { showStudy } from './use-studies.ts';

/** Opens the form of a new study, filled in like another one; by another chance. Nothing is begun. */
export function openSearchLike(study: StudyItem): void {
  const { plan, dimensions, strategy_id: strategyId } = study;
  const percentOf = (ratio: number): number => Number((ratio * 100).toPrecision(12));
  fillPlan({
    strategyId,
    exchangeId: study.exchange_id,
    botId: study.bot?.id ?? null,
    tradingMode: plan.trading_mode,
    pairs: [...plan.pairs],
    from: plan.from,
    to: plan.to,
    timeframe: plan.timeframe,
    detailTimeframe: plan.detail_timeframe,
    slots: plan.max_open_trades,
    balance: plan.starting_balance,
    isUnlimited: plan.stake_amount === null,
    ...(plan.stake_amount === null ? {} : { stake: plan.stake_amount }),
    leverage: plan.leverage,
    feePercent: plan.fee_ratio === null ? '' : percentOf(plan.fee_ratio),
    slippagePercent: percentOf(plan.slippage_ratio),
    protections: protectionsOf(study),
  });
  fillSearch({
    spaces: [...study.spaces],
    ranges: Object.fromEntries(dimensions.map((dimension) => [rangeKey(strategyId, dimension.name), typedRange(dimension)])),
    loss: study.loss as LossName, // one that this server has run
    sampler: study.sampler,
    epochs: study.epochs_wanted,
    minTrades: study.min_trades,
    seed: '',
    earlyStop: study.early_stop ?? '',
    sealedPercent: study.sealed_ratio === null ? '' : percentOf(study.sealed_ratio),
  });
  showStudy(null);
}

function protectionsOf({ plan }: StudyItem) {
  const { cooldown, stoplossGuard } = planFormAt(plan.to).protections;
  const pause = plan.protections.find((each) => each.kind === 'cooldown');
  const guard = plan.protections.find((each) => each.kind === 'stoploss-guard');
  return {
    cooldown: pause === undefined ? cooldown : { isOn: true, stopMinutes: pause.stopMinutes },
    stoplossGuard:
      guard === undefined
        ? stoplossGuard
        : { isOn: true, tradeLimit: guard.tradeLimit, lookbackMinutes: guard.lookbackMinutes, stopMinutes: guard.stopMinutes },
  };
}
