import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';
import { aPortfolio } from './portfolios.ts';

type Reply = CallReply<'study'>;
type Item = Reply['study'];
type Details = NonNullable<Reply['details']>;
type Epoch = Reply['epochs'][number];
type Dimension = Item['dimensions'][number];

/** What a study searches: two numbers of the strategy, and its stop. */
export const someDimensions: Dimension[] = [
  { name: 'fastPeriod', space: 'buy', min: 5, max: 25, step: 1 },
  { name: 'slowPeriod', space: 'buy', min: 26, max: 60, step: 1 },
  { name: 'stoploss', space: 'stoploss', min: -0.35, max: -0.02, step: 0.001 },
];

/** A study that has ended well, with 80 tries. */
export function aStudy(changes: Partial<Item> = {}): Item {
  return {
    id: idOf(800),
    status: 'done',
    step: '',
    error: null,
    strategy_id: idOf(50),
    strategy_name: 'EMA cross',
    code_version: null,
    exchange_id: 'sandbox',
    exchange_name: 'Sandbox',
    plan: aPortfolio().plan,
    bot: null,
    spaces: ['buy', 'stoploss'],
    dimensions: someDimensions,
    sampler: 'tpe',
    loss: 'SharpeHyperOptLossDaily',
    seed: 42,
    epochs_wanted: 80,
    min_trades: 10,
    early_stop: null,
    sealed_ratio: 0.2,
    epochs: 80,
    best_epoch: 33,
    best_loss: -1.52,
    is_own: true,
    email: null,
    created_at: '2026-11-20T10:00:00.000Z',
    started_at: '2026-11-20T10:00:04.000Z',
    finished_at: '2026-11-20T10:00:12.000Z',
    ...changes,
  };
}

/** Tries of it: number 33 is the best, every tenth has too few trades, and number 7 has failed. */
export function someEpochs(count = 80): Epoch[] {
  return Array.from({ length: count }, (_, i) => {
    const epoch = i + 1;
    const point = [(epoch * 7) % 21, (epoch * 11) % 35, (epoch * 13) % 331];
    if (epoch === 7) return { epoch, point, loss: null, figures: null, fault: 'EMA cross fails on BTC/USDT: too bad.' };
    const loss = epoch === 33 ? -1.52 : 0.5 - ((epoch * 37) % 100) / 60;
    const profit = -loss * 30;
    return {
      epoch,
      point,
      loss: epoch % 10 === 0 ? null : Math.max(loss, -1.5),
      figures: {
        trades: epoch % 10 === 0 ? 3 : 40 + (epoch % 7),
        wins: 20,
        draws: 0,
        losses: 20,
        profit,
        profit_ratio: profit / 1_000,
        mean_profit_ratio: 0.001,
        average_duration_ms: 3_600_000,
        max_drawdown: 20 + (epoch % 13),
        max_drawdown_ratio: (20 + (epoch % 13)) / 1_000,
      },
      fault: null,
    };
  }).map((epoch) => (epoch.epoch === 33 ? { ...epoch, loss: -1.52 } : epoch));
}

/** What is said about it. */
export function studyFacts(changes: Partial<Details> = {}): Details {
  const figures = someEpochs(1)[0]?.figures ?? null;
  return {
    range: { from: Date.UTC(2026, 7, 1), to: Date.UTC(2026, 7, 25) },
    sealed: { from: Date.UTC(2026, 7, 25, 1), to: Date.UTC(2026, 7, 31) },
    notes: [],
    configured: { trades: 44, profit: 5, profit_ratio: 0.005, max_drawdown_ratio: 0.03 },
    market_change: -0.31877,
    tries: 18_412,
    studies: 4,
    luck: { sharpe: 1.52, luckiest: 1.41, probability: 0.61 },
    judgement: {
      overfitting: { probability: 0.44, splits: 924 },
      anchored: { steps: 5, chosen_profit: 0.001, next_profit: 0.0004, efficiency: 0.4, won: 3, windows: [] },
      rolling: {
        steps: 4,
        chosen_profit: 0.001,
        next_profit: 0.00038,
        efficiency: 0.38,
        won: 2,
        windows: [
          { chosen: 0.0012, next: 0.0009 },
          { chosen: 0.001, next: -0.0004 },
          { chosen: 0.0009, next: 0.0012 },
          { chosen: 0.0009, next: -0.0002 },
        ],
      },
      neighbourhood: { count: 6, median_profit_ratio: 0.012, is_plateau: false },
      doubled_fees: figures === null ? null : { ...figures, profit: -61.2 },
      delayed_signals: figures === null ? null : { ...figures, profit: 12.4 },
    },
    unsealed: null,
    ...changes,
  };
}

/** What the server answers about it, from an epoch on. */
export function studyReply(query: Readonly<Record<string, string>>, changes: Partial<Reply> = {}): Reply {
  const after = Number(query['after'] ?? 0);
  const { epochs = someEpochs(), study = aStudy(), details = studyFacts() } = changes;
  return { study, details, epochs: epochs.slice(after) };
}
