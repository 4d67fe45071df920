import type { CallReply } from '#contract/client.ts';
import { portfolioPlan } from '#contract/portfolios.ts';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import { luckOfMoments, type Tries } from '#engine/lab/judgement/judgement.ts';
import type { WalkForward } from '#engine/lab/judgement/walk-forward.ts';
import type { Markets } from '#feeds/markets.ts';
import type { EpochRow, StudyView } from '#storage/studies/studies.ts';
import { botReply } from '../backtests/run-reply.ts';
import type { Caller } from '../calls/caller.ts';

type Reply = CallReply<'study'>;
type Details = NonNullable<Reply['details']>;
type Epoch = Reply['epochs'][number];

/** A study as it travels; null where another version of the program has kept a plan that this one cannot read. */
export function studyReply(study: StudyView, caller: Caller, markets: Pick<Markets, 'find'>): Reply['study'] | null {
  const plan = portfolioPlan.safeParse(study.plan);
  if (!plan.success) return null;
  const { search } = study;
  return {
    id: study.id,
    status: study.status,
    step: study.step,
    error: study.error,
    strategy_id: study.strategyId,
    strategy_name: study.strategyName,
    code_version: study.codeNumber,
    exchange_id: study.exchangeId,
    exchange_name: markets.find(study.exchangeId)?.name ?? study.exchangeId,
    plan: plan.data,
    bot: study.bot === null ? null : botReply(study.bot),
    spaces: [...search.spaces],
    dimensions: search.dimensions.map(({ name, space, min, max, step }) => ({ name, space, min, max, step })),
    sampler: search.sampler,
    loss: search.loss,
    seed: search.seed,
    epochs_wanted: search.epochs,
    min_trades: search.minTrades,
    early_stop: search.earlyStop,
    sealed_ratio: search.sealedShare,
    epochs: study.epochs,
    best_epoch: study.bestEpoch === 0 ? null : study.bestEpoch,
    best_loss: study.bestLoss,
    is_own: study.userId === caller.id,
    email: caller.role === 'admin' ? study.email : null,
    created_at: study.createdAt.toISOString(),
    started_at: study.startedAt?.toISOString() ?? null,
    finished_at: study.finishedAt?.toISOString() ?? null,
  };
}

/** What is said about a study beside its epochs; null until it was prepared. */
export function studyDetailsReply(
  { ground, bestMoments, judgement, unsealedAt, unsealedEmail, unsealedEpoch, unsealed }: StudyView,
  caller: Caller,
  { tries, studies }: { tries: Tries; studies: number },
): Details | null {
  if (ground === null) return null;
  const { configured } = ground;
  const luck = bestMoments === null ? null : luckOfMoments(bestMoments, tries);
  return {
    range: ground.range,
    sealed: ground.sealed,
    notes: [...ground.notes],
    configured: {
      trades: configured.trades,
      profit: configured.profit,
      profit_ratio: configured.profitRatio,
      max_drawdown_ratio: configured.maxDrawdownRatio,
    },
    market_change: ground.marketChange,
    tries: tries.count,
    studies,
    luck: luck === null ? null : { sharpe: luck.sharpe, luckiest: luck.luckiest, probability: luck.probability },
    judgement:
      judgement === null
        ? null
        : {
            overfitting:
              judgement.overfitting === null
                ? null
                : { probability: judgement.overfitting.probability, splits: judgement.overfitting.splits },
            anchored: walkReply(judgement.anchored),
            rolling: walkReply(judgement.rolling),
            neighbourhood:
              judgement.neighbourhood === null
                ? null
                : {
                    count: judgement.neighbourhood.count,
                    median_profit_ratio: judgement.neighbourhood.medianProfitRatio,
                    is_plateau: judgement.neighbourhood.isPlateau,
                  },
            doubled_fees: figuresReply(judgement.doubledFees),
            delayed_signals: figuresReply(judgement.delayedSignals),
          },
    // A run on it that failed has shown nothing: it can be made again, for the same epoch.
    unsealed:
      unsealedAt === null || unsealedEpoch === null
        ? null
        : {
            at: unsealedAt.toISOString(),
            email: caller.role === 'admin' || unsealedEmail === caller.email ? unsealedEmail : null,
            epoch: unsealedEpoch,
            figures: figuresReply(unsealed),
          },
  };
}

/** An epoch as it travels. */
export function epochReply({ epoch, point, loss, figures, fault }: EpochRow): Epoch {
  return { epoch, point, loss, figures: figuresReply(figures), fault };
}

function walkReply(walk: WalkForward | null): NonNullable<Details['judgement']>['anchored'] {
  if (walk === null) return null;
  const { steps, chosenProfit, nextProfit, efficiency, won } = walk;
  const { windows } = walk as Partial<WalkForward>; // studies of earlier versions have kept none
  return { steps, chosen_profit: chosenProfit, next_profit: nextProfit, efficiency, won, windows: windows ?? [] };
}

function figuresReply(figures: EpochFigures | null): Epoch['figures'] {
  if (figures === null) return null;
  return {
    trades: figures.trades,
    wins: figures.wins,
    draws: figures.draws,
    losses: figures.losses,
    profit: figures.profit,
    profit_ratio: figures.profitRatio,
    mean_profit_ratio: figures.meanProfitRatio,
    average_duration_ms: figures.averageDurationMs,
    max_drawdown: figures.maxDrawdown,
    max_drawdown_ratio: figures.maxDrawdownRatio,
  };
}
