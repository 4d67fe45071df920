import type { LossName } from '#engine/lab/losses.ts';
import { fillPlan } from '../portfolio/portfolio-store.ts';
import { fieldsOfPlan, percentOf } from '../portfolio/plan-of-run.ts';
import { fillSearch, rangeKey, typedRange } from './search-form.ts';
import type { StudyItem } from './use-studies.ts';
import { showStudy } from './use-studies.ts';

/** Opens the form of a new study, filled in like another one; by another chance. Nothing is begun. */
export function openSearchLike(study: StudyItem): void {
  const { plan, dimensions, strategy_id: strategyId } = study;
  fillPlan({
    strategyId,
    exchangeId: study.exchange_id,
    botId: study.bot?.id ?? null,
    ...fieldsOfPlan(plan),
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
